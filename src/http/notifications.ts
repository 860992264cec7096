import Router from '@koa/router';
import { receiveNotification } from '../payment-links/payments/notifications.ts';
import { ApiError } from '../platform/base/errors.ts';
import { runUncounted } from '../platform/base/time/time-budget.ts';
import type { Processor } from '../processors/processor.ts';
import type { Context, RequestState } from './context.ts';

/** Far more than Stripe's largest messages. It protects the memory, because the signature is checked later. */
const MAX_BODY_BYTES = 262_144;

/** Routes for the processor's notifications: 200 once it is stored, 404 for another processor or without signing secrets, else 400. */
export function notificationRoutes(processor: Processor): Router<RequestState> {
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
