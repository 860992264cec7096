import type { Command } from 'commander';
import { apiKeyView, issueKey, keyAct, listKeys, type NewApiKey, revokeKey, showKey } from '../../access/service.ts';
import { openAccount } from '../../payment-links/payments/account.ts';
import { fresh, type Scope } from '../../platform/base/scope.ts';
import { inTransaction } from '../../platform/database/query/transaction.ts';
import { type Act, auditOwnAct } from '../../practices/audit/audit.ts';
import { getPractice, listPractices } from '../../practices/find.ts';
import type { Location } from '../../practices/location.entity.ts';
import type { Practice } from '../../practices/practice.entity.ts';
import {
  createLocation,
  createPractice,
  deactivateLocation,
  type NewLocation,
  updatePractice,
} from '../../practices/service.ts';
import { adminLocationView, practiceView } from '../../practices/views.ts';
import type { Processor } from '../../processors/processor.ts';
import { collectScope, modeOption, parseBoolean, parseLine, parseTime, parseWholeNumber } from './arguments.ts';
import { addCommand, type CommandDependencies } from './command.ts';

export function addPracticeCommands(program: Command): void {
  addPractices(program.command('practices').description('practices, the tenants'));
  addLocations(program.command('locations').description('offices of a practice'));
  addKeys(program.command('keys').description('API keys of a practice'));
}

function addPractices(practices: Command): void {
  addCommand(practices, 'create', 'adds a practice', recorded(createPractice, practiceAct('created'), practiceView))
    .requiredOption('--name <name>', 'as patients see it', parseLine)
    .requiredOption('--admin-email <address>', 'where emails to its administrator go')
    .option('--phone <number>', 'number that patients call')
    .option('--payments-enabled', 'payment onboarding is finished', false);
  const update = recorded(changePractice, practiceAct('changed'), practiceView);
  const updates = 'switches onboarding or API access, or sets the number that patients call';
  addCommand(practices, 'update <id>', updates, update)
    .option('--payments-enabled <bool>', 'true or false', parseBoolean)
    .option('--api-access <bool>', 'true or false', parseBoolean)
    .option('--phone <number>', 'number that patients call; empty for none');
  addCommand(
    practices,
    'onboard <id>',
    'opens the practice’s account at the processor, and says where to finish',
    async ({ scope, processor }, id: string) => {
      // The processor is asked outside transactions, so the act is recorded before.
      await inTransaction(fresh(scope), async (scope) => {
        const target = { kind: 'practice', id: (await getPractice(scope, id)).id };
        const after = { processor: processor.name };
        auditOwnAct(scope, { practiceId: id, action: 'onboarding.opened', target, after });
      });
      return onboard(scope, processor, id);
    },
  );
  addCommand(practices, 'list', 'shows all practices', async ({ scope }) => ({
    data: (await listPractices(scope)).map(practiceView),
  }));
}

/**
 * Returns the work of a command that shows the view of an act's result. The act and its entry in the practice's audit log are one
 * transaction.
 * @param act describes the act by its result, without keys and data of patients
 */
function recorded<Args extends unknown[], T>(
  work: (scope: Scope, ...args: Args) => Promise<T>,
  act: (result: T) => Act,
  view: (result: T) => object,
) {
  return ({ scope }: CommandDependencies, ...args: Args) =>
    inTransaction(scope, async (scope) => {
      const result = await work(scope, ...args);
      auditOwnAct(scope, act(result));
      return view(result);
    });
}

/** Opens the practice's account at the processor, and returns the practice with the URL at which onboarding goes on. */
export async function onboard(scope: Scope, processor: Processor, practiceId: string) {
  // The hosted pages' code would delay all other commands.
  const { ONBOARDED_PATH } = await import('../../patient-pages/routes.ts');
  const returnUrl = `${scope.publicUrl}${ONBOARDED_PATH}`;
  const { practice, account, onboardingUrl } = await openAccount(scope, processor, practiceId, returnUrl);
  return { ...practiceView(practice), processorAccountId: account.id, onboardingUrl };
}

type PracticeOptions = { paymentsEnabled?: boolean; apiAccess?: boolean; phone?: string };

function changePractice(
  scope: Scope,
  id: string,
  { paymentsEnabled, apiAccess: apiAccessEnabled, phone }: PracticeOptions,
) {
  return updatePractice(scope, id, { paymentsEnabled, apiAccessEnabled, phone: phone === '' ? null : phone });
}

type NewLocationOptions = { practice: string } & Omit<NewLocation, 'practiceId'>;

function addLocations(locations: Command): void {
  const create = (scope: Scope, { practice: practiceId, ...location }: NewLocationOptions) =>
    createLocation(scope, { practiceId, ...location });
  addCommand(locations, 'create', 'adds a location', recorded(create, locationAct('created'), adminLocationView))
    .requiredOption('--practice <id>')
    .requiredOption('--name <name>', 'as patients see it', parseLine)
    .requiredOption('--city <city>', 'as patients see it', parseLine)
    .requiredOption('--state <state>', 'such as IL', parseLine)
    .requiredOption('--time-zone <zone>', 'IANA name, such as America/Chicago')
    .option('--phone <number>', 'number that patients call instead of the practice’s');
  const deactivate = recorded(deactivateLocation, locationAct('deactivated'), adminLocationView);
  addCommand(locations, 'deactivate <id>', 'takes a location out of use', deactivate);
}

type NewKeyOptions = Pick<NewApiKey, 'expiresAt' | 'requestsPerMinute'> & {
  practice: string;
  mode: 'test' | 'live';
  scope?: NewApiKey['scopes'];
  location?: string;
};

function addKeys(keys: Command): void {
  const issue = recorded(createKey, ({ apiKey }) => keyAct('created', apiKey), keyView);
  addCommand(keys, 'create', 'issues a key; live keys are shown this once', issue)
    .requiredOption('--practice <id>')
    .addOption(modeOption())
    .option('--scope <scope>', 'limits the key; may be repeated', collectScope)
    .option('--location <id>', 'pins the key to one location')
    .option('--expires-at <time>', 'when it stops working', parseTime)
    .option('--requests-per-minute <n>', 'its own rate limit', parseWholeNumber);
  const list = async ({ scope }: CommandDependencies, { practice }: { practice: string }) => ({
    data: (await listKeys(scope, practice)).map(apiKeyView),
  });
  addCommand(keys, 'list', 'shows the keys of a practice, without the keys themselves', list).requiredOption(
    '--practice <id>',
  );
  const show = recorded(showKey, ({ apiKey }) => keyAct('viewed', apiKey), keyView);
  addCommand(keys, 'show <id>', 'shows a test key again', show);
  const revoke = recorded(revokeKey, (apiKey) => keyAct('revoked', apiKey), apiKeyView);
  addCommand(keys, 'revoke <id>', 'ends a key, at its next request', revoke);
}

function createKey(scope: Scope, options: NewKeyOptions) {
  const { practice: practiceId, mode, scope: scopes, location: locationId, ...limits } = options;
  return issueKey(scope, { practiceId, test: mode === 'test', scopes, locationId, ...limits });
}

function keyView({ apiKey, key }: Awaited<ReturnType<typeof showKey>>) {
  return { ...apiKeyView(apiKey), key };
}

const practiceAct = (what: string) => (practice: Practice) => ({
  practiceId: practice.id,
  action: `practice.${what}`,
  target: { kind: 'practice', id: practice.id },
  after: practiceView(practice),
});

const locationAct = (what: string) => (location: Location) => ({
  practiceId: location.practiceId,
  action: `location.${what}`,
  target: { kind: 'location', id: location.id },
  after: adminLocationView(location),
});
