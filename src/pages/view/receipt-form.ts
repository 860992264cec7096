import type { LinkPage } from '../../payment-links/checkout/port.ts';

/** The form by which a patient gets the receipt by mail. */
export interface ReceiptForm {
  /** Address that the patient typed, if it was refused. */
  email: string;
  /** True after a request was taken. */
  isSent: boolean;
}

/** Returns true for a page with the receipt of real money. */
export function offersReceipt({ state, test }: LinkPage): boolean {
  return !test && (state === 'paid' || state === 'refunded');
}
