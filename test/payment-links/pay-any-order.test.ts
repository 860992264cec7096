import { expect } from 'chai';
import fc from 'fast-check';
import { createRefund } from '../../src/payment-links/refund/create-refund.ts';
import type { Processor } from '../../src/processors/processor.ts';
import type { PayableLink } from '../harness/payments.ts';
import type { FakeEvent } from '../processors/fake-stripe-books.ts';
import { StripeService } from './stripe-service.ts';

/** The process dies here. */
class Crash extends Error {}

/** Course of a payment, and the point at which our process dies. */
interface Scenario {
  method: 'success' | 'declined' | 'challenge' | 'bankSettles';
  /** The patient passes the challenge; the debit settles. */
  succeeds: boolean;
  /** Before the processor is asked; once it began; before it charges; after it; the answer is lost on the way. */
  crash: 'never' | 'before' | 'begun' | 'unconfirmed' | 'after' | 'lost';
  books: boolean;
  refund: 'none' | 'ours' | 'dashboard' | 'both';
  /** The process dies between the reservation of our refund and the processor, or after it. */
  refundCrash: 'never' | 'before' | 'after';
  /** The refunds that are at Stripe by then come back. */
  refundsFail: boolean;
  dispute: 'none' | 'open' | 'won' | 'lost' | 'reversal';
  /** No message ever arrives: only the sweep finds out. */
  silent: boolean;
  /** Interference between the steps: events that are delivered, and runs of the sweep. Numbers choose events. */
  noise: { deliver: number[]; sweep: boolean; atOnce: boolean }[];
  /** Keys that give the order of the other events. Some events are delivered again, under the same id or a new one. */
  rest: number[];
}

/** Crashes after which nothing can have been charged. */
const UNCONFIRMED: ReadonlySet<Scenario['crash']> = new Set(['before', 'begun', 'unconfirmed']);

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  method: fc.constantFrom('success', 'declined', 'challenge', 'bankSettles'),
  succeeds: fc.boolean(),
  crash: fc.constantFrom('never', 'before', 'begun', 'unconfirmed', 'after', 'lost'),
  books: fc.boolean(),
  refund: fc.constantFrom('none', 'ours', 'dashboard', 'both'),
  refundCrash: fc.constantFrom('never', 'before', 'after'),
  refundsFail: fc.boolean(),
  silent: fc.boolean(),
  dispute: fc.constantFrom('none', 'open', 'won', 'lost', 'reversal'),
  noise: fc.array(
    fc.record({ deliver: fc.array(fc.nat(20), { maxLength: 4 }), sweep: fc.boolean(), atOnce: fc.boolean() }),
    { minLength: 5, maxLength: 5 },
  ),
  rest: fc.array(fc.nat(1000), { minLength: 1, maxLength: 20 }),
});

/** Runs the seed of the environment, or a new one each time. It is printed, so that a failure can be repeated. */
const seed = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);
const RUNS = Number(process.env.FC_RUNS ?? 25);

describe(`any order of messages and a crash anywhere end in the same state (FC_SEED=${seed})`, function () {
  this.timeout(300_000);
  let stripe: StripeService;

  before(async () => {
    stripe = await StripeService.start();
  });

  after(() => stripe.close());

  it('a link has at most one charge, and each event exactly once', async () => {
    await fc.assert(fc.asyncProperty(scenarios, run), { seed, numRuns: RUNS, endOnFailure: true });
  });

  async function run(scenario: Scenario): Promise<void> {
    const { books } = stripe.stripe;
    const link = await stripe.link({ amount: 100 });
    books.events.length = 0;
    const events: FakeEvent[] = [];
    const before = books.charged(stripe.account);
    const noise = [...scenario.noise];
    const pause = async () => {
      events.push(...books.events.splice(0));
      await makeNoise(scenario.silent ? [] : events, noise.shift());
    };

    await submit(link, scenario);
    await pause();
    const intent = intentOf(events, link);
    if (intent !== null) {
      books.finishAction(stripe.account, intent, scenario.succeeds);
      await pause();
      books.finishDebit(stripe.account, intent, scenario.succeeds);
      await pause();
      await afterwards(link, intent, scenario);
    }
    await pause();
    events.push(...books.events.splice(0));
    if (scenario.silent) await findOut();
    else await settle(events, scenario.rest);

    const charged = books.charged(stripe.account) - before;
    expect(charged).to.be.lessThanOrEqual(1);
    await check(link, scenario, charged === 1, intent);
  }

  /** The patient's click, and our process dying on it. */
  async function submit(link: PayableLink, { method, crash }: Scenario): Promise<void> {
    const dying: Processor = {
      ...stripe.processor,
      async begin(intent) {
        if (crash === 'before') throw new Crash();
        const reference = await stripe.processor.begin(intent);
        if (crash === 'begun') throw new Crash();
        return reference;
      },
      async confirm(charge, reference) {
        if (crash === 'unconfirmed') throw new Crash();
        const snapshot = await stripe.processor.confirm(charge, reference);
        if (crash === 'after') throw new Crash();
        return snapshot;
      },
    };
    if (crash === 'lost') stripe.stripe.faults.push({ match: '/confirm', kind: 'lost', times: 2 });
    await stripe.pay(link, method, dying).catch((error) => {
      if (!(error instanceof Crash)) throw error;
    });
    stripe.stripe.faults.length = 0;
    // Again, in a second tab.
    if (method !== 'declined') expect(await stripe.pay(link, method)).to.equal('not_payable');
  }

  /** Steps that may follow a payment that succeeded. */
  async function afterwards(link: PayableLink, intent: string, scenario: Scenario): Promise<void> {
    const { books } = stripe.stripe;
    if (!takesMoney(scenario)) return;
    if (scenario.books) books.book(stripe.account, intent, 320);
    if (scenario.refund === 'dashboard' || scenario.refund === 'both') {
      books.refundInDashboard(stripe.account, intent, 2500);
    }
    if (scenario.refund === 'ours' || scenario.refund === 'both') await refundOurs(link, scenario);
    if (scenario.refundsFail) books.failRefunds(stripe.account, intent);
    if (scenario.dispute === 'reversal') {
      books.openDispute(stripe.account, intent, { amount: 1000, reason: 'insufficient_funds' });
    } else if (scenario.dispute !== 'none') {
      const dispute = books.openDispute(stripe.account, intent, { amount: 10_000, reason: 'fraudulent' });
      if (scenario.dispute !== 'open') books.closeDispute(stripe.account, dispute, scenario.dispute);
    }
  }

  /** The office refunds; it can only once it knows of the payment. */
  async function refundOurs(link: PayableLink, { refundCrash }: Scenario): Promise<void> {
    stripe.service.clock.advance({ hours: 7 });
    await stripe.sweep();
    const dying: Processor = {
      ...stripe.processor,
      async refund(request) {
        if (refundCrash === 'before') throw new Crash();
        const snapshot = await stripe.processor.refund(request);
        if (refundCrash === 'after') throw new Crash();
        return snapshot;
      },
    };
    await createRefund(stripe.service.scope(), dying, link.id, 4000, 'goodwill').catch((error) => {
      if (!(error instanceof Crash)) throw error;
    });
  }

  /** Delivers some of the messages so far, in any order, perhaps several at once. Perhaps runs the sweep. */
  async function makeNoise(events: FakeEvent[], noise: Scenario['noise'][number] | undefined): Promise<void> {
    if (noise === undefined || events.length === 0) return;
    const chosen = noise.deliver.flatMap((number) => events[number % events.length] ?? []);
    if (noise.atOnce) await Promise.all(chosen.map((event) => stripe.deliver(event)));
    else for (const event of chosen) await stripe.deliver(event);
    if (!noise.sweep) return;
    const workers = noise.atOnce ? 3 : 1;
    await Promise.all(Array.from({ length: workers }, () => stripe.sweep()));
  }

  /** Every message arrives after all, shuffled and repeated, and time passes. */
  async function settle(events: FakeEvent[], keys: number[]): Promise<void> {
    const again = events.slice(0, keys.length).map((event, index) => {
      const key = keys[index] ?? 0;
      return key % 2 === 0 ? event : { ...event, id: `${event.id}_${key}` };
    });
    const shuffled = [...events, ...again]
      .map((event, index) => ({ event, key: ((keys[index % keys.length] ?? 0) * 7919 + index * 31) % 1009 }))
      .sort((a, b) => a.key - b.key);
    for (const { event } of shuffled) await stripe.deliver(event);
    for (let day = 0; day < 3; day++) {
      await stripe.sweep();
      stripe.service.clock.advance({ hours: 2 });
    }
    await stripe.sweep();
  }

  /** Days go by, and nobody says anything. */
  async function findOut(): Promise<void> {
    for (let day = 0; day < 4; day++) {
      await stripe.sweep();
      stripe.service.clock.advance({ days: 1 });
    }
    await stripe.sweep();
  }

  function takesMoney({ method, succeeds, crash }: Scenario): boolean {
    if (method === 'declined' || UNCONFIRMED.has(crash)) return false;
    return method === 'success' || succeeds;
  }

  async function check(link: PayableLink, scenario: Scenario, charged: boolean, intent: string | null): Promise<void> {
    const { status, transaction, refunds } = await stripe.seen(link);
    const events = await stripe.events(link);
    const isDebit = scenario.method === 'bankSettles' && !UNCONFIRMED.has(scenario.crash);
    // A debit that is under way counts as charged at Stripe until it is returned.
    expect(charged, JSON.stringify(events)).to.equal(takesMoney(scenario));
    const expected = [
      ...(isDebit ? ['processing', scenario.succeeds ? 'paid' : 'failed'] : charged ? ['paid'] : []),
      ...(charged ? afterPayment(scenario) : []),
    ];
    expect(events.slice(0, isDebit ? 2 : 1)).to.deep.equal(expected.slice(0, isDebit ? 2 : 1));
    const others = (all: string[]) => all.filter((event) => event !== 'refunded').sort();
    expect(others(events)).to.deep.equal(others(expected));
    const refunded = events.filter((event) => event === 'refunded').length;
    expect(events.indexOf('dispute_closed')).to.satisfy((at: number) => at < 0 || events.indexOf('disputed') < at);
    expect(status).to.equal(isDebit || charged ? 'paid' : 'active');
    if (!charged) expect(transaction?.status).to.equal(isDebit ? 'failed' : undefined);
    else {
      expect(transaction).to.include({ status: 'succeeded', amount: 100, fee: scenario.books ? 3.2 : null });
      // One that came back before we heard of it never was one here, and has no event.
      const there = await stripe.processor.retrieveRefunds({ id: stripe.account }, intent ?? '');
      const arrived = there.filter(({ state }) => state === 'succeeded').map(({ amountCents }) => amountCents);
      const ours: { amount: number; status: string }[] = refunds;
      const succeeded = ours.filter(({ status }) => status === 'succeeded').map(({ amount }) => amount * 100);
      const reversed = scenario.dispute === 'reversal' ? [1000] : [];
      expect(succeeded).to.have.members([...arrived, ...reversed]);
      expect(ours.filter(({ status }) => status === 'pending')).to.deep.equal([]);
      expect(refunded).to.be.within(succeeded.length, ours.length);
      if (!scenario.refundsFail) expect(refunded).to.equal(expected.filter((event) => event === 'refunded').length);
      expect(there.length, 'each refund was asked for once').to.equal(expectedRefunds(scenario));
    }
    const [row] = await stripe.service.query<{ open: string | null }>(
      'select open_attempt_id as open from payment_links where id = $1',
      [link.id],
    );
    expect(row?.open).to.equal(null);
  }

  function expectedRefunds({ refund }: Scenario): number {
    return { none: 0, ours: 1, dashboard: 1, both: 2 }[refund];
  }

  function afterPayment(scenario: Scenario): string[] {
    const { dispute } = scenario;
    const refunds = expectedRefunds(scenario);
    return [
      ...Array.from({ length: refunds + (dispute === 'reversal' ? 1 : 0) }, () => 'refunded'),
      ...(dispute === 'none' || dispute === 'reversal' ? [] : ['disputed']),
      ...(dispute === 'won' || dispute === 'lost' ? ['dispute_closed'] : []),
    ];
  }
});

/** The link's payment at Stripe, as its messages name it; null when it never got there. */
function intentOf(events: FakeEvent[], link: PayableLink): string | null {
  for (const { data } of events) {
    const object = data.object as { id: string; object: string; metadata?: Record<string, string> };
    if (object.object === 'payment_intent' && object.metadata?.payment_link === link.id) return object.id;
  }
  return null;
}
