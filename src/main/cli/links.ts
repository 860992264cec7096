import { type Command, Option } from 'commander';
import type { CreatePaymentLinkRequest } from '../../contract/operations-type.ts';
import { requireValidBody } from '../../http/request/validation.ts';
import { cancelLinkForOffice } from '../../payment-links/api/change-link.ts';
import { createLinkForOffice } from '../../payment-links/api/create.ts';
import { parseLinkInput } from '../../payment-links/api/input.ts';
import { simulateDisputeClosing, simulateDisputeOpening } from '../../payment-links/api/sandbox-dispute.ts';
import { findAuthorisation, findPayments } from '../../payment-links/office/records.ts';
import { createRefund } from '../../payment-links/payments/create-refund.ts';
import { findMissingPayments } from '../../payment-links/payments/missing-payments.ts';
import { LINK_FIELDS, STAFF_FIELDS, type StaffField } from '../../payment-links/state/fields.ts';
import { linkView, refundView } from '../../payment-links/state/views.ts';
import { separately } from '../../payment-links/store/change.ts';
import { dollarsFromCents } from '../../platform/base/money.ts';
import type { Processor } from '../../processors/processor.ts';
import { isSandbox } from '../../processors/sandbox.ts';
import { modeOption, parseAmount, parseLine, parseTime } from './arguments.ts';
import { addCommand, type CommandDependencies } from './command.ts';

export function addLinkCommands(program: Command): void {
  addLinks(program.command('links').description('payment links, as office staff or the website make them'));
  const refunds = program.command('refunds').description('refunds of paid links');
  addCommand(refunds, 'create', 'refunds a payment, in whole or in part', refundPayment)
    .requiredOption('--link <id>')
    .option('--amount <dollars>', 'default: all that is left', parseAmount)
    .option('--reason <text>', 'shown with the refund', parseLine);
  addRecords(program);
  addDisputes(program.command('disputes').description('disputes of paid links (sandbox processor only)'));
}

function addLinks(links: Command): void {
  const create = addCommand(links, 'create', 'makes a payment link', createStaffLink)
    .requiredOption('--practice <id>')
    .addOption(modeOption())
    .addOption(new Option('--source <source>').choices(['staff', 'website']).makeOptionMandatory());
  for (const name of STAFF_FIELDS) create.addOption(createOption(name));
  addCommand(links, 'cancel <id>', 'cancels a link as office staff', async ({ scope, processor }, id: string) =>
    linkView(scope, await cancelLinkForOffice({ ...scope, processor, ...separately }, id)),
  );
}

/** Returns the option of a field, with the first sentence of its description in the contract. */
function createOption(name: StaffField): Option {
  const { isRequired, schema } = LINK_FIELDS[name];
  const words = name.replace('locationId', 'location').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const option = new Option(`--${words} <value>`, schema.description?.split(/\.\s|\.$/)[0]);
  if (name === 'amount') option.argParser((text) => `${dollarsFromCents(parseAmount(text))}`);
  return option.makeOptionMandatory(isRequired);
}

type NewLinkOptions = { practice: string; mode: 'test' | 'live'; source: 'staff' | 'website' };

async function createStaffLink(
  { scope }: CommandDependencies,
  options: NewLinkOptions & Partial<Record<string, string>>,
) {
  const flags = STAFF_FIELDS.flatMap((name) => {
    const value = options[name === 'locationId' ? 'location' : name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const fields = (ofPatient: boolean) =>
    Object.fromEntries(flags.filter(([name]) => (LINK_FIELDS[name].path !== name) === ofPatient));
  const body = { ...fields(false), amount: Number(options.amount), patient: fields(true) };
  // The API also returns links of office staff, so they must satisfy the contract's limits.
  const input = parseLinkInput(requireValidBody<CreatePaymentLinkRequest>('CreatePaymentLinkRequest', body));
  const practice = { id: options.practice, test: options.mode === 'test' };
  return createLinkForOffice(scope, practice, options.source, input);
}

type RefundOptions = { link: string; amount?: number; reason?: string };

async function refundPayment({ scope, processor }: CommandDependencies, { link, amount, reason }: RefundOptions) {
  const request = { linkId: link, amountCents: amount, reason };
  return refundView(await createRefund({ ...scope, processor, ...separately }, request));
}

type PaymentOptions = { practice?: string | null };

/** Adds the commands that answer questions of patients and banks. */
function addRecords(program: Command): void {
  const payments = program.command('payments').description('payments, as patients speak of them');
  addCommand(
    payments,
    'find <number>',
    'finds a payment by the number on its receipt',
    async ({ scope }, number: string, { practice = null }: PaymentOptions) => ({
      data: await findPayments(scope, number, practice),
    }),
  ).option('--practice <id>');
  addCommand(
    payments,
    'missing',
    'lists payments that the processor has and the database lacks, after a restore',
    async ({ scope, processor }, { since, practice = null }: PaymentOptions & { since: Date }) => ({
      data: await findMissingPayments(scope, processor, since, practice),
    }),
  )
    .requiredOption('--since <time>', 'the moment to which the database was restored, or earlier', parseTime)
    .option('--practice <id>');
  const authorisations = program.command('authorisations').description('authorisations of bank debits, kept two years');
  addCommand(
    authorisations,
    'show',
    'shows what a patient authorised, word for word',
    ({ scope }, { link }: { link: string }) => findAuthorisation(scope, link),
  ).requiredOption('--link <id>');
}

function addDisputes(disputes: Command): void {
  addCommand(disputes, 'open', 'simulates a dispute that a patient’s bank opens', openDispute)
    .requiredOption('--link <id>')
    .requiredOption('--reason <reason>', 'snake_case, such as fraudulent')
    .requiredOption('--amount <dollars>', 'disputed', parseAmount)
    .option('--evidence-due-by <time>', 'until when evidence may be sent', parseTime);
  addCommand(disputes, 'close', 'simulates the bank’s decision', closeDispute)
    .requiredOption('--link <id>')
    .addOption(new Option('--outcome <outcome>').choices(['won', 'lost']).makeOptionMandatory());
}

type DisputeOptions = { link: string; reason: string; amount: number; evidenceDueBy?: Date };

async function openDispute({ scope, processor }: CommandDependencies, options: DisputeOptions) {
  requireSandbox(processor);
  const { link, reason, amount: amountCents, evidenceDueBy = null } = options;
  return simulateDisputeOpening({ ...scope, processor, ...separately }, link, { reason, amountCents, evidenceDueBy });
}

type ClosingOptions = { link: string; outcome: 'won' | 'lost' };

async function closeDispute({ scope, processor }: CommandDependencies, { link, outcome }: ClosingOptions) {
  requireSandbox(processor);
  return simulateDisputeClosing({ ...scope, processor, ...separately }, link, outcome);
}

/** Refuses to act for a bank with a real processor. Its own dashboard does that. */
function requireSandbox(processor: Processor): void {
  if (isSandbox(processor)) return;
  throw new Error(`This command is for PROCESSOR=sandbox only; with ${processor.name}, do it there.`);
}
