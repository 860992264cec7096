import { auditRows } from '../../audit/record.ts';
import { ApiError } from '../../base/errors.ts';
import type { Scope } from '../../base/scope.ts';
import { BUSY, batched, type LockWait, REQUEST_LIMITS } from '../../database/query/batch.ts';
import { inPlace } from '../../database/query/transaction.ts';
import { linkActBetween } from './acts.ts';
import { followedBy, unchanged } from './decide.ts';
import { type LinkRef, MAX_LINKS, readStates } from './read-states.ts';
import type { Decision, LinkState } from './state.ts';
import { type LinkWrite, writeLinks } from './write-links.ts';

/*
 * Changes that need nothing but the link, by the API, the office and the hosted page of a test link. They take the same
 * three phases as `change.ts`, without a lock in the first two:
 *
 * 1. Read the states of all links of a batch, in one statement.
 * 2. Decide: a pure function of `decide.ts`, link by link.
 * 3. Write all decisions in one statement, `write_links`. It locks the links and writes those that are as they were read.
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

/** A link of a batch, with the decisions of the batch so far as one. */
type Draft = LinkWrite & { acts: object[] };

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
    const draft = drafts.get(id) ?? { scope, read, decision: unchanged(read.state), acts: [] };
    drafts.set(id, draft);
    return { draft, changed: decideOn(scope, draft, decide) };
  });
  const written = [...drafts.values()];
  const outcomes = await writeLinks(written, wait);
  const outcomeOf = new Map(written.map((draft, index) => [draft, outcomes[index] ?? 'written']));
  return decided.map(({ draft, changed }) => {
    const outcome = (draft !== null && outcomeOf.get(draft)) || 'written';
    switch (outcome) {
      case 'written':
        return changed;
      // Also refusals: they may result from earlier decisions of the batch, which were not written.
      case 'stale':
        return { outcome };
      case 'locked':
        return BUSY;
      default:
        outcome satisfies never;
        throw new Error('write_links returned an unknown outcome');
    }
  });
}

/** Decides on the draft, and adds the decision to it. An error refuses this change only. */
function decideOn(scope: Scope, draft: Draft, decide: Change['decide']): Changed {
  try {
    const { state: before } = draft.decision;
    draft.decision = followedBy(draft.decision, decide);
    const { state } = draft.decision;
    const act = linkActBetween(before, state);
    if (act !== null) draft.acts.push(...auditRows(scope, [act]));
    return { outcome: 'changed', state };
  } catch (error) {
    return refused(error);
  }
}

function refused(error: unknown): Changed {
  return { outcome: 'refused', error };
}
