/** A state machine as one table: from → event → to. What is not in the table cannot happen. */
export type StateMachine<State extends string, Event extends string> = {
  readonly [From in State]: Readonly<Partial<Record<Event, State>>>;
};

/** The state that follows, or null where the table has no such transition. */
export function transition<State extends string, Event extends string>(
  machine: StateMachine<State, Event>,
  from: State,
  event: Event,
): State | null {
  return machine[from][event] ?? null;
}

/** All states from which the event leads somewhere: what a set-based statement puts into its WHERE. */
export function statesBefore<State extends string, Event extends string>(
  machine: StateMachine<State, Event>,
  event: Event,
): State[] {
  // The keys of a StateMachine<State, …> are exactly its states; Object.keys only forgets that.
  return (Object.keys(machine) as State[]).filter((from) => machine[from][event] !== undefined);
}

/** All states from which the event leads nowhere. */
export function statesNotBefore<State extends string, Event extends string>(
  machine: StateMachine<State, Event>,
  event: Event,
): State[] {
  // As in statesBefore: Object.keys only forgets what the keys are.
  return (Object.keys(machine) as State[]).filter((from) => machine[from][event] === undefined);
}

/**
 * The one state that the event leads to, wherever it starts: what a set-based statement writes. Throws for an event that
 * leads to several, since such a statement couldn't tell which.
 */
export function stateAfter<State extends string, Event extends string>(
  machine: StateMachine<State, Event>,
  event: Event,
): State {
  const [to, ...others] = new Set(statesBefore(machine, event).map((from) => transition(machine, from, event)));
  if (to === undefined || to === null || others.length > 0) throw new Error(`${event} does not lead to one state`);
  return to;
}
