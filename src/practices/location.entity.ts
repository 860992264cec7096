import { defineEntity, p } from '@mikro-orm/postgresql';

const LocationSchema = defineEntity({
  name: 'Location',
  tableName: 'locations',
  properties: {
    id: p.string().primary(),
    practiceId: p.string(),
    name: p.string(),
    city: p.string(),
    state: p.string(),
    /** IANA zone name. */
    timeZone: p.string(),
    /** E.164; whom patients call in place of the practice's. Not part of the API's resource. */
    phone: p.string().strictNullable(),
    /** Deactivated locations are gone for the API; links made there keep naming them. */
    active: p.boolean(),
    createdAt: p.datetime(3),
  },
});

/** One office of a practice. */
export class Location extends LocationSchema.class {}
LocationSchema.setClass(Location);
