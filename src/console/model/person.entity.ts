import { defineEntity, p } from '@mikro-orm/postgresql';

const PersonSchema = defineEntity({
  name: 'Person',
  tableName: 'people',
  properties: {
    id: p.string().primary(),
    /** In lower case. */
    email: p.string(),
    createdAt: p.datetime(3),
  },
});

/** A person who may sign in. Memberships say to which practices. */
export class Person extends PersonSchema.class {}
PersonSchema.setClass(Person);
