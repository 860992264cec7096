import { modeName } from '../../platform/base/scope.ts';
import type { Act } from '../../practices/audit/audit.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import { changedFields, type Draft } from './state.ts';

/** Fields whose values an audit entry shows. Other fields may contain data of patients, so it only names them. */
const SHOWN: ReadonlySet<string> = new Set(['amountCents', 'expiresAt'] satisfies (keyof PaymentLink)[]);

/** Fields that follow from others. An entry leaves them out. */
const DERIVED: ReadonlySet<string> = new Set(['patientId', 'version'] satisfies (keyof PaymentLink)[]);

export function linkCreated(link: PaymentLink): Act {
  const { practiceId, id, amountCents, locationId, expiresAt } = link;
  return {
    practiceId,
    action: 'link.created',
    target: { kind: 'payment_link', id },
    after: { mode: modeName(link), amountCents, locationId, expiresAt },
  };
}

/** Adds an act to a decision: the fields of the link that it changes. A decision that leaves the link as it is gets none. */
export function audited(
  decide: (draft: Draft) => void,
  /** Reason that a person of the practice gave; null for none. Absent if the API or an operator changes the link. */
  reason?: string | null,
): (draft: Draft) => void {
  return (draft) => {
    const { link: before } = draft.state;
    decide(draft);
    const act = linkActBetween(before, draft.state.link, reason);
    if (act !== null) draft.acts.push(act);
  };
}

function linkActBetween(before: PaymentLink, after: PaymentLink, reason?: string | null): Act | null {
  const { practiceId, id } = after;
  const target = { kind: 'payment_link', id };
  if (before.status !== after.status) {
    const action = after.status === 'cancelled' ? 'link.cancelled' : 'link.simulated';
    const details = reason == null ? {} : { reason };
    const states = { before: { status: before.status }, after: { status: after.status, ...details } };
    return { practiceId, action, target, ...states };
  }
  const values = changedValues(before, after);
  const isExtension = reason !== undefined && Object.keys(values?.after ?? {}).join() === 'expiresAt';
  return values && { practiceId, action: isExtension ? 'link.extended' : 'link.changed', target, ...values };
}

/** Returns the values that an entry may show, and the names of all other changed fields. Null if no field differs. */
function changedValues(before: PaymentLink, after: PaymentLink): Pick<Act, 'before' | 'after'> | null {
  const fields = changedFields(before, after);
  const names = Object.keys(fields).filter((name) => !DERIVED.has(name));
  if (names.length === 0) return null;
  const hiddenNames = names.filter((name) => !SHOWN.has(name));
  const shownValues = (link: PaymentLink) =>
    Object.fromEntries(Object.entries(link).filter(([name]) => SHOWN.has(name) && name in fields));
  return {
    before: shownValues(before),
    after: { ...shownValues(after), ...(hiddenNames.length > 0 && { changedFields: hiddenNames }) },
  };
}
