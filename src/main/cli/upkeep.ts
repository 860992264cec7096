import { type Command, InvalidArgumentError } from 'commander';
import { erasePatient, type PatientToErase } from '../../payment-links/upkeep/erase-patient.ts';
import { LINK_INVARIANTS } from '../../payment-links/upkeep/invariants.ts';
import { listKeyIds } from '../../platform/base/secrets.ts';
import { type RotatedColumn, rotateColumn } from '../../platform/database/query/rotate-secrets.ts';
import {
  findViolations,
  type Invariant,
  type ReportedViolation,
} from '../../platform/database/query/rule-invariant.ts';
import { DELIVERY_INVARIANTS } from '../../webhooks/invariants.ts';
import { logMissingKeys, wrongSecretsKey } from '../processes/open-database.ts';
import { SECRET_COLUMNS } from '../processes/shared.ts';
import { addCommand, type CommandDependencies } from './command.ts';

/** The invariants that `paylinks check` verifies, in this order. */
export const INVARIANTS: readonly Invariant[] = [...DELIVERY_INVARIANTS, ...LINK_INVARIANTS];

const SECRETS_LEFT =
  'paylinks: SECRETS_KEY lacks the keys of the secrets that are left.\nPut those keys behind the first one, and run the command again.\n';

/** Adds the commands that erase a patient, check what is stored, and rotate the encryption key. */
export function addUpkeepCommands(program: Command): void {
  const patients = program.command('patients').description('patients of a practice');
  addCommand(
    patients,
    'erase',
    'erases names, contact and descriptions of a patient; amounts and events stay',
    ({ scope }, options: EraseOptions) => erasePatient(scope, parsePatient(options)),
  )
    .option('--practice <id>', 'with --external-id')
    .option('--external-id <id>', 'chart or account number of the patient in the practice')
    .option('--link <id>', 'in place of both: the patient of this link');
  addCommand(program, 'check', 'checks that what is stored agrees with itself; exit code 1 when it does not', check);
  const secrets = program.command('secrets').description('secrets that SECRETS_KEY encrypts');
  addCommand(secrets, 'rotate', 'encrypts all secrets with the first key; exit code 1 if some could not be', rotate);
}

type EraseOptions = Partial<Record<'practice' | 'externalId' | 'link', string>>;

function parsePatient({ practice, externalId, link }: EraseOptions): PatientToErase {
  if (link !== undefined && practice === undefined && externalId === undefined) return { linkId: link };
  if (link === undefined && practice !== undefined && externalId !== undefined) {
    return { practiceId: practice, externalId };
  }
  throw new InvalidArgumentError('Name the patient by --practice and --external-id, or by --link alone.');
}

async function check({ scope, keyFaults, fail }: CommandDependencies) {
  logMissingKeys(scope.log, keyFaults);
  const data: ReportedViolation[] = [];
  for (const invariant of INVARIANTS) {
    const { name, next } = invariant;
    for await (const violation of findViolations(invariant, () => scope))
      data.push({ invariant: name, ...violation, next });
  }
  if (data.length > 0) fail();
  return { data, empty: `no faults: ${INVARIANTS.length} invariants hold` };
}

async function rotate({ scope, config, keyFaults: { wrong }, fail }: CommandDependencies) {
  const [firstId] = listKeyIds(config.keyring);
  if (firstId !== undefined && wrong.includes(firstId)) throw wrongSecretsKey([firstId]);
  const data: RotatedColumn[] = [];
  for (const column of SECRET_COLUMNS) data.push(await rotateColumn(scope, column));
  if (data.some(({ left }) => left > 0)) fail(SECRETS_LEFT);
  return { data };
}
