import { randomUUID } from 'node:crypto';
import { acceptInvitation } from '../../../src/console/identity/people/accept.ts';
import { inviteMember } from '../../../src/console/identity/people/invitations.ts';
import { openSession } from '../../../src/console/identity/sign-in/sessions.ts';
import { createPageService } from '../../../src/payment-links/checkout/service.ts';
import { separately } from '../../../src/payment-links/store/change.ts';
import type { Scope } from '../../../src/platform/base/scope.ts';
import { createSandbox, type Sandbox } from '../../../src/processors/sandbox.ts';
import { SANDBOX_METHODS } from '../../../src/processors/sandbox-methods.ts';
import type { Random } from '../../../test/harness/random.ts';
import { until } from '../../../test/harness/until.ts';
import { Caller, jsonCall } from '../caller.ts';
import type { Query } from '../evidence.ts';
import type { Character, Receivers } from '../receivers.ts';
import { asOperator, createEndpoint, createKey, createPracticeWithLocation } from '../setup.ts';

/** A practice that refunds, and a person of it who is signed in. */
export interface RefundingPractice {
  practiceId: string;
  liveKey: string;
  testKey: string;
  /** Session of the person in the console. */
  cookie: string;
}

export interface PayableLink {
  linkId: string;
  token: string;
}

export interface PaidLink {
  linkId: string;
  /** The processor's id of the payment. */
  payment: string;
  /** Test method of the sandbox. It decides how refunds end. */
  method: string;
}

/** Bank debits and slow refunds are final at the processor after this time, which a run can wait for. */
export const FAST_SETTLEMENT = { SANDBOX_SETTLE_SECONDS: '2' };

export const PAID_CENTS = 12_550;

export const LINK = {
  amount: PAID_CENTS / 100,
  description: 'Crown',
  patient: { firstName: 'Ada', lastName: 'Byron' },
};

/** Methods in tenths. Refunds of some end only after a time, or fail. */
const METHODS = [
  ...Array<string>(5).fill('card_success'),
  ...['card_refund_later', 'card_refund_later', 'card_refund_fails', 'bank_settles', 'bank_settles'],
];

/** Receivers of live events. All of them accept each event in the end. */
const LIVE_RECEIVERS: Character[] = ['fast', 'late', 'flaky'];

/** Time in which all debits settle and their notifications are processed. */
const SETTLED_MS = 60_000;

/** Creates the practice, and a session of a person who may refund. */
export function createRefundingPractice(databaseUrl: string): Promise<RefundingPractice> {
  return asOperator(databaseUrl, async (newScope) => {
    const practiceId = await createPracticeWithLocation(newScope(), 'Practice that refunds');
    const grant = { email: 'billing@elm.example', role: 'billing', locationIds: null } as const;
    const invitation = await inviteMember(newScope(), { kind: 'operator' }, practiceId, grant);
    const { personId } = await acceptInvitation(newScope(), invitation);
    const browser = { cookie: null, device: null, deviceName: null };
    const { cookie } = await openSession(newScope(), personId, browser, 'mail');
    return {
      practiceId,
      liveKey: await createKey(newScope(), practiceId, false),
      testKey: await createKey(newScope(), practiceId, true),
      cookie,
    };
  });
}

/** Registers endpoints for live and test events. Returns their secrets by the last part of their address. */
export async function createRefundEndpoints(
  port: number,
  { liveKey, testKey }: RefundingPractice,
  receivers: Receivers,
): Promise<Map<string, string>> {
  const secrets = new Map<string, string>();
  const create = async (key: string, character: Character, name: string) =>
    secrets.set(name, await createEndpoint(port, key, receivers.url(character, name)));
  for (const character of LIVE_RECEIVERS) await create(liveKey, character, `refunds-${character}`);
  await create(testKey, 'fast', 'refunds-test');
  return secrets;
}

export async function createLiveLinks(caller: Caller, liveKey: string, count: number): Promise<PayableLink[]> {
  const links: PayableLink[] = [];
  for (let number = 0; number < count; number++) {
    const call = jsonCall(liveKey, '/api/v1/payment-links', LINK, randomUUID());
    const created = await caller.send(call, ({ status }) => status === 201);
    if (created === null) throw new Error(`no link: ${caller.wrongAnswers.at(-1)}`);
    const { id, url } = JSON.parse(created.text) as { id: string; url: string };
    links.push({ linkId: id, token: url.slice(url.lastIndexOf('/') + 1) });
  }
  return links;
}

/** Creates live links and pays them, before the faults begin. Resolves when the bank debits among them have settled. */
export async function createPaidLinks(
  databaseUrl: string,
  query: Query,
  { liveKey, port, count, random }: { liveKey: string; port: number; count: number; random: Random },
): Promise<PaidLink[]> {
  return asOperator(databaseUrl, async (newScope) => {
    const sandbox = createSandbox({ newScope, settleSeconds: Number(FAST_SETTLEMENT.SANDBOX_SETTLE_SECONDS) });
    const methods = new Map<string, string>();
    for (const { linkId, token } of await createLiveLinks(new Caller({ ports: [port], random }), liveKey, count)) {
      const methodToken = random.pick(METHODS);
      await payOnPage(newScope(), sandbox, token, PAID_CENTS, methodToken);
      methods.set(linkId, methodToken);
    }
    await untilSettled(query);
    const rows = await query<{ id: string; payment: string }>(
      'select payment_link_id as id, processor_reference as payment from payment_attempts where payment_link_id = any ($1)',
      [[...methods.keys()]],
    );
    return rows.map(({ id, payment }) => ({ linkId: id, payment, method: methods.get(id) ?? '' }));
  });
}

/** Pays a link on its hosted page by a test method of the sandbox. */
export async function payOnPage(
  scope: Scope,
  sandbox: Sandbox,
  token: string,
  amountCents: number,
  methodToken: string,
): Promise<void> {
  const methodType = SANDBOX_METHODS[methodToken]?.type ?? 'card';
  const result = await createPageService(scope, sandbox, separately).submit(token, {
    ...{ amountCents, methodType, methodToken, locale: 'en', address: '203.0.113.7', userAgent: 'trial' },
    authorisationText: methodType === 'card' ? null : 'I authorise this debit, once.',
  });
  if (result !== 'accepted') throw new Error(`a payment was not accepted: ${result}`);
}

async function untilSettled(query: Query): Promise<void> {
  const pending = `select from transactions where status = 'pending' and attempt_id is not null`;
  const areSettled = async () => (await query(pending)).length === 0;
  await until(areSettled, { withinMs: SETTLED_MS, failure: 'debits do not settle' });
}
