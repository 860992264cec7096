/** English names of acts on links and passkeys, and of views of patient data, in the audit log. */
export const acts: Readonly<Record<string, string>> = {
  'link.created': 'Created a payment link',
  'link.changed': 'Changed a payment link',
  'link.cancelled': 'Cancelled a payment link',
  'link.simulated': 'Simulated an event of a test link',
  'link.viewed': 'Viewed a payment link',
  'payment.viewed': 'Viewed a payment',
  'payment.refunded': 'Refunded a payment',
  'delivery.redelivered': 'Sent a webhook again',
  'key.viewed': 'Saw a test key',
  'onboarding.opened': 'Opened the onboarding of the payment processor',
  'passkey.added': 'Added a passkey',
  'passkey.removed': 'Removed a passkey',
};

/** English names of the fields that acts change. */
export const fields: Readonly<Record<string, string>> = {
  amountCents: 'amount in cents',
  changedFields: 'changed fields',
  createdAt: 'created',
  expiresAt: 'expiry',
  id: 'id',
  locationId: 'location',
  method: 'way to sign in',
  mode: 'data',
  name: 'name',
  passkeyId: 'passkey',
  practiceId: 'practice',
  processor: 'processor',
  refundId: 'refund',
  status: 'status',
  step: 'step',
};

/** English names of the kinds of objects that acts change. */
export const targets: Readonly<Record<string, string>> = {
  api_key: 'API key',
  delivery: 'Delivery',
  endpoint: 'Webhook endpoint',
  webhook_endpoint: 'Webhook endpoint',
  location: 'Location',
  membership: 'Person',
  payment_link: 'Payment link',
  person: 'Person',
  practice: 'Practice',
};
