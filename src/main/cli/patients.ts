import { type Command, InvalidArgumentError } from 'commander';
import { erasePatient, type PatientToErase } from '../../payment-links/upkeep/erase-patient.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { addCommand, createAction } from './command.ts';
import { asOperator } from './recorded.ts';

interface EraseOptions {
  practice?: string;
  externalId?: string;
  link?: string;
}

export function addPatientCommands(program: Command): void {
  const patients = program.command('patients').description('patients of a practice');
  addCommand(patients, 'erase', 'erases names, contact and descriptions of a patient; amounts and events stay')
    .option('--practice <id>', 'with --external-id')
    .option('--external-id <id>', 'chart or account number of the patient in the practice')
    .option('--link <id>', 'in place of both: the patient of this link')
    .action(
      createAction((scope: Scope, options: EraseOptions) => erasePatient(asOperator(scope), parsePatient(options))),
    );
}

function parsePatient({ practice, externalId, link }: EraseOptions): PatientToErase {
  if (link !== undefined && practice === undefined && externalId === undefined) return { linkId: link };
  if (link === undefined && practice !== undefined && externalId !== undefined) {
    return { practiceId: practice, externalId };
  }
  throw new InvalidArgumentError('Name the patient by --practice and --external-id, or by --link alone.');
}
