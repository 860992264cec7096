import { get, post, type Route } from '../../routing/route.ts';
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

export const DELIVERY_ROUTES: readonly Route[] = [
  get('deliveries.list', LIST, 'developers.view', showList),
  get('deliveries.debugger', DEBUGGER, 'developers.view', showDebugger),
  post('deliveries.check_signature', DEBUGGER, 'developers.view', checkSignature, { maxFormBytes: MAX_DEBUGGER_BYTES }),
  get('deliveries.redelivery', MANY, 'webhooks.manage', showRedelivery),
  post('deliveries.redeliver_failed', MANY, 'webhooks.manage', redeliverMany, { sensitive: 'live' }),
  get('deliveries.one', ONE, 'developers.view', showDelivery),
  post('deliveries.redeliver', `${ONE}/redeliver`, 'webhooks.manage', redeliverOne),
  post('deliveries.retry_now', `${ONE}/retry`, 'webhooks.manage', retryOneNow),
];
