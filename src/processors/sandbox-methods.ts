import type { MethodType, PaymentState } from './processor.ts';

export interface SandboxMethod {
  type: MethodType;
  state: Extract<PaymentState, 'succeeded' | 'failed' | 'requires_action' | 'processing'>;
  /** Reason of the decline or of the returned debit. */
  failureReason?: string;
  /** Fault after the charge: the answer is lost, or our process dies. */
  fault?: 'timeout' | 'crash';
  /** Outcome of a refund after `settleSeconds`. Without it, a refund succeeds at once. */
  refund?: 'later' | 'fails';
}

/** Test methods by token. The page sends the token instead of card or bank numbers. */
export const SANDBOX_METHODS: Readonly<Record<string, SandboxMethod>> = {
  card_success: { type: 'card', state: 'succeeded' },
  card_declined: { type: 'card', state: 'failed', failureReason: 'card_declined' },
  card_insufficient_funds: { type: 'card', state: 'failed', failureReason: 'insufficient_funds' },
  card_challenge: { type: 'card', state: 'requires_action' },
  card_refund_later: { type: 'card', state: 'succeeded', refund: 'later' },
  card_refund_fails: { type: 'card', state: 'succeeded', refund: 'fails' },
  bank_settles: { type: 'us_bank_account', state: 'processing' },
  bank_returns: { type: 'us_bank_account', state: 'processing', failureReason: 'insufficient_funds' },
  bank_refused: { type: 'us_bank_account', state: 'failed', failureReason: 'account_closed' },
  processor_timeout: { type: 'card', state: 'succeeded', fault: 'timeout' },
  crash_after_charge: { type: 'card', state: 'succeeded', fault: 'crash' },
};

/** Returns the test method of a token. An unknown token, or one of the other type, is declined like a wrong number. */
export function sandboxMethod(token: string, type: MethodType): SandboxMethod {
  const method = Object.hasOwn(SANDBOX_METHODS, token) ? SANDBOX_METHODS[token] : undefined;
  return method?.type === type ? method : { type, state: 'failed', failureReason: 'invalid_payment_method' };
}

/** Returns the tokens of methods whose refunds have one of these outcomes. */
export function tokensByRefund(...outcomes: readonly SandboxMethod['refund'][]): string[] {
  return Object.keys(SANDBOX_METHODS).filter((token) => outcomes.includes(SANDBOX_METHODS[token]?.refund));
}

/** Fee of a payment: cards 2.9 % plus 30 cents, at most the amount; debits 0.8 %, at most 5 dollars. */
export function sandboxFeeCents(type: MethodType, amountCents: number): number {
  if (type === 'card') return Math.min(amountCents, Math.round(amountCents * 0.029) + 30);
  return Math.min(500, Math.round(amountCents * 0.008));
}

/** Reasons with which a bank takes a settled debit back instead of disputing it. */
export const BANK_RETURN_REASONS: readonly string[] = [
  'insufficient_funds',
  'incorrect_account_details',
  'bank_cannot_process',
];
