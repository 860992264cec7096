import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, Caller, type CallerOptions } from '../caller.ts';
import type { Query } from '../evidence.ts';
import type { Random } from '../random.ts';
import { closeDisputeOutside, disputeOutside, refundOutside } from './at-sandbox.ts';
import { ConsoleForms, type TypedRefund } from './console-forms.ts';
import type { AskedRefund, RefundEvidence } from './evidence.ts';
import { LINK, PAID_CENTS, type PaidLink, type RefundingPractice } from './setup.ts';

/** Refunds under way, and what is known of them. */
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
  all: (load: Refunding, { linkId }: PaidLink) => load.refund(linkId, { choice: 'all' }),
  part: (load: Refunding, { linkId }: PaidLink) => load.refund(linkId, part(FIRST_CENTS)),
  bothParts: (load: Refunding, { linkId }: PaidLink) =>
    Promise.all([load.refund(linkId, part(FIRST_CENTS)), load.refund(linkId, part(SECOND_CENTS))]),
  formSentTwice: (load: Refunding, { linkId }: PaidLink) => load.refund(linkId, part(FIRST_CENTS), { times: 2 }),
  atProcessor: (load: Refunding, link: PaidLink) => load.refundOutside(link, FIRST_CENTS),
  atBoth: (load: Refunding, link: PaidLink) =>
    Promise.all([load.refundOutside(link, FIRST_CENTS), load.refund(link.linkId, part(SECOND_CENTS))]),
  // The processor refuses the rest of a payment of which it has refunded a part, and the service does not know that yet.
  partAtProcessorThenAll: async (load: Refunding, link: PaidLink) => {
    await load.refundOutside(link, FIRST_CENTS, false);
    await load.refund(link.linkId, { choice: 'all' }, { mayBeRefused: true });
  },
  dispute: async (load: Refunding, link: PaidLink) => {
    await Promise.all([load.dispute(link), load.refund(link.linkId, part(FIRST_CENTS))]);
  },
};

type Plan = (load: Refunding, link: PaidLink) => Promise<unknown>;

const CARD_PLANS: readonly Plan[] = Object.values(PLANS);

/** Only a debit can be taken back, with what was not refunded before. */
const DEBIT_PLANS: readonly Plan[] = [
  PLANS.all,
  PLANS.bothParts,
  PLANS.atBoth,
  (load, link) => load.reverse(link),
  async (load, link) => {
    await load.refund(link.linkId, part(FIRST_CENTS));
    await load.reverse(link);
  },
];

/** Opens the console. After that, links can be refunded while processes and connections die. */
export async function openRefunds(options: RefundOptions) {
  const caller = new Caller(options);
  const load = new Refunding(caller, await ConsoleForms.open(caller, options.practice), options);
  return {
    evidence: load,
    /** Answers that no fault excuses. */
    wrongAnswers: caller.wrongAnswers,
    /** Refunds or disputes a link in one of the ways that a run knows. Resolves when that is confirmed. */
    async refund(link: PaidLink): Promise<void> {
      await options.random.pick(link.method === 'bank_settles' ? DEBIT_PLANS : CARD_PLANS)(load, link);
    },
    /** Simulates the refund of a new test link. */
    simulate: () => load.simulate(),
  };
}

/** Refunds paid links, and simulates refunds of test links. Resolves when the console is open, before the first refund. */
export async function startRefundLoad(options: RefundLoadOptions) {
  const { links, spreadMs } = options;
  const refunds = await openRefunds(options);
  /** Resolves when the last refund is confirmed. */
  const done = (async () => {
    const started: Promise<void>[] = [];
    for (const link of links) {
      started.push(refunds.refund(link), refunds.simulate());
      await pause(spreadMs / links.length);
    }
    await Promise.all(started);
  })();
  return { evidence: refunds.evidence, wrongAnswers: refunds.wrongAnswers, done };
}

/** Makes refunds and disputes, and records what is known of them. */
class Refunding implements RefundEvidence {
  readonly asked = new Map<string, AskedRefund>();
  readonly madeOutside = new Map<string, number>();
  readonly simulated = new Map<string, number>();
  readonly #caller: Caller;
  readonly #forms: ConsoleForms;
  readonly #practice: RefundingPractice;
  readonly #query: Query;
  readonly #random: Random;

  constructor(caller: Caller, forms: ConsoleForms, { practice, query, random }: RefundOptions) {
    this.#caller = caller;
    this.#forms = forms;
    this.#practice = practice;
    this.#query = query;
    this.#random = random;
  }

  /** Refunds in the console. `times`: the form is sent so often at once. */
  async refund(linkId: string, typed: TypedRefund, { times = 1, mayBeRefused = false } = {}): Promise<void> {
    const form = await this.#forms.review(linkId, typed, mayBeRefused);
    if (form === null) return;
    const asked = { linkId, cents: Number(form.amount_cents), isConfirmed: false };
    this.asked.set(form.refund, asked);
    const sent = Array.from({ length: times }, () => this.#forms.confirm(linkId, form, mayBeRefused));
    asked.isConfirmed = (await Promise.all(sent)).includes(true);
  }

  /** Refunds at the processor. One notification in two is lost. */
  async refundOutside({ payment }: PaidLink, cents: number, isNotified = this.#isNotified()): Promise<void> {
    const reference = await refundOutside(this.#query, { payment, cents, isNotified });
    this.madeOutside.set(reference, cents);
  }

  /** Opens a dispute at the processor, and closes it a moment later. */
  async dispute({ payment }: PaidLink): Promise<void> {
    const isNotified = this.#isNotified();
    const act = { payment, cents: PAID_CENTS, isNotified, isBankReversal: false };
    const reference = await disputeOutside(this.#query, act);
    await pause(this.#random.integer(0, 2_000));
    const outcome = this.#random.pick(['won', 'lost'] as const);
    await closeDisputeOutside(this.#query, { reference, outcome, isNotified: this.#isNotified() });
  }

  /** Lets the bank take a debit back. */
  async reverse({ payment }: PaidLink): Promise<void> {
    const act = { payment, cents: PAID_CENTS, isNotified: this.#isNotified(), isBankReversal: true };
    await disputeOutside(this.#query, act);
  }

  /** Creates a test link, pays it and refunds it, by the API alone. */
  async simulate(): Promise<void> {
    const { testKey } = this.#practice;
    const post = (path: string, body: object, idempotencyKey?: string) =>
      this.#caller.post(testKey, path, body, isDone, idempotencyKey);
    const created = await post('/api/v1/payment-links', LINK, randomUUID());
    if (created === null) return;
    const { id } = JSON.parse(created.text) as { id: string };
    if ((await post(`/api/v1/payment-links/${id}/simulate`, { outcome: 'paid' })) === null) return;
    const cents = this.#random.pick([PAID_CENTS, SECOND_CENTS]);
    const refunded = await post(`/api/v1/test-helpers/payment-links/${id}/refund`, { amount: cents / 100 });
    if (refunded !== null) this.simulated.set(id, cents);
  }

  #isNotified(): boolean {
    return this.#random.next() < 0.5;
  }
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
