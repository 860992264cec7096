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
    /** Telephone number for patients in E.164, instead of the practice's. It is not part of the API's resource. */
    phone: p.string().strictNullable(),
    /** The API does not show a deactivated location. Its links keep their reference to it. */
    active: p.boolean(),
    createdAt: p.datetime(3),
  },
});

/** One office of a practice. */
export class Location extends LocationSchema.class {}
LocationSchema.setClass(Location);
