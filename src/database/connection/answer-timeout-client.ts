import type { Client } from 'pg';
import { OutOfTime, remainingMs } from '../../base/time/time-budget.ts';
import { preparedName } from '../query/sql.ts';
import { watchOf } from './connection-watch.ts';
import { SessionClient, type SessionConfig } from './session-client.ts';

/** What a connection is made with. */
export interface AnswerTimeoutConfig extends SessionConfig {
  /** How long the server may leave a query unanswered before the connection is given up, in milliseconds. */
  answerTimeoutMillis?: number;
}

type Query = (...args: unknown[]) => unknown;

/**
 * A connection that is given up when the server leaves a query unanswered, or when the operation that asked has no time
 * left. pg's own `query_timeout` only rejects the query: the connection goes back to its pool with the dead query still
 * on it, and every later query waits behind that one, long after new connections would work again.
 *
 * The connection is closed and the statement not cancelled: a cancelled COMMIT that waits for a synchronous standby
 * would be reported as done, although no standby has it. The server notices the close by `client_connection_check_interval`,
 * ends what is running and lets go of its locks; a COMMIT it completes. Either way nothing is told that isn't so.
 */
export class AnswerTimeoutClient extends SessionClient {
  constructor(config: AnswerTimeoutConfig = {}) {
    super(config);
    prepareOurs(this);
    answerInTime(this, config);
  }
}

/** Has our own statements parsed and planned once per connection: for the hot ones that costs as much as running them. */
function prepareOurs(client: Client): void {
  const query: Query = client.query.bind(client);
  const preparing: Query = (...args) => {
    const [text, values] = args;
    const name = typeof text === 'string' && Array.isArray(values) ? preparedName(text) : undefined;
    return name === undefined ? query(...args) : query({ name, text, values });
  };
  Object.assign(client, { query: preparing });
}

/** On the instance, because the overloads of `query` can't be spelled twice; only promises are of interest. */
function answerInTime(client: Client, config: AnswerTimeoutConfig): void {
  const query: Query = client.query.bind(client);
  const connect: Query = client.connect.bind(client);
  const watch = watchOf(client);
  const connecting: Query = (...args) => {
    watch.add(client, config);
    return connect(...args);
  };
  const timed: Query = (...args) => {
    const leftMs = remainingMs();
    // Its caller has been answered. Sent nevertheless, it could still change something.
    if (leftMs <= 0 && givesPromise(args)) return Promise.reject(new OutOfTime());
    const result = query(...args);
    if (!(result instanceof Promise)) return result;
    const settled = watch.expect(client, Math.min(leftMs, config.answerTimeoutMillis ?? Number.POSITIVE_INFINITY));
    result.then(settled, (error: unknown) => {
      settled();
      if (isOfStandby(error)) client.connection.stream.destroy();
    });
    return result;
  };
  Object.assign(client, { connect: connecting, query: timed });
}

/** pg's queries take a callback last, or an object that does the work itself. */
function givesPromise(args: unknown[]): boolean {
  const [first] = args;
  const submits = typeof first === 'object' && first !== null && 'submit' in first;
  return !submits && typeof args.at(-1) !== 'function';
}

/** The server was demoted: to write, one must connect anew and meet its successor. */
function isOfStandby(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '25006';
}
