import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, Caller, type CallerOptions } from '../caller.ts';
import type { AskedRefund, Query } from '../evidence.ts';
import { spread } from '../spread.ts';
import { closeDisputeOutside, disputeOutside, refundOutside } from './at-sandbox.ts';
import { openForms, type TypedRefund } from './console-forms.ts';
import { LINK, PAID_CENTS, type PaidLink, type RefundingPractice } from './setup.ts';

export type RefundLoad = Awaited<ReturnType<typeof startRefundLoad>>;

export interface RefundOptions extends CallerOptions {
  practice: RefundingPractice;
  query: Query;
}

export interface RefundLoadOptions extends RefundOptions {
  links: readonly PaidLink[];
  /** Time over which the refunds are spread. */
  spreadMs: number;
}

/** Two parts that make the whole payment. The second is more than half of it, so it cannot be refunded twice. */
const [FIRST_CENTS, SECOND_CENTS] = [5_025, 7_525];

/** Refunds that begin in the console, at the processor, or at both at once. They never add up to more than was paid. */
const PLANS = {
  all: ({ refund }: Acts, { linkId }: PaidLink) => refund(linkId, { choice: 'all' }),
  part: ({ refund }: Acts, { linkId }: PaidLink) => refund(linkId, part(FIRST_CENTS)),
  bothParts: ({ refund }: Acts, { linkId }: PaidLink) =>
    Promise.all([refund(linkId, part(FIRST_CENTS)), refund(linkId, part(SECOND_CENTS))]),
  formSentTwice: ({ refund }: Acts, { linkId }: PaidLink) => refund(linkId, part(FIRST_CENTS), { times: 2 }),
  atProcessor: (acts: Acts, link: PaidLink) => acts.refundOutside(link, FIRST_CENTS),
  atBoth: (acts: Acts, link: PaidLink) =>
    Promise.all([acts.refundOutside(link, FIRST_CENTS), acts.refund(link.linkId, part(SECOND_CENTS))]),
  // The processor refuses the rest of a payment of which it has refunded a part, and the service does not know that yet.
  partAtProcessorThenAll: async (acts: Acts, link: PaidLink) => {
    await acts.refundOutside(link, FIRST_CENTS, false);
    await acts.refund(link.linkId, { choice: 'all' }, { mayBeRefused: true });
  },
  // A dispute over the whole payment leaves nothing to refund if the service knows that it was lost.
  dispute: (acts: Acts, link: PaidLink) =>
    Promise.all([acts.dispute(link), acts.refund(link.linkId, part(FIRST_CENTS), { mayBeRefused: true })]),
};

type Plan = (acts: Acts, link: PaidLink) => Promise<unknown>;

const CARD_PLANS: readonly Plan[] = Object.values(PLANS);

/** Only a debit can be taken back, with what was not refunded before. */
const DEBIT_PLANS: readonly Plan[] = [
  PLANS.all,
  PLANS.bothParts,
  PLANS.atBoth,
  ({ reverse }, link) => reverse(link),
  async ({ refund, reverse }, link) => {
    await refund(link.linkId, part(FIRST_CENTS));
    await reverse(link);
  },
];

/** Opens the console. After that, links can be refunded while processes and connections die. */
export async function openRefunds(options: RefundOptions) {
  const caller = new Caller(options);
  const acts = await openActs(caller, options);
  return {
    evidence: acts.evidence,
    wrongAnswers: caller.wrongAnswers,
    /** Refunds or disputes a link in one of the ways that a run knows. Resolves when that is confirmed. */
    async refund(link: PaidLink): Promise<void> {
      await options.random.pick(link.method === 'bank_settles' ? DEBIT_PLANS : CARD_PLANS)(acts, link);
    },
    simulate: acts.simulate,
  };
}

/** Refunds paid links, and simulates refunds of test links. Resolves when the console is open, before the first refund. */
export async function startRefundLoad(options: RefundLoadOptions) {
  const { links, spreadMs } = options;
  const refunds = await openRefunds(options);
  const refundBoth = (link: PaidLink) => Promise.all([refunds.refund(link), refunds.simulate()]);
  /** Resolves when the last refund is confirmed. */
  const done = spread(links, spreadMs / links.length, refundBoth);
  return { evidence: refunds.evidence, wrongAnswers: refunds.wrongAnswers, done };
}

type Acts = Awaited<ReturnType<typeof openActs>>;

/** Returns the refunds and disputes of which plans consist. They record what is known of them. */
async function openActs(caller: Caller, { practice, query, random }: RefundOptions) {
  const forms = await openForms(caller, practice);
  const asked = new Map<string, AskedRefund>();
  const [madeOutside, simulated] = [new Map<string, number>(), new Map<string, number>()];
  const isNotified = () => random.next() < 0.5;
  return {
    evidence: { asked, madeOutside, simulated },
    /** Refunds in the console. `times`: the form is sent so often at once. */
    async refund(linkId: string, typed: TypedRefund, { times = 1, mayBeRefused = false } = {}): Promise<void> {
      const form = await forms.review(linkId, typed, mayBeRefused);
      if (form === null) return;
      const refund = { linkId, cents: Math.round(Number(form.amount) * 100), isConfirmed: false };
      asked.set(form.refund, refund);
      const sent = Array.from({ length: times }, () => forms.confirm(linkId, form, mayBeRefused));
      refund.isConfirmed = (await Promise.all(sent)).includes(true);
    },
    /** Refunds at the processor. One notification in two is lost. */
    async refundOutside({ payment }: PaidLink, cents: number, notifies = isNotified()): Promise<void> {
      madeOutside.set(await refundOutside(query, { payment, cents, isNotified: notifies }), cents);
    },
    /** Opens a dispute at the processor, and closes it a moment later. */
    async dispute({ payment }: PaidLink): Promise<void> {
      const act = { payment, cents: PAID_CENTS, isNotified: isNotified(), isBankReversal: false };
      const reference = await disputeOutside(query, act);
      await pause(random.integer(0, 2_000));
      const outcome = random.pick(['won', 'lost'] as const);
      await closeDisputeOutside(query, { reference, outcome, isNotified: isNotified() });
    },
    async reverse({ payment }: PaidLink): Promise<void> {
      await disputeOutside(query, { payment, cents: PAID_CENTS, isNotified: isNotified(), isBankReversal: true });
    },
    /** Creates a test link, pays it and refunds it, by the API alone. */
    async simulate(): Promise<void> {
      const post = (path: string, body: object, idempotencyKey?: string) =>
        caller.post(practice.testKey, path, body, isDone, idempotencyKey);
      const created = await post('/api/v1/payment-links', LINK, randomUUID());
      if (created === null) return;
      const { id } = JSON.parse(created.text) as { id: string };
      if ((await post(`/api/v1/payment-links/${id}/simulate`, { outcome: 'paid' })) === null) return;
      const cents = random.pick([PAID_CENTS, SECOND_CENTS]);
      const refunded = await post(`/api/v1/test-helpers/payment-links/${id}/refund`, { amount: cents / 100 });
      if (refunded !== null) simulated.set(id, cents);
    },
  };
}

/**
 * Returns true for success, and for the refusal after an earlier try whose answer was lost. Then the link is paid, or less is
 * left than the amount.
 */
function isDone({ status, text }: Answer): boolean {
  if (status === 200 || status === 201) return true;
  if (status === 400) return text.includes('are left to refund');
  return status === 409 && /"(link_not_active|payment_state_conflict)"/.test(text);
}

function part(cents: number): TypedRefund {
  return { choice: 'part', amount: (cents / 100).toFixed(2) };
}
