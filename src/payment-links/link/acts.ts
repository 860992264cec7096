import type { Act } from '../../audit/record.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import type { LinkState } from './state.ts';

/*
 * Acts on links, as the audit log names them. Fields that may contain data of patients are named without their values.
 */

/** Fields that an update may change, and that may contain data of patients. */
const PERSONAL = ['description', 'externalReference', 'metadata', 'patientPhone', 'patientEmail'] as const;

/** Returns the act that created a link. */
export function linkCreated(link: PaymentLink): Act {
  const { practiceId, id, test, amountCents, locationId, expiresAt } = link;
  return {
    ...{ practiceId, action: 'link.created', target: { kind: 'payment_link', id } },
    after: { mode: test ? 'test' : 'live', amountCents, locationId, expiresAt },
  };
}

/** Returns the act that made the second state of the first; null if nothing changed. */
export function linkActBetween({ link: before }: LinkState, { link: after }: LinkState): Act | null {
  const target = { kind: 'payment_link', id: after.id };
  if (before.status !== after.status) {
    const action = after.status === 'cancelled' ? 'link.cancelled' : 'link.simulated';
    const states = { before: { status: before.status }, after: { status: after.status } };
    return { practiceId: after.practiceId, action, target, ...states };
  }
  const shown = (['amountCents', 'expiresAt'] as const).filter((name) => +before[name] !== +after[name]);
  const changedFields = PERSONAL.filter((name) => before[name] !== after[name]);
  if (shown.length === 0 && changedFields.length === 0) return null;
  const values = (link: PaymentLink) => Object.fromEntries(shown.map((name) => [name, link[name]]));
  return {
    ...{ practiceId: after.practiceId, action: 'link.changed', target, before: values(before) },
    after: { ...values(after), ...(changedFields.length > 0 && { changedFields }) },
  };
}
