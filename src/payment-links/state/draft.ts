import type { AttemptState, Decision, LinkState, TransactionState } from './state.ts';

/**
 * Draft of a change: the state so far, and what the change causes. A decision function gets a draft of the present state, and changes
 * nothing else. A state object is never changed: the draft replaces it.
 */
export class Draft implements Decision {
  state: LinkState;
  events: Decision['events'] = [];
  patient: Decision['patient'];
  mails: Decision['mails'] = [];
  acts: Decision['acts'] = [];
  reports: Decision['reports'] = [];

  constructor(state: LinkState) {
    this.state = state;
  }

  setLink(fields: Partial<LinkState['link']>): void {
    this.state = { ...this.state, link: { ...this.state.link, ...fields } };
  }

  setTransaction(fields: Partial<TransactionState>): void {
    this.state = { ...this.state, transaction: { ...requirePayment(this.state), ...fields } };
  }

  setAttempt(attemptId: string, fields: Partial<AttemptState>): void {
    this.put('attempts', { ...requireAttempt(this.state, attemptId), ...fields });
  }

  /** Replaces the row with the same id, or adds the row at the end. */
  put<Part extends 'attempts' | 'refunds' | 'disputes' | 'reversals'>(part: Part, row: LinkState[Part][number]): void {
    const rows: readonly { id: string }[] = this.state[part];
    const isKnown = rows.some(({ id }) => id === row.id);
    const after = isKnown ? rows.map((before) => (before.id === row.id ? row : before)) : [...rows, row];
    this.state = { ...this.state, [part]: after };
  }

  /** Adds an event that shows the state so far. */
  addEvent(event: Decision['events'][number]['event']): void {
    this.events.push({ event, state: this.state });
  }

  log(level: 'warn' | 'error', fields: object, message: string): void {
    this.reports.push({ kind: 'log', level, fields, message });
  }

  /** Adds an error to the log, and a mail that asks the administrator to act. */
  alarm(fields: object, message: string, mail: Decision['mails'][number]): void {
    this.log('error', fields, message);
    this.mails.push(mail);
  }
}

/** Returns the payment of a paid link. */
export function requirePayment({ link, transaction }: LinkState): TransactionState {
  if (transaction === null) throw new Error(`link ${link.id} has no transaction`);
  return transaction;
}

/** Returns the attempt with this id. @throws Error if the state lacks it: the link must have been read by this attempt */
export function requireAttempt({ attempts }: LinkState, attemptId: string): AttemptState {
  const attempt = attempts.find(({ id }) => id === attemptId);
  if (attempt === undefined) throw new Error(`the state lacks the attempt ${attemptId}`);
  return attempt;
}

/** Returns the transaction that the attempt made. Null for a second payment of a paid link. */
export function findTransaction({ transaction }: LinkState, { id }: Pick<AttemptState, 'id'>): TransactionState | null {
  return transaction?.attemptId === id ? transaction : null;
}
