import Router from '@koa/router';
import { ApiError } from '../base/errors.ts';
import { uncounted } from '../base/time/time-budget.ts';
import { receiveNotification } from '../payment-links/reconcile/notifications.ts';
import type { Processor } from '../processors/processor.ts';
import type { Context, RequestState } from './context.ts';

/** Stripe's largest messages stay well below; what nobody signed must not fill the memory. */
const MAX_BODY_BYTES = 262_144;

/**
 * Where processors tell us that something changed: `POST /processor/notifications/<name>`. The bytes are verified as
 * they came, put on record once, and answered 200; a doubled or replayed one changes nothing. 404 for a processor that
 * isn't ours or can't be verified, 400 for what it didn't sign.
 */
export function notificationRoutes(processor: Processor): Router<RequestState> {
  const router = new Router<RequestState>();
  router.post('/processor/notifications/:name', async (ctx) => {
    ctx.state.operationId = 'processorNotification';
    if (ctx.params.name !== processor.name || !processor.takesNotifications) throw new ApiError('not_found');
    const raw = await uncounted(() => readRaw(ctx));
    if (!(await receiveNotification(ctx.state.scope, processor, raw, ctx.req.headers))) {
      throw new ApiError('validation_error', { message: 'The notification is not signed by the processor.' });
    }
    ctx.body = { received: true };
  });
  return router;
}

async function readRaw(ctx: Context): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Left half read, not destroyed: the refusal still has to be written to its socket.
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
