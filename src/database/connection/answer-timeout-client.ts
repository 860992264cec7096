import type { Client } from 'pg';
import { isReported, report } from '../../base/diagnostics.ts';
import { sqlState } from '../../base/sql-state.ts';
import { OutOfTime, remainingMs } from '../../base/time/time-budget.ts';
import { isOfStandby } from '../query/errors.ts';
import { preparedName } from '../query/plan-hints.ts';
import { watchOf } from './connection-watch.ts';
import { SessionClient, type SessionConfig } from './session-client.ts';

/** Configuration of a connection with an answer timeout. */
export interface AnswerTimeoutConfig extends SessionConfig {
  /** Time without an answer to a query after which the connection is closed, in milliseconds. */
  answerTimeoutMillis?: number;
}

type Query = (...args: unknown[]) => unknown;

/**
 * A connection that closes itself if the server leaves a query unanswered, or if the calling operation has no time
 * left. The `query_timeout` of pg only rejects the query: the connection returns to its pool with the dead query, and
 * every later query waits behind it.
 *
 * The client closes the connection and does not cancel the statement. A cancelled COMMIT that waits for a synchronous
 * standby would be reported as done, although no standby has it. The server detects the close by
 * `client_connection_check_interval`. Then it ends the statement and releases its locks, or completes a COMMIT.
 */
export class AnswerTimeoutClient extends SessionClient {
  constructor(config: AnswerTimeoutConfig = {}) {
    super(config);
    prepareOurs(this);
    answerInTime(this, config);
  }
}

/** Prepares statements with `keepPlan` once per connection. */
function prepareOurs(client: Client): void {
  const query: Query = client.query.bind(client);
  const preparing: Query = (...args) => {
    const [text, values] = args;
    const name = typeof text === 'string' && Array.isArray(values) ? preparedName(text) : undefined;
    return name === undefined ? query(...args) : query({ name, text, values });
  };
  Object.assign(client, { query: preparing });
}

/** Adds the answer timeout to queries that return a promise. It replaces the methods of the instance, which have overloads. */
function answerInTime(client: Client, config: AnswerTimeoutConfig): void {
  const query: Query = client.query.bind(client);
  const connect: Query = client.connect.bind(client);
  const watch = watchOf(client);
  const connecting: Query = (...args) => {
    watch.add(client, config);
    return connect(...args);
  };
  const queryInTime: Query = (...args) => {
    const leftMs = remainingMs();
    // The caller has already been answered, so the statement must not change anything.
    if (leftMs <= 0 && givesPromise(args)) return Promise.reject(new OutOfTime());
    const result = query(...args);
    if (!(result instanceof Promise)) return result;
    if (isReported('statement')) reportStatement(args, result);
    const settled = watch.expect(client, Math.min(leftMs, config.answerTimeoutMillis ?? Number.POSITIVE_INFINITY));
    result.then(settled, (error: unknown) => {
      settled();
      if (isOfStandby(error)) client.connection.stream.destroy();
    });
    return result;
  };
  Object.assign(client, { connect: connecting, query: queryInTime });
}

/** Reports a statement when it has ended. Called by the one who waits for the result, so that it is a part of their work. */
function reportStatement([statement]: unknown[], result: Promise<unknown>): void {
  const startedMs = performance.now();
  const text = textOf(statement);
  const ended = (state: string | null) =>
    report('statement', () => ({ text, sqlState: state, seconds: (performance.now() - startedMs) / 1_000 }));
  result.then(
    () => ended(null),
    (error: unknown) => ended(sqlState(error) ?? 'unavailable'),
  );
}

/** Returns the text of the first argument of pg's `query`: the text itself, or an object that has it. */
function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  const hasText = typeof statement === 'object' && statement !== null && 'text' in statement;
  return hasText && typeof statement.text === 'string' ? statement.text : '';
}

/** Returns true if pg's `query` returns a promise: there is no callback and no submittable object. */
function givesPromise(args: unknown[]): boolean {
  const [first] = args;
  const submits = typeof first === 'object' && first !== null && 'submit' in first;
  return !submits && typeof args.at(-1) !== 'function';
}
