import type { StaffStatus } from '../../../payment-links/model/staff-status.ts';

const NUMBERS = 'One Two Three Four Five Six Seven Eight Nine'.split(' ');

/** Writes a number from one to nine as a word, at the beginning of a sentence. */
const inWords = (count: number) => NUMBERS[count - 1] ?? `${count}`;

export const one = {
  title: (name: string) => `Link for ${name}`,
  next: {
    waiting: 'The patient has not paid yet. As far as we know, nobody has opened the page.',
    under_way: 'A payment is being made right now. Look again in a minute.',
    paid: 'The patient has paid. The address shows the receipt.',
    expired: 'The link no longer works. Create a new one if the amount is still due.',
    cancelled: 'Nobody can pay the link any more.',
  } satisfies Record<Exclude<StaffStatus, 'returned'>, string>,
  happened: {
    opened: (day: string) => `The page was last opened on ${day}. The patient has not tried to pay yet.`,
    declined: {
      card: (count: number, day: string, reasons: string) =>
        `${inWords(count)} card ${count === 1 ? 'payment was' : 'payments were'} declined on ${day}: ${reasons}.`,
      us_bank_account: (count: number, day: string, reasons: string) =>
        `${inWords(count)} bank ${count === 1 ? 'debit was' : 'debits were'} declined on ${day}: ${reasons}.`,
    },
    again: 'The patient can try again, or pay another way.',
    paused: (moment: string) => `After so many attempts in a row, the page takes payments again from ${moment}.`,
    notCompleted: (day: string) => `A payment was begun on ${day}, but not completed. No money was taken.`,
    inDoubt: 'We do not know yet whether a payment went through. The patient must not pay again.',
    confirm: 'The patient still has to confirm the payment with the bank. The page shows how.',
    debit: (day: string) => `The bank has not confirmed the debit of ${day} yet. This takes about four business days.`,
    returned: (reason: string) => `The bank returned the debit: ${reason}. The patient owes the amount again.`,
    reversed: 'The bank took the payment back. The patient owes the amount again.',
    disputed: 'The patient’s bank disputes the payment. It may take the money back.',
    dispute_lost: 'The patient’s bank has decided a dispute for the patient, and took the money back.',
    refunded: 'The payment was refunded.',
  },
  address: 'Address for the patient',
  copy: 'Copy the address',
  copied: 'Copied.',
  notCopied: 'Press Ctrl+C or ⌘C to copy the address.',
  code: 'QR code with the address of the payment page',
  codeText: 'The patient can scan it with a phone.',
  facts: {
    expires: 'Works until',
    source: 'Created by',
  },
  sources: {
    api: 'Software of the practice',
    staff: 'Staff',
    website: 'Website',
  },
  actions: 'What you can do',
  slip: 'Print a slip',
  again: 'New link with the same entries',
  payment: 'Payment and refunds',
};
