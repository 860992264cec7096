import type { StateMachine } from '../../platform/base/state-machine.ts';

export type DeliveryStatus = 'pending' | 'retrying' | 'delivered' | 'exhausted' | 'skipped';

/**
 * openapi.yaml, `WebhookDeliveryStatus`. Disabling the endpoint skips waiting deliveries. Redelivery starts a new
 * delivery run from any final state, replay only from those without success.
 */
export const DELIVERY: StateMachine<DeliveryStatus, 'succeed' | 'fail' | 'exhaust' | 'skip' | 'redeliver' | 'replay'> =
  {
    pending: { succeed: 'delivered', fail: 'retrying', exhaust: 'exhausted', skip: 'skipped' },
    retrying: { succeed: 'delivered', fail: 'retrying', exhaust: 'exhausted', skip: 'skipped' },
    delivered: { redeliver: 'pending' },
    exhausted: { redeliver: 'pending', replay: 'pending' },
    skipped: { redeliver: 'pending', replay: 'pending' },
  };

/** Exhausted events in a row (openapi.yaml, tag `Webhook endpoints`). */
export const DISABLE_AFTER = 20;

export type EndpointStatus = 'enabled' | 'disabled';

export const INITIAL_STATUS: Readonly<Record<EndpointStatus, DeliveryStatus>> = {
  enabled: 'pending',
  disabled: 'skipped',
};

/** openapi.yaml, `WebhookEndpoint`. Its practice or 20 exhausted events disable it; only its practice enables it. */
export const ENDPOINT: StateMachine<EndpointStatus, 'enable' | 'disable'> = {
  enabled: { enable: 'enabled', disable: 'disabled' },
  disabled: { enable: 'enabled', disable: 'disabled' },
};
