import { randomUUID } from 'node:crypto';
import { type Api, ApiFailure } from '../api.ts';
import { Failure } from '../failure.ts';
import {
  argument,
  type Call,
  type Command,
  numberOption,
  PAGE_OPTIONS,
  printObject,
  requiredOption,
  runList,
  runOnItem,
  textOption,
} from './command.ts';
import { firstLocation } from './trigger.ts';

const PATH = '/payment-links';
const MEMBERS = ['id', 'status', 'amount', 'description', 'patient.firstName', 'patient.lastName', 'url', 'createdAt'];
const STATUSES = ['active', 'paid', 'expired', 'cancelled'];
const OUTCOMES = ['paid', 'processing', 'processing_then_paid', 'failed', 'expired'];

/** Returns the location of a new link. By default a test link gets the first one, and for a live link the service decides. */
async function locationOf(call: Call, api: Api): Promise<string | undefined> {
  return textOption(call, 'location') ?? (api.isTest ? await firstLocation(api) : undefined);
}

/** Adds the option to the service's error about a missing location. */
function withLocationHint(error: unknown): unknown {
  if (!(error instanceof ApiFailure) || error.param !== 'locationId') return error;
  return new Failure(error.message, 'Give --location ID. GET /api/v1/locations lists the ids.');
}

/** Returns the body of a new link, without its location. Only a test link gets a sample patient. @throws UsageError */
function bodyOf(call: Call, api: Api): object {
  const name = (option: string, sample: string) =>
    api.isTest ? (textOption(call, option) ?? sample) : requiredOption(call, option);
  const patient = {
    firstName: name('first-name', 'Ada'),
    lastName: name('last-name', 'Moreno'),
    phone: textOption(call, 'phone'),
    email: textOption(call, 'email'),
  };
  return {
    amount: numberOption(call, 'amount') ?? Number(requiredOption(call, 'amount')),
    description: requiredOption(call, 'description'),
    externalReference: textOption(call, 'reference'),
    expiresAt: textOption(call, 'expires-at'),
    patient,
  };
}

/** The commands on payment links. */
export const linkCommands: readonly Command[] = [
  {
    name: 'links create',
    summary: 'Creates a payment link.',
    arguments: [],
    options: {
      amount: { value: 'DOLLARS', help: 'Amount in dollars, such as 125.5.' },
      description: { value: 'TEXT', help: 'Text that the patient sees.' },
      'first-name': { value: 'NAME', help: 'First name of the patient. Default with a test key: Ada.' },
      'last-name': { value: 'NAME', help: 'Last name of the patient. Default with a test key: Moreno.' },
      phone: { value: 'NUMBER', help: 'Phone number of the patient, such as +12025550143.' },
      email: { value: 'ADDRESS', help: 'Email address of the patient.' },
      reference: { value: 'TEXT', help: 'Your own reference, such as an invoice number.' },
      location: { value: 'ID', help: 'Location. Default with a test key: the first one of the practice.' },
      'expires-at': { value: 'TIME', help: 'End of the link, such as 2030-01-31T00:00:00Z.' },
      'idempotency-key': {
        value: 'KEY',
        help: 'Creates the link once, however often it is repeated. Default: random.',
      },
    },
    examples: ['links create --amount 125.5 --description "Crown, balance after insurance"'],
    async run(call) {
      const idempotencyKey = textOption(call, 'idempotency-key') ?? randomUUID();
      const api = call.api();
      const body = bodyOf(call, api);
      const locationId = await locationOf(call, api);
      const link = await api
        .call('POST', PATH, { body: { ...body, locationId }, idempotencyKey })
        .catch((error: unknown) => {
          throw withLocationHint(error);
        });
      printObject(call, link, MEMBERS);
    },
  },
  {
    name: 'links get',
    summary: 'Shows a payment link.',
    arguments: ['ID'],
    options: {},
    examples: ['links get plink_4Rk8sTq2VnX7', 'links get plink_4Rk8sTq2VnX7 --json'],
    run: (call) => runOnItem(call, ['GET', PATH], [...MEMBERS, 'transaction.status', 'paidAt']),
  },
  {
    name: 'links list',
    summary: 'Lists payment links, newest first.',
    arguments: [],
    options: {
      status: { value: 'STATUS', help: `One of ${STATUSES.join(', ')}.`, values: STATUSES },
      reference: { value: 'TEXT', help: 'Only links with this reference.' },
      location: { value: 'ID', help: 'Only links of this location.' },
      ...PAGE_OPTIONS,
    },
    examples: ['links list --status paid'],
    run(call) {
      const names = { status: 'status', reference: 'externalReference', location: 'locationId' };
      const members = ['id', 'status', 'amount', 'patient.lastName', 'externalReference', 'createdAt'];
      return runList(call, PATH, names, members);
    },
  },
  {
    name: 'links cancel',
    summary: 'Cancels an active payment link.',
    arguments: ['ID'],
    options: {},
    examples: ['links cancel plink_4Rk8sTq2VnX7'],
    run: (call) => runOnItem(call, ['POST', PATH, '/cancel'], MEMBERS),
  },
  {
    name: 'links simulate',
    summary: 'Does with a test link what a patient, a bank or the clock would do.',
    arguments: ['ID', 'OUTCOME'],
    argumentValues: OUTCOMES,
    options: {},
    examples: ['links simulate plink_4Rk8sTq2VnX7 paid'],
    notes: [`The outcomes are ${OUTCOMES.join(', ')}.`],
    run: (call) => runOnItem(call, ['POST', PATH, '/simulate'], MEMBERS, { outcome: argument(call, 1) }),
  },
];
