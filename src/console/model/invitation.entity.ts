import { defineEntity, p } from '@mikro-orm/postgresql';
import type { Role } from './roles.ts';

const InvitationSchema = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  properties: {
    /** Becomes the id of the membership. */
    id: p.string().primary(),
    practiceId: p.string(),
    /** In lower case. */
    email: p.string(),
    role: p.string().$type<Role>(),
    /** Null: all locations of the practice. */
    locationIds: p.array().strictNullable(),
    expiresAt: p.datetime(3),
    createdAt: p.datetime(3),
  },
});

export class Invitation extends InvitationSchema.class {}
InvitationSchema.setClass(Invitation);
