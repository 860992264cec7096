import { type ContractField, listFields } from '../../contract/fields.ts';
import type { CreatePaymentLinkRequest } from '../../contract/operations-type.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';

/* The fields of a link that requests set, from the contract. Rows, forms, options of the command line and columns of exports follow from them. */

type Patient = CreatePaymentLinkRequest['patient'];

/** Name of a field in requests and forms. */
export type LinkField = Exclude<keyof CreatePaymentLinkRequest, 'patient'> | keyof Patient;

/** Property of a link with the value of the field. A field without its property in the entity is a compile error below. */
export type PropertyOf<Field extends LinkField> = Field extends 'amount'
  ? 'amountCents'
  : Field extends keyof Patient
    ? `patient${Capitalize<Field>}`
    : Field;

/** Fields of a link to set. An absent one stays as it is; in a new link, it is null or has its default. */
export type LinkValues = Partial<Pick<PaymentLink, PropertyOf<Exclude<LinkField, 'currency' | 'locationId'>>>>;

const fields = listFields('CreatePaymentLinkRequest').map((field) => ({
  ...field,
  property: nameProperty(field.path),
}));

/** The fields of a create request. The type is made from the same document. */
export const LINK_FIELDS = Object.fromEntries(fields.map((field) => [field.path.replace('patient.', ''), field])) as {
  [Field in LinkField]: ContractField & { property: PropertyOf<Field> };
};

/** The fields that staff set. Others are for programs. */
export const STAFF_FIELDS = (Object.keys(LINK_FIELDS) as LinkField[]).filter(
  (name) => name !== 'currency' && name !== 'metadata',
);

export type StaffField = (typeof STAFF_FIELDS)[number];

/** Texts of a link that its hosted page and the receipt there show, in this order. Requests may have no card number in them. */
export const HOSTED_TEXTS = ['description'] as const satisfies (keyof CreatePaymentLinkRequest & keyof PaymentLink)[];

export type HostedText = (typeof HOSTED_TEXTS)[number];

/** Returns the property for the path of a field: `patientPhone` for `patient.phone`. */
export function nameProperty(path: string): string {
  if (path === 'amount') return 'amountCents';
  return path.replace(/\.(.)/, (_, first: string) => first.toUpperCase());
}
