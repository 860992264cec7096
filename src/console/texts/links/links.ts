import type { UnfitCharacter } from '../../../base/text.ts';
import type { StaffField } from '../../../payment-links/link/fields.ts';
import type { StaffStatus } from '../../../payment-links/model/staff-status.ts';
import type { CancelReason } from '../../../payment-links/staff/create-and-change.ts';
import { one } from './one-link.ts';

export const links = {
  statuses: {
    waiting: 'Waiting',
    under_way: 'Under way',
    paid: 'Paid',
    refunded: 'Refunded',
    returned: 'Returned',
    expired: 'Expired',
    cancelled: 'Canceled',
  } satisfies Record<StaffStatus | 'refunded', string>,
  empty: {
    steps: [
      'Press “New link” and enter the patient, the amount and what it is for.',
      'Give the patient the address: copy it, print a slip, or let them scan the code.',
      'Look here: “Waiting” becomes “Paid”.',
    ],
  },
  fields: {
    firstName: 'First name',
    lastName: 'Last name',
    amount: 'Amount in dollars',
    description: 'What it is for',
    locationId: 'Location',
    email: 'Email address',
    phone: 'Phone',
    externalId: 'Chart number',
    externalReference: 'Reference',
    expiresAt: 'Expiry',
  } satisfies Record<StaffField, string>,
  hints: {
    description: 'The patient reads it. No card numbers.',
    externalReference: 'Such as an invoice number.',
  },
  faults: {
    amount: 'Enter up to 999,999.99, such as 99.95.',
    description: 'Enter what the payment is for, at most 500 characters.',
    locationId: 'Choose a location.',
    email: 'Enter an email address such as ada@example.com, in letters without accents, or leave it empty.',
    phone: 'Enter a phone number such as (202) 555-0143, or leave it empty.',
    expiresAt: 'Choose one of the days.',
  } satisfies Partial<Record<StaffField, string>>,
  unfit: (label: string, { kind, codePoint }: UnfitCharacter) =>
    `${label}: remove the ${kind} ${codePoint}, which is invisible.`,
  refusals: {
    used_form:
      'This form has already created a link. To create another one, check the entries and send the form again.',
    payments_not_enabled: 'The practice has not finished setting up payments, so live links cannot be created yet.',
    no_active_location: 'There is no location in use that you see. Ask an administrator.',
    link_not_active: 'Not changed: the link is not active.',
    payment_under_way: 'The patient is paying right now, and the payment cannot be stopped. Look again in a minute.',
    no_reason: 'Choose a reason.',
    no_sender: 'The operator of this service has not set up email. Copy the address instead.',
    no_address: 'Add an email address with “Change”.',
    link_limit: 'This link was emailed three times in the last 24 hours. Try again tomorrow.',
    practice_limit: 'Your practice has sent all emails that it may send in 24 hours. Try again tomorrow.',
  },
  one,
  cancel: {
    reasons: {
      wrong_amount: 'Wrong amount',
      wrong_patient: 'Wrong patient',
      duplicate: 'Created twice',
      paid_otherwise: 'Paid another way',
      not_owed: 'No longer owed',
      other: 'Another reason',
    } satisfies Record<CancelReason, string>,
  },
  done: {
    created: 'The link is ready for the patient.',
    cancelled: 'The link is canceled.',
    sent: 'The email is on its way.',
  },
};
