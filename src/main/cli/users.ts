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
import { addCommand, type CommandDependencies } from './command.ts';

const OPERATOR = { kind: 'operator' } as const;

export function addUserCommands(program: Command): void {
  const users = program.command('users').description('people who use the console of a practice');
  addCommand(users, 'invite', 'invites a person by email, who belongs to the practice after accepting', invite)
    .requiredOption('--practice <id>')
    .requiredOption('--email <address>')
    .addOption(new Option('--role <role>').choices(ROLES).makeOptionMandatory())
    .option('--location <id>', 'limits the person to this location; may be repeated', collectLocation);
  addCommand(users, 'list', 'shows the people of a practice', list).requiredOption('--practice <id>');
  addCommand(users, 'remove <id>', 'takes a person out of a practice, or an invitation back, at once', remove);
}

async function list({ scope }: CommandDependencies, { practice }: { practice: string }) {
  const users = [...(await listMembers(scope, practice)), ...(await listInvitations(scope, practice))];
  return { data: users.map(userView).toSorted((one, other) => (one.email < other.email ? -1 : 1)) };
}

async function remove({ scope }: CommandDependencies, id: string) {
  const invitation = await findInvitationById(scope, id);
  if (invitation !== null) return userView(accepted(await withdrawInvitation(scope, OPERATOR, invitation)));
  return userView(accepted(await removeMember(scope, OPERATOR, await findMember(scope, id))));
}

type InviteOptions = { practice: string; email: string; role: Role; location?: string[] };

async function invite({ scope }: CommandDependencies, { practice, email, role, location }: InviteOptions) {
  const grant = { email, role, locationIds: location ?? null };
  return userView(accepted(await inviteMember(scope, OPERATOR, practice, grant)));
}

/** Returns the result of a change. @throws ApiError with the reasons of a refusal */
function accepted<Result extends object>(result: Result | PeopleRefused): Result {
  if (!('refusals' in result)) return result;
  const refusals = result.refusals.map((reason) => REFUSALS[reason]);
  const code = result.refusals.includes('unknown_location') ? 'not_found' : 'validation_error';
  const message = refusals.map(([text]) => text).join(' ');
  throw new ApiError(code, { message, param: refusals[0]?.[1] });
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

/** Returns a member, who has accepted the invitation, or an invited user, with the id that the user keeps as a member. */
function userView(user: Member | Invitation) {
  const { id, practiceId, email, role, locationIds } = user;
  const isMember = 'personId' in user;
  // A locked member may not use the practice. Nobody has a person's id before the acceptance.
  const status = !isMember ? 'invited' : user.lockedAt === null ? 'member' : 'locked';
  const personId = isMember ? user.personId : null;
  return { id, practiceId, personId, email, role, locationIds, status, createdAt: user.createdAt.toISOString() };
}

function collectLocation(text: string, earlier: string[] = []): string[] {
  if (text.trim() === '') throw new InvalidArgumentError('Say the id of a location.');
  return [...earlier, text];
}
