import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

export interface MetricsServer {
  /** The port on which it listens, also if port 0 was requested. */
  port: number;
  close(): Promise<void>;
}

export interface MetricsSources {
  registry: Registry;
  /** Reads metrics that are not kept in the process. Never throws. */
  refresh: () => Promise<void>;
  /** Resolves while the process can work; throws otherwise. */
  requireReady: () => Promise<void>;
}

/** Timeouts for slow clients. A scrape is one short request; with Node's defaults a client keeps a socket for minutes. */
const TIMEOUTS = { headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 1_000 };

/** Time after which a connection ends on which no byte moves. The reading of the database takes less. */
const SILENCE_MS = 30_000;

/**
 * Serves `/metrics` in Prometheus's text format, `/healthz` and `/readyz`, on a port of its own. It has no key and no
 * limit, so operators keep it inside their network. @throws Node's error if it cannot listen
 */
export async function serveMetrics(sources: MetricsSources, port: number, host: string): Promise<MetricsServer> {
  const server = createServer(TIMEOUTS, (request, response) => {
    void answer(sources, request.url ?? '/')
      // A metric that cannot be read must not end the process, which serves patients.
      .catch(() => ({ status: 500, type: JSON_TYPE, body: '{"error":"a metric could not be read"}' }))
      .then(({ status, type, body }) => {
        response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' });
        response.end(request.method === 'HEAD' ? undefined : body);
      });
  });
  server.setTimeout(SILENCE_MS);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // Without a listener, a connection that cannot be accepted would end the process. The next scrape tries again.
  server.on('error', () => undefined);
  // A scrape must not keep the process alive.
  server.unref();
  return {
    // A server on a port has an address of this form.
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const JSON_TYPE = 'application/json; charset=utf-8';

async function answer({ registry, refresh, requireReady }: MetricsSources, path: string) {
  switch (path.split('?')[0]) {
    case '/metrics':
      await refresh();
      return { status: 200, type: registry.contentType, body: await registry.metrics() };
    case '/healthz':
      return { status: 200, type: JSON_TYPE, body: '{"status":"ok"}' };
    case '/readyz':
      return requireReady().then(
        () => ({ status: 200, type: JSON_TYPE, body: '{"status":"ok"}' }),
        () => ({ status: 503, type: JSON_TYPE, body: '{"status":"unavailable"}' }),
      );
    default:
      return { status: 404, type: JSON_TYPE, body: '{"error":"only /metrics, /healthz and /readyz are here"}' };
  }
}
