import type { StateMachine } from '../../base/state-machine.ts';

export type DeliveryStatus = 'pending' | 'retrying' | 'delivered' | 'exhausted' | 'skipped';

/**
 * Section 3.4 of the interface. A delivery is born pending, or skipped when its endpoint is disabled as the event
 * happens. Attempts move it to delivered, or through retrying to exhausted when the ladder ends. Disabling the
 * endpoint skips what waits. Redelivery starts a fresh ladder from any end, replay from the ends without success.
 */
export const DELIVERY: StateMachine<DeliveryStatus, 'succeed' | 'fail' | 'exhaust' | 'skip' | 'redeliver' | 'replay'> =
  {
    pending: { succeed: 'delivered', fail: 'retrying', exhaust: 'exhausted', skip: 'skipped' },
    retrying: { succeed: 'delivered', fail: 'retrying', exhaust: 'exhausted', skip: 'skipped' },
    delivered: { redeliver: 'pending' },
    exhausted: { redeliver: 'pending', replay: 'pending' },
    skipped: { redeliver: 'pending', replay: 'pending' },
  };

/** Events whose automatic ladder ends in a row before the endpoint is disabled (section 6.4 of the interface). */
export const DISABLE_AFTER = 20;

export type EndpointStatus = 'enabled' | 'disabled';

/** How a delivery is born, by what its endpoint is as the event happens. */
export const INITIAL_STATUS: Readonly<Record<EndpointStatus, DeliveryStatus>> = {
  enabled: 'pending',
  disabled: 'skipped',
};

/** Section 3.5. Disabled by its practice or after 20 exhausted events in a row; enabled again by its practice only. */
export const ENDPOINT: StateMachine<EndpointStatus, 'enable' | 'disable'> = {
  enabled: { enable: 'enabled', disable: 'disabled' },
  disabled: { enable: 'enabled', disable: 'disabled' },
};
