import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bill, resumeBilling } from './billing.ts';
import { bookEvents } from './booking.ts';
import { Books } from './books.ts';
import { Paylinks, PaylinksError } from './paylinks.ts';
import { reconcile } from './reconciliation.ts';
import { readBody, receiveWebhook } from './webhooks.ts';

/* A small practice-management system: invoices, ledgers, webhooks, and the end of the day. See README.md. */

const { PAYLINKS_BASE_URL = 'http://localhost:3000', PAYLINKS_API_KEY = '', RECEIVER_PORT = '4000' } = process.env;
const { SECRET_FILE = 'webhook-secret', BOOKS_FILE = 'books.sqlite' } = process.env;

const books = new Books(BOOKS_FILE);
const paylinks = new Paylinks(PAYLINKS_BASE_URL, PAYLINKS_API_KEY);

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const [, collection = '', id = '', part = ''] = pathname.split('/');
  switch (`${request.method} /${collection}${id === '' ? '' : '/…'}${part === '' ? '' : `/${part}`}`) {
    case 'POST /webhooks':
      return receiveWebhook(books, SECRET_FILE, request, response);
    case 'POST /invoices': {
      const body = await readBody(request, 10_000);
      if (body === null) return json(response, 413, { message: 'The invoice is too long.' });
      return json(response, 201, await bill(books, paylinks, JSON.parse(body.toString('utf8'))));
    }
    case 'GET /invoices/…': {
      const invoice = books.invoice(id);
      return json(response, invoice === undefined ? 404 : 200, invoice ?? null);
    }
    case 'GET /patients/…/ledger': {
      const entries = books.entriesOf(id);
      return json(response, 200, {
        entries,
        balanceCents: entries.reduce((sum, entry) => sum + entry.amount_cents, 0),
      });
    }
    case 'POST /end-of-day':
      return json(response, 200, { missed: await reconcile(books, paylinks) });
    default:
      return json(response, 404, { message: 'There is no such path.' });
  }
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

// A client that sends its request too slowly does not keep its connection.
const server = createServer({ requestTimeout: 10_000 }, async (request, response) => {
  try {
    await handle(request, response);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    // Without 2xx a webhook is sent again later.
    if (response.headersSent) return;
    if (error instanceof PaylinksError) json(response, 502, { code: error.code, message: error.message });
    else json(response, 500, { message: 'The request failed.' });
  }
});

server.listen(Number(RECEIVER_PORT), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(`listening on http://127.0.0.1:${port}/webhooks`);
});

// Whatever an earlier run left unfinished.
bookEvents(books);
await resumeBilling(books, paylinks);

process.once('SIGTERM', () => {
  server.close(() => books.close());
  server.closeIdleConnections();
});
