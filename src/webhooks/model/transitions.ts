import type { StateMachine } from '../../platform/base/state-machine.ts';

export type DeliveryStatus = 'pending' | 'retrying' | 'delivered' | 'exhausted' | 'skipped';

/**
 * States of a delivery (openapi.yaml, `WebhookDeliveryStatus`). A delivery starts as pending, or as skipped when its endpoint is
 * disabled. Attempts move it to delivered, or through retrying to exhausted. Disabling the endpoint skips waiting
 * deliveries. Redelivery starts a new delivery run from any final state, replay only from those without success.
 */
export const DELIVERY: StateMachine<DeliveryStatus, 'succeed' | 'fail' | 'exhaust' | 'skip' | 'redeliver' | 'replay'> =
  {
    pending: { succeed: 'delivered', fail: 'retrying', exhaust: 'exhausted', skip: 'skipped' },
    retrying: { succeed: 'delivered', fail: 'retrying', exhaust: 'exhausted', skip: 'skipped' },
    delivered: { redeliver: 'pending' },
    exhausted: { redeliver: 'pending', replay: 'pending' },
    skipped: { redeliver: 'pending', replay: 'pending' },
  };

/** Number of exhausted events in a row at which the endpoint is disabled (openapi.yaml, tag `Webhook endpoints`). */
export const DISABLE_AFTER = 20;

export type EndpointStatus = 'enabled' | 'disabled';

export const INITIAL_STATUS: Readonly<Record<EndpointStatus, DeliveryStatus>> = {
  enabled: 'pending',
  disabled: 'skipped',
};

/** States of an endpoint (openapi.yaml, `WebhookEndpoint`). Its practice or 20 exhausted events disable it; only its practice enables it. */
export const ENDPOINT: StateMachine<EndpointStatus, 'enable' | 'disable'> = {
  enabled: { enable: 'enabled', disable: 'disabled' },
  disabled: { enable: 'enabled', disable: 'disabled' },
};
