import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  findInvitationById,
  inviteMember,
  listInvitations,
  withdrawInvitation,
} from '../../console/identity/people/invitations.ts';
import { findMember, listMembers, type Member, removeMember } from '../../console/identity/people/members.ts';
import type { Invitation } from '../../console/model/invitation.entity.ts';
import type { PeopleRefusal, PeopleRefused } from '../../console/model/refusals.ts';
import { ROLES, type Role } from '../../console/model/roles.ts';
import { ApiError } from '../../platform/base/errors.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { addCommand, createAction } from './command.ts';

interface InviteOptions {
  practice: string;
  email: string;
  role: Role;
  location?: string[];
}

const OPERATOR = { kind: 'operator' } as const;

export function addUserCommands(program: Command): void {
  const users = program.command('users').description('people who use the console of a practice');
  addCommand(users, 'invite', 'invites a person by email, who belongs to the practice after accepting')
    .requiredOption('--practice <id>')
    .requiredOption('--email <address>')
    .addOption(new Option('--role <role>').choices(ROLES).makeOptionMandatory())
    .option('--location <id>', 'limits the person to this location; may be repeated', collectLocation)
    .action(createAction(invite));
  addCommand(users, 'list', 'shows the people of a practice')
    .requiredOption('--practice <id>')
    .action(createAction(async (scope, { practice }: { practice: string }) => ({ data: await list(scope, practice) })));
  addCommand(users, 'remove <id>', 'takes a person out of a practice, or an invitation back, at once').action(
    createAction((scope, id: string) => remove(scope, id)),
  );
}

/** Returns members and invited people, by address. */
async function list(scope: Scope, practiceId: string) {
  const members = (await listMembers(scope, practiceId)).map(memberView);
  const invited = (await listInvitations(scope, practiceId)).map(invitationView);
  return [...members, ...invited].toSorted((one, other) => (one.email < other.email ? -1 : 1));
}

async function remove(scope: Scope, id: string) {
  const invitation = await findInvitationById(scope, id);
  if (invitation !== null) return invitationView(accepted(await withdrawInvitation(scope, OPERATOR, invitation)));
  return memberView(accepted(await removeMember(scope, OPERATOR, await findMember(scope, id))));
}

async function invite(scope: Scope, { practice, email, role, location }: InviteOptions) {
  const grant = { email, role, locationIds: location ?? null };
  return invitationView(accepted(await inviteMember(scope, OPERATOR, practice, grant)));
}

/** Returns the result of a change. @throws ApiError with the reasons of a refusal */
function accepted<Result extends object>(result: Result | PeopleRefused): Result {
  if (!('refusals' in result)) return result;
  const refusals = result.refusals.map((reason) => REFUSALS[reason]);
  const code = result.refusals.includes('unknown_location') ? 'not_found' : 'validation_error';
  const message = refusals.map(([text]) => text).join(' ');
  const param = refusals[0]?.[1];
  throw new ApiError(code, { message, ...(param === undefined ? {} : { param }) });
}

/** Facts and next steps for the operator, and the option that they are about. */
const REFUSALS: Readonly<Record<PeopleRefusal, [message: string, param?: string]>> = {
  invalid_email: ['The email address is invalid; enter one such as ada@example.com.', 'email'],
  already_member: ['This person already belongs to the practice; remove the person first.', 'email'],
  already_invited: [
    'This person is invited; to send the mail again, remove the invitation and invite once more.',
    'email',
  ],
  practice_limit: ['The practice has sent too many invitations.'],
  recipient_limit: ['The person has got too many invitations.'],
  unknown_location: ['The practice has no such location; say one of its own, or leave --location out.', 'location'],
  role_with_locations: ['Owners and developers see all locations; leave --location out.', 'location'],
  no_name: ['The person has no name.'],
  rank_too_high: ['The role is above that of the one who acts.', 'role'],
  last_owner: ['The practice needs an owner; invite another owner first.'],
};

function memberView({ id, practiceId, personId, email, role, locationIds, lockedAt, createdAt }: Member) {
  const status: Status = lockedAt === null ? 'member' : 'locked';
  return { id, practiceId, personId, email, role, locationIds, status, createdAt: createdAt.toISOString() };
}

/** A member has accepted the invitation. A locked one may not use the practice. */
type Status = 'invited' | 'member' | 'locked';

/** Returns an invited user, with the id that the user keeps as a member. Nobody has a person's id before the acceptance. */
function invitationView({ id, practiceId, email, role, locationIds, createdAt }: Invitation) {
  const status: Status = 'invited';
  return { id, practiceId, personId: null, email, role, locationIds, status, createdAt: createdAt.toISOString() };
}

/** Parses one location. The option may be given several times. */
function collectLocation(text: string, earlier: string[] = []): string[] {
  if (text.trim() === '') throw new InvalidArgumentError('Say the id of a location.');
  return [...earlier, text];
}
