import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, Caller, type CallerOptions, jsonCall } from './caller.ts';
import type { ChaosPractice } from './setup.ts';

/** Requests of callers and their answers. */
export type Load = ReturnType<typeof startLoad>;

export interface LoadOptions extends CallerOptions {
  practices: ChaosPractice[];
  links: number;
  /** Time over which the links are spread. */
  spreadMs: number;
  /** Called with the status of each answer to a create, at its moment. */
  observeCreate?: (status: number) => void;
}

/** Shares of the outcomes of links, in tenths. */
const OUTCOMES = [
  ...Array<string>(5).fill('paid'),
  ...['processing_then_paid', 'processing', 'failed', 'expired', 'cancel'],
];

/** Keys in an order that a sorting store would change. */
const METADATA = { zebra: 'last first', chart: 'A-17', b: '2', aa: '1' };

const LINKS = '/api/v1/payment-links';

/** Creates links and ends them, as callers do who repeat what got no final answer. */
export function startLoad(options: LoadOptions) {
  const { practices, links, spreadMs, random } = options;
  /** Links by id, with the status that an API confirmed last. */
  const confirmed = new Map<string, string>();
  const caller = new Caller(options);
  const weighted = practices.flatMap((practice) => Array.from({ length: practice.share }, () => practice));
  const everyMs = spreadMs / links;
  let isStopped = false;
  /** Resolves when the last link has its outcome. */
  const done = (async () => {
    const started: Promise<void>[] = [];
    for (let n = 0; n < links && !isStopped; n++) {
      const work = { key: random.pick(weighted).testKey, outcome: random.pick(OUTCOMES) };
      started.push(completeLink(caller, work, confirmed, options.observeCreate));
      await pause(everyMs);
    }
    await Promise.all(started);
  })();
  return {
    confirmed,
    wrongAnswers: caller.wrongAnswers,
    failures: caller.failures,
    done,
    /** Starts no further link. */
    stop() {
      isStopped = true;
    },
  };
}

/** Creates one link and moves it to its outcome. */
async function completeLink(
  caller: Caller,
  { key, outcome }: { key: string; outcome: string },
  confirmed: Map<string, string>,
  observeCreate: LoadOptions['observeCreate'],
): Promise<void> {
  const idempotencyKey = randomUUID();
  const body = {
    amount: 125.5,
    description: 'Cleaning',
    patient: { firstName: 'Ada', lastName: 'Byron' },
    externalReference: idempotencyKey,
    metadata: METADATA,
  };
  const created = await caller.send(jsonCall(key, LINKS, body, idempotencyKey), isFinal, observeCreate);
  if (created?.status !== 201) return;
  const { id } = JSON.parse(created.text) as { id: string };
  confirmed.set(id, 'active');
  const path = `${LINKS}/${id}`;
  const changed =
    outcome === 'cancel'
      ? await caller.post(key, `${path}/cancel`, {}, isFinal)
      : await caller.post(key, `${path}/simulate`, { outcome }, isFinal);
  // A 409 means that an earlier try succeeded and its answer was lost.
  if (changed !== null)
    confirmed.set(id, outcome === 'cancel' ? 'cancelled' : outcome === 'expired' ? 'expired' : 'paid');
}

/** Returns true for success, and for a conflict after an earlier try whose answer was lost. */
function isFinal({ status, text }: Answer): boolean {
  return status === 200 || status === 201 || (status === 409 && text.includes('"link_not_active"'));
}
