import type { MethodType, PaymentState } from './processor.ts';

/** How a payment with a test method turns out. */
export interface SandboxMethod {
  type: MethodType;
  state: Extract<PaymentState, 'succeeded' | 'failed' | 'requires_action' | 'processing'>;
  /** Why it is declined, or returned once it was under way. */
  failureReason?: string;
  /** What goes wrong between the sandbox and us after it charged: its answer is lost, or our process dies. */
  mishap?: 'timeout' | 'crash';
  /** How a refund of it turns out, after as long as a debit takes; at once and well unless told. */
  refund?: 'later' | 'fails';
}

/** The test methods by the tokens that the page hands over in place of card or bank numbers. */
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
  processor_timeout: { type: 'card', state: 'succeeded', mishap: 'timeout' },
  crash_after_charge: { type: 'card', state: 'succeeded', mishap: 'crash' },
};

/** What a token stands for. One that is unknown, or of the other type, is declined like a bad number. */
export function sandboxMethod(token: string, type: MethodType): SandboxMethod {
  const method = Object.hasOwn(SANDBOX_METHODS, token) ? SANDBOX_METHODS[token] : undefined;
  return method?.type === type ? method : { type, state: 'failed', failureReason: 'invalid_payment_method' };
}

/** What the sandbox takes of a payment: 2.9 % and 30 cents for cards, never more than the amount; 0.8 % up to 5 dollars for debits. */
export function sandboxFeeCents(type: MethodType, amountCents: number): number {
  if (type === 'card') return Math.min(amountCents, Math.round(amountCents * 0.029) + 30);
  return Math.min(500, Math.round(amountCents * 0.008));
}

/** Reasons by which a bank takes a settled debit back, rather than disputing it. */
export const BANK_RETURN_REASONS: readonly string[] = [
  'insufficient_funds',
  'incorrect_account_details',
  'bank_cannot_process',
];
