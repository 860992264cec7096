import { defineEntity, p } from '@mikro-orm/postgresql';

const PersonSchema = defineEntity({
  name: 'Person',
  tableName: 'people',
  properties: {
    id: p.string().primary(),
    /** In lower case. */
    email: p.string(),
    /** Null until the person gives it. */
    name: p.string().strictNullable(),
    createdAt: p.datetime(3),
  },
});

/** A person who may sign in. Memberships say to which practices. */
export class Person extends PersonSchema.class {}
PersonSchema.setClass(Person);

/** Returns how pages name a person: the address, behind the name if there is one. People type their names, so none stands alone. */
export function personLabel({ name, email }: Pick<Person, 'name' | 'email'>): string {
  return name === null ? email : `${name} (${email})`;
}
