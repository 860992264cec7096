import { defineEntity, p } from '@mikro-orm/postgresql';

const PracticeSchema = defineEntity({
  name: 'Practice',
  tableName: 'practices',
  properties: {
    id: p.string().primary(),
    name: p.string(),
    adminEmail: p.string(),
    /** E.164; whom patients call. */
    phone: p.string().strictNullable(),
    /** Payment onboarding is finished: live links may be created. */
    paymentsEnabled: p.boolean(),
    /** The practice's account at the processor; null before onboarding began. */
    processorAccountId: p.string().strictNullable(),
    /** Whether that account can take bank debits. */
    bankDebitsEnabled: p.boolean(),
    /** Off: every key of the practice is answered 403 `api_access_disabled`. */
    apiAccessEnabled: p.boolean(),
    createdAt: p.datetime(3),
  },
});

/** A medical or dental practice: the tenant. */
export class Practice extends PracticeSchema.class {}
PracticeSchema.setClass(Practice);
