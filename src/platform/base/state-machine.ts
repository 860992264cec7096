/** From → event → to. Transitions that are not in the table are impossible. */
export type StateMachine<State extends string, Event extends string> = {
  readonly [From in State]: Readonly<Partial<Record<Event, State>>>;
};

export function transition<State extends string, Event extends string>(
  machine: StateMachine<State, Event>,
  from: State,
  event: Event,
): State | null {
  return machine[from][event] ?? null;
}

/** Lists states for the WHERE clause of a set-based statement. */
export function statesBefore<State extends string, Event extends string>(
  machine: StateMachine<State, Event>,
  event: Event,
): State[] {
  // The keys of a StateMachine<State, …> are its states, but Object.keys returns string[].
  return (Object.keys(machine) as State[]).filter((from) => machine[from][event] !== undefined);
}

/** @throws Error if the event leads to several states or to none */
export function stateAfter<State extends string, Event extends string>(
  machine: StateMachine<State, Event>,
  event: Event,
): State {
  const [to, ...otherStates] = new Set(statesBefore(machine, event).map((from) => transition(machine, from, event)));
  if (to === undefined || to === null || otherStates.length > 0) throw new Error(`${event} does not lead to one state`);
  return to;
}
