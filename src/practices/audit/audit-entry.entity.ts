import { defineEntity, p } from '@mikro-orm/postgresql';
import type { Actor } from '../../platform/base/scope.ts';

const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_log',
  properties: {
    id: p.string().primary(),
    practiceId: p.string(),
    actorKind: p.string().$type<Actor['kind']>(),
    /** Id of the person or key; null for the operator. */
    actorId: p.string().strictNullable(),
    action: p.string(),
    targetKind: p.string(),
    targetId: p.string(),
    /** Address of the client; null for the operator. */
    address: p.string().strictNullable(),
    /** State before and after, without data of patients. */
    before: p.json<object>().columnType('json').strictNullable(),
    after: p.json<object>().columnType('json').strictNullable(),
    createdAt: p.datetime(3),
  },
});

/** One act of a person, key or operator. Rows are only inserted; the database refuses changes. */
export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);
