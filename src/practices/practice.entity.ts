import { defineEntity, p } from '@mikro-orm/postgresql';

const PracticeSchema = defineEntity({
  name: 'Practice',
  tableName: 'practices',
  properties: {
    id: p.string().primary(),
    name: p.string(),
    adminEmail: p.string(),
    /** Telephone number for patients, in E.164. */
    phone: p.string().strictNullable(),
    /** Lines of the address on receipts. */
    postalAddress: p.string().strictNullable(),
    /** Color of the hosted page, such as `#0b4f6c`; null for the standard one. */
    brandColor: p.string().strictNullable(),
    /** Hash and size in pixels of the logo on the hosted page; null without a logo. */
    logoHash: p.string().strictNullable(),
    logoWidth: p.integer().strictNullable(),
    logoHeight: p.integer().strictNullable(),
    /** True if mails to patients say what the payment is for. */
    mailsDescription: p.boolean(),
    /** True if Stripe's form offers Apple Pay and Google Pay. */
    walletsEnabled: p.boolean(),
    /** Addition to the account's name on card statements, in capital letters; null for none. */
    statementDescriptorSuffix: p.string().strictNullable(),
    /** True if payment onboarding is finished, so that live links may be created. */
    paymentsEnabled: p.boolean(),
    /** The practice's account at the processor; null before onboarding began. */
    processorAccountId: p.string().strictNullable(),
    /** True if that account accepts bank debits. */
    bankDebitsEnabled: p.boolean(),
    /** If false, requests with any key of the practice are answered 403 `api_access_disabled`. */
    apiAccessEnabled: p.boolean(),
    /** True if only administrators make live keys that read payment links, in the console. */
    readingKeysForAdministrators: p.boolean(),
    createdAt: p.datetime(3),
  },
});

/** A medical or dental practice: the tenant. */
export class Practice extends PracticeSchema.class {}
PracticeSchema.setClass(Practice);
