import { type Command, InvalidArgumentError, Option } from 'commander';
import { ApiError } from '../base/errors.ts';
import type { Scope } from '../base/scope.ts';
import type { PeopleRefusal } from '../console/model/refusals.ts';
import { ROLES, type Role } from '../console/model/roles.ts';
import { findUser, inviteUser, listUsers, type PeopleResult, removeUser, type User } from '../console/people/users.ts';
import { action, command } from './command.ts';

interface InviteOptions {
  practice: string;
  email: string;
  role: Role;
  location?: string[];
}

/** Adds the commands on the people who use the console of a practice. */
export function addUserCommands(program: Command): void {
  const users = program.command('users').description('people who use the console of a practice');
  command(users, 'invite', 'adds a person, and sends a mail with a sign-in link')
    .requiredOption('--practice <id>')
    .requiredOption('--email <address>')
    .addOption(new Option('--role <role>').choices(ROLES).makeOptionMandatory())
    .option('--location <id>', 'limits the person to this location; may be repeated', location)
    .action(action(invite));
  command(users, 'list', 'shows the people of a practice')
    .requiredOption('--practice <id>')
    .action(
      action(async (scope, { practice }: { practice: string }) => ({
        data: (await listUsers(scope, practice)).map(userView),
      })),
    );
  command(users, 'remove <id>', 'takes a person out of a practice, at once').action(
    action(async (scope, id: string) => {
      const { practiceId } = await findUser(scope, id);
      return shown(await removeUser(scope, { kind: 'operator' }, practiceId, id));
    }),
  );
}

async function invite(scope: Scope, { practice, email, role, location }: InviteOptions) {
  const grant = { email, role, locationIds: location ?? null };
  return shown(await inviteUser(scope, { kind: 'operator' }, practice, grant));
}

/** Returns the user. @throws ApiError with the reason of a refusal */
function shown(result: PeopleResult) {
  if (result.kind === 'done') return userView(result.user);
  const [code, param, message] = REFUSALS[result.reason];
  throw new ApiError(code, { message, ...(param === null ? {} : { param }) });
}

/** Facts and next steps for the operator. */
const REFUSALS: Readonly<
  Record<PeopleRefusal, [code: 'validation_error' | 'not_found', param: string | null, message: string]>
> = {
  invalid_email: ['validation_error', 'email', 'The mail address is invalid; say one such as ada@example.com.'],
  already_member: [
    'validation_error',
    'email',
    'This person already belongs to the practice; remove the person first.',
  ],
  unknown_member: ['not_found', null, 'No such user; `paylinks users list` shows the ids.'],
  unknown_location: [
    'not_found',
    'location',
    'The practice has no such location; say one of its own, or leave --location out.',
  ],
  owner_with_locations: ['validation_error', 'location', 'An owner sees all locations; leave --location out.'],
  rank_too_high: ['validation_error', 'role', 'The role is above that of the one who acts.'],
  last_owner: ['validation_error', null, 'The practice needs an owner; invite another owner first.'],
};

function userView({ id, practiceId, personId, email, role, locationIds, createdAt }: User) {
  return { id, practiceId, personId, email, role, locationIds, createdAt: createdAt.toISOString() };
}

/** Parses one location. The option may be given several times. */
function location(text: string, earlier: string[] = []): string[] {
  if (text.trim() === '') throw new InvalidArgumentError('Say the id of a location.');
  return [...earlier, text];
}
