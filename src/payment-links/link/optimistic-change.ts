import { auditRows } from '../../audit/record.ts';
import { ApiError } from '../../base/errors.ts';
import type { Scope } from '../../base/scope.ts';
import { BUSY, batched, LOCK_WAIT_MS, type LockWait, REQUEST_LIMITS } from '../../database/query/batch.ts';
import { rowJson } from '../../database/query/columns.ts';
import { sql } from '../../database/query/sql.ts';
import { inPlace } from '../../database/query/transaction.ts';
import { deliveriesOf, deliveryRows, reportEvent, reportQueued, testEventRows } from '../../webhooks/events/publish.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import { linkActBetween } from './acts.ts';
import { domainEventsOf } from './change.ts';
import type { LinkChanges } from './decide.ts';
import { type LinkRef, MAX_LINKS, type ReadState, readStates } from './read-states.ts';
import { paymentsOf, reportPayment } from './report-payment.ts';
import type { Decision, LinkState } from './state.ts';

/*
 * Changes that need nothing but the link, by the API, the office and the hosted page of a test link. They take the same
 * three phases as `change.ts`, without a lock in the first two:
 *
 * 1. Read the states of all links of a batch, in one statement.
 * 2. Decide: a pure function of `decide.ts`, link by link.
 * 3. Write all decisions in one statement, `change_links`. It locks the links and writes those that are as they were read.
 *
 * No transaction stays open between two round trips, so a process that stops leaves no lock behind.
 */

/** A change of one link. Its decision sees a state that may be out of date; then the change is stale. */
interface Change {
  scope: Scope;
  link: LinkRef;
  decide: (state: LinkState) => Decision;
}

/** Result of a change. A stale one wrote nothing and has to be repeated. */
type Changed = { outcome: 'changed'; state: LinkState } | { outcome: 'refused'; error: unknown } | { outcome: 'stale' };

/** Limit of tries. In each, some other process or transaction has changed the link or an endpoint. */
const MAX_TRIES = 10;

/**
 * Changes one link, if its reader sees it.
 *
 * @param decide decides on the state, without side effects; it is called again if the state was out of date
 * @returns the state after the change
 * @throws ApiError `not_found`; errors of `decide`; nothing is written then
 */
export type ChangeLink = (scope: Scope, link: LinkRef, decide: (state: LinkState) => Decision) => Promise<LinkState>;

/** Creates the function that changes the links of one process. Concurrent changes share statements. */
export function createLinkChanger(): ChangeLink {
  const change = batched(changeAll, {
    ...REQUEST_LIMITS,
    size: MAX_LINKS,
    laneOf: ({ link }: Change) => link.reader?.practiceId ?? link.id,
  });
  return (scope, link, decide) => untilCurrent(() => change({ scope, link, decide }));
}

/** Changes one link at once, by statements of its own. It takes a place of the practice's limiter, if there is one. */
export const changeLinkAlone: ChangeLink = (scope, link, decide) =>
  untilCurrent(() =>
    inPlace(scope, async (scope) => {
      const [changed] = await changeAll([{ scope, link, decide }], 'fully');
      if (changed === undefined || changed === BUSY)
        throw new Error('a change that waits fully for locks has a result');
      return changed;
    }),
  );

async function untilCurrent(change: () => Promise<Changed>): Promise<LinkState> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const changed = await change();
    switch (changed.outcome) {
      case 'changed':
        return changed.state;
      case 'refused':
        throw changed.error;
      case 'stale':
        break;
      default:
        changed satisfies never;
        throw new Error('a change has an unknown outcome');
    }
  }
  throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
}

/** A link of a batch, with its state and events after all decisions of the batch so far. */
interface Draft {
  read: ReadState;
  state: LinkState;
  events: Decision['events'];
  matchesPatient: boolean;
  /** Rows of the audit log, one per change that changed something. */
  acts: object[];
}

/** Changes links by one read and one write. Several changes of one link are decided one after the other. */
async function changeAll(changes: readonly Change[], wait: LockWait): Promise<(Changed | typeof BUSY)[]> {
  const [first] = changes;
  if (first === undefined) return [];
  // Scopes differ in the caller, which each link names itself, and in the actor.
  const { scope } = first;
  const links = changes.map(({ link }) => link);
  const reads = await readStates(scope, links);
  const drafts = new Map<string, Draft>();
  const decided = changes.map(({ scope, decide }, index) => {
    const read = reads[index] ?? null;
    if (read === null) return { draft: null, changed: refused(new ApiError('not_found')) };
    const { id } = read.state.link;
    const draft = drafts.get(id) ?? { read, state: read.state, events: [], matchesPatient: false, acts: [] };
    drafts.set(id, draft);
    return { draft, changed: decideOn(scope, draft, decide) };
  });
  const outcomes = await write(scope, [...drafts.values()], wait);
  return decided.map(({ draft, changed }) => {
    const outcome = (draft !== null && outcomes.get(draft)) || 'changed';
    switch (outcome) {
      case 'changed':
        return changed;
      // Also refusals: they may result from earlier decisions of the batch, which were not written.
      case 'stale':
        return { outcome };
      case 'busy':
        return BUSY;
      default:
        outcome satisfies never;
        throw new Error('change_links returned an unknown outcome');
    }
  });
}

/** Decides on the draft, and adds the decision to it. An error refuses this change only. */
function decideOn(scope: Scope, draft: Draft, decide: Change['decide']): Changed {
  try {
    const decision = decide(draft.state);
    requireWritable(draft.state, decision);
    const act = linkActBetween(draft.state, decision.state);
    if (act !== null) draft.acts.push(...auditRows(scope, [act]));
    draft.state = decision.state;
    draft.events = [...draft.events, ...decision.events];
    draft.matchesPatient ||= decision.patient === 'match';
    return { outcome: 'changed', state: decision.state };
  } catch (error) {
    return refused(error);
  }
}

function refused(error: unknown): Changed {
  return { outcome: 'refused', error };
}

/** Properties of a link that `change_links` writes together, when it is closed or when its fields change. */
const CLOSING = ['status', 'paidAt', 'closedAt', 'closedBy'] as const satisfies (keyof PaymentLink)[];
const FIELDS = [
  ...(['amountCents', 'description', 'externalReference', 'metadata'] as const),
  ...(['patientPhone', 'patientEmail', 'expiresAt'] as const),
] as const satisfies (keyof LinkChanges)[];

const WRITTEN: ReadonlySet<string> = new Set([...CLOSING, ...FIELDS]);

/** @throws Error for a decision that `change_links` cannot write: it needs a transaction, by `change.ts` */
function requireWritable(before: LinkState, { state, patient }: Decision): void {
  const lost = Object.entries(state.link).filter(
    ([name, value]) => !WRITTEN.has(name) && value !== before.link[name as keyof PaymentLink],
  );
  if (lost.length > 0) throw new Error(`change_links does not write ${lost.map(([name]) => name).join(', ')}`);
  if (patient === 'record' && !state.link.test) throw new Error('change_links makes no patient record');
  if (before.transaction !== null && state.transaction !== before.transaction)
    throw new Error('change_links changes no transaction');
}

/** Writes what the drafts have changed, by one statement. Returns the outcome of each draft with a change. */
async function write(scope: Scope, all: readonly Draft[], wait: LockWait): Promise<Map<Draft, Outcome>> {
  const rows = all.map(rowOf).filter((row) => row !== null);
  if (rows.length === 0) return new Map();
  const now = scope.clock.now();
  const published = rows.flatMap(({ draft }) =>
    domainEventsOf(scope, draft.events).map((event) => ({
      ...{ draft, event },
      deliveries: deliveriesOf(event, draft.read.endpoints),
    })),
  );
  const deliveries = published.flatMap((event) => event.deliveries);
  const testEvents = published.filter(({ draft }) => draft.read.hasReaders).map(({ event }) => event);
  const eventRows = [...deliveryRows(deliveries, now), ...testEventRows(testEvents, now)];
  const outcomes = await sql<{ outcome: Outcome }>(
    scope.em,
    'select * from change_links($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as outcome',
    [
      ...[
        rows.map(({ draft }) => draft.read.state.link.id),
        rows.map(({ draft }) => String(draft.read.state.link.version)),
      ],
      rows.map(({ draft: { events, read } }) => (events.length === 0 ? null : read.subscriptions)),
      ...[rows.map(({ closing }) => closing), rows.map(({ fields }) => fields)],
      ...[rows.map(({ draft }) => String(draft.matchesPatient)), rows.map(({ transaction }) => transaction)],
      ...[JSON.stringify(eventRows), now, scope.clock.shared()],
      ...[LOCK_WAIT_MS[wait], wait === 'never'],
    ],
    { keepPlan: true },
  );
  const written = new Map(
    rows.map(({ draft }, index) => {
      const outcome = outcomes[index]?.outcome;
      if (outcome === undefined) throw new Error('change_links returns an outcome for each link');
      return [draft, outcome];
    }),
  );
  for (const { draft, event, deliveries } of published) {
    if (written.get(draft) === 'changed') reportEvent(event, deliveries);
  }
  for (const [draft, outcome] of written) {
    const { link, transaction } = draft.read.state;
    if (outcome === 'changed') reportPayment(link, transaction, paymentsOf(draft));
  }
  reportQueued(() => {
    const changed = rows.filter(({ draft }) => written.get(draft) === 'changed');
    const linkIds = new Set(changed.map(({ draft }) => draft.read.state.link.id));
    return eventRows.filter(({ payment_link_id: id }) => id !== null && linkIds.has(id));
  });
  return written;
}

/** Outcomes of `change_links`; the comment of the function explains them. */
type Outcome = 'changed' | 'stale' | 'busy';

/** Returns what `change_links` writes for the draft; null if nothing has changed. */
function rowOf(draft: Draft) {
  const { link: before, transaction: transactionBefore } = draft.read.state;
  const { link, transaction } = draft.state;
  const { acts } = draft;
  const rowWith = (names: readonly (keyof PaymentLink)[], acts: readonly object[]) =>
    rowJson({ ...Object.fromEntries(names.map((name) => [name, link[name]])), acts });
  const isClosed = CLOSING.some((name) => link[name] !== before[name]);
  // A patient is matched by the fields, even if they stay: since the last match a record may have been made.
  const hasFields =
    draft.matchesPatient || (!isClosed && acts.length > 0) || FIELDS.some((name) => link[name] !== before[name]);
  const isPaid = transaction !== null && transaction !== transactionBefore;
  if (!isClosed && !hasFields && !isPaid && draft.events.length === 0) return null;
  return {
    draft,
    closing: isClosed ? rowWith(CLOSING, acts) : null,
    fields: hasFields ? rowWith(FIELDS, isClosed ? [] : acts) : null,
    transaction: isPaid ? rowJson(transaction) : null,
  };
}
