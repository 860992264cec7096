import { modeName, type Scope } from '../../platform/base/scope.ts';
import { auditOwnAct } from '../../practices/audit/audit.ts';
import type { WebhookEndpoint } from '../model/endpoint.entity.ts';

type EndpointAct =
  | 'created'
  | 'changed'
  | 'enabled'
  | 'disabled'
  | 'deleted'
  | 'secret_rotated'
  | 'secret_viewed'
  | 'tested'
  | 'replayed';

/** Call it in the transaction of the act. Without an actor it records nothing. */
export function auditEndpointAct(
  scope: Scope,
  act: EndpointAct,
  endpoint: Pick<WebhookEndpoint, 'id' | 'practiceId'>,
  states: { before?: object; after?: object } = {},
): void {
  const { id, practiceId } = endpoint;
  auditOwnAct(scope, { practiceId, action: `endpoint.${act}`, target: { kind: 'webhook_endpoint', id }, ...states });
}

/** Returns the state of an endpoint for the audit log. Parameters of its URL may be secrets, so they are left out. */
export function auditState(endpoint: WebhookEndpoint) {
  const { url, enabledEvents, locationId, status } = endpoint;
  const [address = '', ...parameters] = url.split('?');
  return {
    url: parameters.length === 0 ? address : `${address}?…`,
    enabledEvents: [...enabledEvents],
    locationId,
    status,
    mode: modeName(endpoint),
  };
}
