import { defineEntity, p } from '@mikro-orm/postgresql';
import type { Role } from './roles.ts';

const MembershipSchema = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  properties: {
    id: p.string().primary(),
    practiceId: p.string(),
    personId: p.string(),
    role: p.string().$type<Role>(),
    /** False: the person sees only the locations of `MembershipLocation`. */
    allLocations: p.boolean(),
    /** Time since which the person may not use the practice; null if the person may. */
    lockedAt: p.datetime(3).strictNullable(),
    /** The latest sign-in whose session was used for the practice; null if there was none. */
    lastSignInAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3),
  },
});

export class Membership extends MembershipSchema.class {}
MembershipSchema.setClass(Membership);

const MembershipLocationSchema = defineEntity({
  name: 'MembershipLocation',
  tableName: 'membership_locations',
  properties: {
    practiceId: p.string(),
    membershipId: p.string().primary(),
    locationId: p.string().primary(),
  },
});

export class MembershipLocation extends MembershipLocationSchema.class {}
MembershipLocationSchema.setClass(MembershipLocation);
