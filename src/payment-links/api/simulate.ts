import type { SimulatePaymentLinkRequest } from '../../contract/operations-type.ts';
import { ApiError } from '../../platform/base/errors.ts';
import type { CallerScope, Scope } from '../../platform/base/scope.ts';
import { sandboxFeeCents } from '../../processors/sandbox-methods.ts';
import { expire, payByCard, requireActive, returnDebit, settleDebit, submitDebit } from '../decide/link-decision.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import { audited } from '../state/acts.ts';
import type { Draft } from '../state/draft.ts';
import type { LinkState } from '../state/state.ts';
import type { ChangeLink } from '../store/change.ts';
import { separately } from '../store/change.ts';
import { linkRef, linkRefForKey } from '../store/port.ts';

export type SimulatedOutcome = SimulatePaymentLinkRequest['outcome'];

const CARD = { type: 'card', brand: 'visa', last4: '4242', attemptId: null } as const;
const BANK_ACCOUNT = { type: 'us_bank_account', brand: null, last4: '6789', attemptId: null, feeCents: null } as const;

/** Simulates an outcome on a test link for the API. @throws ApiError `test_mode_only`, `not_found`, `link_not_active` */
export async function simulateLink(
  scope: CallerScope,
  change: ChangeLink,
  id: string,
  outcome: SimulatedOutcome,
): Promise<LinkState> {
  if (!scope.caller.test) throw new ApiError('test_mode_only');
  const now = scope.clock.now();
  const ref = linkRefForKey(scope.caller, id);
  const decide = audited((draft) => simulate(draft, outcome, now));
  return (await change(scope, ref, decide)).after;
}

/** Simulates an outcome on the test link of a hosted page. @throws ApiError `not_found`, `link_not_active` */
export async function simulateOnPage(scope: Scope, token: string, outcome: SimulatedOutcome): Promise<void> {
  const now = scope.clock.now();
  const link = await scope.em.findOne(PaymentLink, { token }, { fields: ['id'] });
  if (link === null) throw new ApiError('not_found');
  await separately.change(scope, linkRef(link.id), (draft) => simulate(draft, outcome, now));
}

/** Decides on a simulated outcome. A live link counts as not found: only test links are simulated. */
function simulate(draft: Draft, outcome: SimulatedOutcome, now: Date): void {
  const { link } = draft.state;
  if (!link.test) throw new ApiError('not_found');
  requireActive(link, now);
  const fee = (type: 'card' | 'us_bank_account') => sandboxFeeCents(type, link.amountCents);
  switch (outcome) {
    case 'expired':
      expire(draft, 'simulated', now);
      return;
    case 'paid':
      payByCard(draft, { ...CARD, feeCents: fee('card') }, now);
      return;
    case 'processing':
    case 'processing_then_paid':
    case 'failed':
      submitDebit(draft, BANK_ACCOUNT, now);
      if (outcome === 'processing_then_paid') settleDebit(draft, fee('us_bank_account'), now);
      if (outcome === 'failed') returnDebit(draft, 'insufficient_funds', now);
      return;
    default:
      outcome satisfies never;
      throw new Error('the contract names an outcome that cannot be simulated');
  }
}
