import Router from '@koa/router';
import { ApiError } from '../base/errors.ts';
import { runUncounted } from '../base/time/time-budget.ts';
import { type OnUnknownAccount, receiveNotification } from '../payment-links/reconcile/notifications.ts';
import type { Processor } from '../processors/processor.ts';
import type { Context, RequestState } from './context.ts';

/** Far more than Stripe's largest messages. The limit protects the memory, because the signature is checked later. */
const MAX_BODY_BYTES = 262_144;

/** Header of a notification that another cell received, and offers to this one. */
export const OFFERED_HEADER = 'paylinks-offered';

/**
 * Header of the refusal of an offered notification whose account this cell does not know. A 404 without it says nothing about the
 * account. It may come from a cell with another processor, or from a wrong address in the map of cells.
 */
export const UNKNOWN_ACCOUNT = { 'Paylinks-Account': 'unknown' } as const;

/** Seconds after which a processor may send a notification again that the right cell could not take. */
const RETRY_SECONDS = 30;

/** Header with the signature of each processor that signs its notifications. */
const SIGNATURE_HEADERS = ['stripe-signature'];

/** A notification of an account that this cell does not know, as it was received. */
export interface OfferedNotification {
  path: string;
  raw: Buffer;
  headers: Readonly<Record<string, string>>;
}

/** The other cells. A processor sends the notifications of all cells to one address. */
export interface OtherCells {
  /** Offers a notification. If a cell took it, it is recorded there. Never throws for faults of others. */
  offer(notification: OfferedNotification): Promise<'taken' | 'unknown_account' | 'unreachable'>;
}

/**
 * Routes for the processor's notifications: `POST /processor/notifications/<name>`. The handler verifies the received
 * bytes, stores the notification once and answers 200; a duplicate changes nothing. It answers 404 for another processor
 * or without signing secrets, and 400 for an invalid signature.
 *
 * @param otherCells gets the notifications of accounts that this cell does not know; null for a single cell
 */
export function notificationRoutes(processor: Processor, otherCells: OtherCells | null): Router<RequestState> {
  const router = new Router<RequestState>();
  router.post('/processor/notifications/:name', async (ctx) => {
    ctx.state.operationId = 'processorNotification';
    if (ctx.params.name !== processor.name || !processor.takesNotifications) throw new ApiError('not_found');
    const raw = await runUncounted(() => readRaw(ctx)).catch((error: unknown) => {
      if (!ctx.req.destroyed || ctx.req.complete) throw error;
      throw new ApiError('validation_error', {
        message: 'The sender closed the connection in the middle of the body.',
      });
    });
    const { scope } = ctx.state;
    const onUnknownAccount = unknownAccountHandler(ctx, otherCells, raw);
    if (!(await receiveNotification(scope, processor, raw, ctx.req.headers, onUnknownAccount))) {
      throw new ApiError('validation_error', { message: 'The notification is not signed by the processor.' });
    }
    ctx.body = { received: true };
  });
  return router;
}

/**
 * Returns the handler of a notification of an unknown account; undefined if this cell is the only one. If the processor sent the
 * notification, this cell offers it to the others. If one of them does not answer, nothing is recorded, and the processor sends it
 * again. If another cell offered the notification, this cell refuses it, so that the other one goes on asking.
 */
function unknownAccountHandler(ctx: Context, otherCells: OtherCells | null, raw: Buffer): OnUnknownAccount | undefined {
  if (ctx.get(OFFERED_HEADER) !== '') {
    const message = 'This cell does not know the account.';
    return () => Promise.reject(new ApiError('not_found', { message, headers: UNKNOWN_ACCOUNT }));
  }
  if (otherCells === null) return undefined;
  return async () => {
    const answer = await otherCells.offer({ path: ctx.path, raw, headers: offeredHeaders(ctx) });
    if (answer === 'unreachable') throw new ApiError('service_unavailable', { retryAfterSeconds: RETRY_SECONDS });
    return answer === 'taken';
  };
}

function offeredHeaders(ctx: Context): Record<string, string> {
  const names = ['content-type', ...SIGNATURE_HEADERS].filter((name) => ctx.get(name) !== '');
  return Object.fromEntries(names.map((name) => [name, ctx.get(name)]));
}

async function readRaw(ctx: Context): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The request must not be destroyed, because the error is still written to its socket.
  for await (const chunk of ctx.req.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) {
      ctx.set('Connection', 'close');
      throw new ApiError('payload_too_large', { message: `The body exceeds ${MAX_BODY_BYTES} bytes.` });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
