import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listen } from './free-port.ts';

/** A server for this machine alone, at a port that the system chooses. */
export abstract class LocalServer {
  readonly #server = createServer((request, response) => {
    this.take(request, response).catch((error) => response.destroy(error));
  });

  /** Answers a request. An error closes its connection. */
  protected abstract take(request: IncomingMessage, response: ServerResponse): Promise<unknown>;

  async start(): Promise<this> {
    await listen(this.#server);
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
