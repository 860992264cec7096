import type { Client } from 'pg';
import { preparedName } from '../base/sql.ts';
import { SessionClient, type SessionConfig } from './session-client.ts';

/** What a connection is made with. */
export interface ImpatientConfig extends SessionConfig {
  /** How long the server may leave a query unanswered before the connection is given up, in milliseconds. */
  answerTimeoutMillis?: number;
}

/**
 * A connection that is given up when the server leaves a query unanswered. pg's own `query_timeout` only rejects the
 * query: the connection goes back to its pool with the dead query still on it, and every later query waits behind that
 * one, long after new connections would work again.
 */
export class ImpatientClient extends SessionClient {
  constructor(config: ImpatientConfig = {}) {
    super(config);
    prepareOurs(this);
    if (config.answerTimeoutMillis !== undefined) hangUpAfter(this, config.answerTimeoutMillis);
  }
}

/** Has our own statements parsed and planned once per connection: for the hot ones that costs as much as running them. */
function prepareOurs(client: Client): void {
  const query: (...args: unknown[]) => unknown = client.query.bind(client);
  const preparing = (...args: unknown[]): unknown => {
    const [text, values] = args;
    const name = typeof text === 'string' && Array.isArray(values) ? preparedName(text) : undefined;
    return name === undefined ? query(...args) : query({ name, text, values });
  };
  Object.assign(client, { query: preparing });
}

/** On the instance, because the overloads of `query` can't be spelled twice; only promises are of interest. */
function hangUpAfter(client: Client, patienceMs: number): void {
  const query: (...args: unknown[]) => unknown = client.query.bind(client);
  const impatient = (...args: unknown[]): unknown => {
    const result = query(...args);
    if (!(result instanceof Promise)) return result;
    // Ending a client in the middle of a query closes its socket, which rejects the query and whatever waits behind it.
    const timer = setTimeout(() => void client.end(), patienceMs);
    const settled = () => clearTimeout(timer);
    result.then(settled, settled);
    return result;
  };
  Object.assign(client, { query: impatient });
}
