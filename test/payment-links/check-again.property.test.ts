import { expect } from 'chai';
import fc from 'fast-check';
import type { Processor } from '../../src/processors/processor.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { Gate } from '../harness/gate.ts';
import { type PayableLink, Payments } from '../harness/payments.ts';

/** The process dies here. */
class Crash extends Error {}

/** A submission that stops somewhere, what patients do in between, and whether its process wakes up again. */
interface Scenario {
  stopsAt: 'begin' | 'begun' | 'confirm' | 'confirmed';
  wakesUp: boolean;
  between: ('check again' | 'submit' | 'pay another way' | 'sweep')[];
  /** Side by side, as in several windows, instead of one after the other. */
  atOnce: boolean;
}

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  stopsAt: fc.constantFrom('begin', 'begun', 'confirm', 'confirmed'),
  wakesUp: fc.boolean(),
  between: fc.array(fc.constantFrom('check again', 'submit', 'pay another way', 'sweep'), {
    minLength: 1,
    maxLength: 5,
  }),
  atOnce: fc.boolean(),
});

const seed = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);
const RUNS = Number(process.env.FC_RUNS ?? 40);

describe(`“Check again” while every submission is taken for dead (FC_SEED=${seed})`, function () {
  this.timeout(300_000);
  const service = useService();
  const practice = madeOnce(() => service.practice());
  const payments = new Payments(service);

  before(async () => {
    // The worst case of the submission marks: no process ever sees one.
    await service.query(
      `create function no_marks() returns trigger language plpgsql as $$
       begin
         new.submitting_until := null;
         return new;
       end $$;
       create trigger no_marks before update on payment_attempts for each row execute function no_marks()`,
    );
  });

  it('“Check again” lets a link be charged at most once, and always returns an outcome', async () => {
    await fc.assert(fc.asyncProperty(scenarios, run), { seed, numRuns: RUNS, endOnFailure: true });
  });

  async function run(scenario: Scenario): Promise<void> {
    const link = await payments.link(practice);
    const gate = new Gate();
    gate.close();
    const submitted = payments.pay(link, 'card_success', stopping(scenario, gate)).catch((error) => {
      if (!(error instanceof Crash)) throw error;
    });
    await gate.reached();
    if (!scenario.wakesUp) gate.open();
    if (!scenario.wakesUp) await submitted;
    const steps = scenario.between.map((step) => () => take(step, link));
    if (scenario.atOnce) await Promise.all(steps.map((step) => step()));
    else for (const step of steps) await step();
    gate.open();
    await submitted;
    service.clock.advance({ minutes: 20 });
    await payments.sweep();
    const charges = await payments.charges(link);
    expect(charges).to.be.lessThanOrEqual(1);
    const state = (await payments.pages().find(link.token))?.state;
    expect(state).to.equal(charges === 1 ? 'paid' : 'payable');
  }

  /** The sandbox, and a process that stops at one point of a submission: for good, or until the gate opens. */
  function stopping({ stopsAt, wakesUp }: Scenario, gate: Gate): Processor {
    const reach = async (point: Scenario['stopsAt']) => {
      if (point !== stopsAt) return;
      await gate.pass();
      if (!wakesUp) throw new Crash();
    };
    return {
      ...payments.sandbox,
      async begin(intent) {
        await reach('begin');
        const reference = await payments.sandbox.begin(intent);
        await reach('begun');
        return reference;
      },
      async confirm(charge, reference) {
        await reach('confirm');
        const snapshot = await payments.sandbox.confirm(charge, reference);
        await reach('confirmed');
        return snapshot;
      },
    };
  }

  async function take(step: Scenario['between'][number], link: PayableLink): Promise<void> {
    if (step === 'check again') await payments.pages().resume(link.token);
    if (step === 'submit') await payments.pay(link, 'card_success');
    if (step === 'pay another way') await payments.pages().cancelAttempt(link.token);
    if (step === 'sweep') {
      service.clock.advance({ minutes: 4 });
      await payments.sweep();
    }
  }
});
