import type { Route } from '../../routing/route.ts';
import { checkSignature, showDebugger } from './debugger.ts';
import { redeliverOne, retryOneNow, showDelivery } from './delivery.ts';
import { showList } from './list.ts';
import { redeliverMany, showRedelivery } from './redeliver-many.ts';

const LIST = '/console/:practiceId/:mode/deliveries';
const ONE = `${LIST}/:eventId`;
const MANY = `${LIST}/redeliver`;
const DEBUGGER = `${LIST}/debugger`;

/** A body of the largest event has some 20 kB, and a form writes most characters of JSON as three. */
const MAX_DEBUGGER_BYTES = 131_072;

/** Pages on webhook deliveries. */
export const DELIVERY_ROUTES: readonly Route[] = [
  { name: 'deliveries.list', method: 'GET', path: LIST, access: 'developers.view', handle: showList },
  { name: 'deliveries.debugger', method: 'GET', path: DEBUGGER, access: 'developers.view', handle: showDebugger },
  {
    name: 'deliveries.check_signature',
    method: 'POST',
    path: DEBUGGER,
    access: 'developers.view',
    maxFormBytes: MAX_DEBUGGER_BYTES,
    handle: checkSignature,
  },
  { name: 'deliveries.redelivery', method: 'GET', path: MANY, access: 'webhooks.manage', handle: showRedelivery },
  {
    name: 'deliveries.redeliver_failed',
    method: 'POST',
    path: MANY,
    access: 'webhooks.manage',
    sensitive: 'live',
    handle: redeliverMany,
  },
  { name: 'deliveries.one', method: 'GET', path: ONE, access: 'developers.view', handle: showDelivery },
  {
    name: 'deliveries.redeliver',
    method: 'POST',
    path: `${ONE}/redeliver`,
    access: 'webhooks.manage',
    handle: redeliverOne,
  },
  {
    name: 'deliveries.retry_now',
    method: 'POST',
    path: `${ONE}/retry`,
    access: 'webhooks.manage',
    handle: retryOneNow,
  },
];
