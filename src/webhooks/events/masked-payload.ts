export const MASK = '•••';

/** Objects and lists whose fields are judged one by one. Any other is masked as a whole. */
const CONTAINERS = new Set(['data', 'paymentLink', 'patient', 'location', 'transaction', 'refunds', 'context']);

/** A new field of the contract is masked until it stands here. */
const SHOWN = new Set([
  'id',
  'object',
  'type',
  'test',
  'createdAt',
  'status',
  'amount',
  'currency',
  'name',
  'source',
  'expiresAt',
  'paidAt',
  'fee',
  'net',
  'paymentMethodType',
  'paymentMethodBrand',
  'processedAt',
  'failureReason',
  'refundAmount',
  'disputeReason',
  'disputeAmount',
  'evidenceDueBy',
  'disputeOutcome',
  'triggeredBy',
]);

/** Reason of a refund that a bank made. Any other is free text, in which people may name the patient. */
const BANK_REVERSAL = 'bank_reversal';

/**
 * Returns the payload as indented JSON, and masks all that may say something of a patient. So the address of the hosted
 * page is masked: it names the treatment. A text that is no JSON object is masked as a whole.
 */
export function maskPayload(payload: string): string {
  return JSON.stringify(maskValue(parseOrKeep(payload), false), null, 2);
}

function parseOrKeep(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}

function maskValue(value: unknown, masksAll: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => maskValue(item, masksAll));
  if (typeof value !== 'object' || value === null) return value === null ? null : MASK;
  // All fields of a patient are masked, also those with a name that other objects show.
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    maskField(name, field, masksAll || name === 'patient'),
  ]);
  return Object.fromEntries(fields);
}

function maskField(name: string, value: unknown, masksAll: boolean): unknown {
  if (typeof value === 'object') return value === null || CONTAINERS.has(name) ? maskValue(value, masksAll) : MASK;
  const isShown = SHOWN.has(name) || (name === 'reason' && value === BANK_REVERSAL);
  return isShown && !masksAll ? value : MASK;
}
