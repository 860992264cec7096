import type { MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { AuditEntry } from './audit/audit-entry.entity.ts';
import type { Scope } from './base/scope.ts';
import type { Clock } from './base/time/clock.ts';
import type { Config } from './config.ts';
import { Invitation } from './console/model/invitation.entity.ts';
import { Membership, MembershipLocation } from './console/model/membership.entity.ts';
import { Passkey } from './console/model/passkey.entity.ts';
import { Person } from './console/model/person.entity.ts';
import { SentForm } from './console/model/sent-form.entity.ts';
import { type DatabaseLimits, serviceConnection } from './database/connection/service-connection.ts';
import { ormOver } from './database/orm.ts';
import { CONNECTION_LIFETIME_SECONDS } from './database/query/plan-hints.ts';
import { ApiKey } from './keys/api-key.entity.ts';
import { ApiRequest } from './keys/api-request.entity.ts';
import { BankReversal } from './payment-links/model/bank-reversal.entity.ts';
import { Dispute } from './payment-links/model/dispute.entity.ts';
import { Patient } from './payment-links/model/patient.entity.ts';
import { PaymentAttempt } from './payment-links/model/payment-attempt.entity.ts';
import { PaymentLink } from './payment-links/model/payment-link.entity.ts';
import { Refund } from './payment-links/model/refund.entity.ts';
import { Transaction } from './payment-links/model/transaction.entity.ts';
import { Location } from './practices/location.entity.ts';
import { PracticeLogo } from './practices/logo.entity.ts';
import { Practice } from './practices/practice.entity.ts';
import { NotificationRecipient } from './practices/recipient.entity.ts';
import { WebhookAttempt } from './webhooks/model/attempt.entity.ts';
import { WebhookDelivery } from './webhooks/model/delivery.entity.ts';
import { WebhookEndpoint } from './webhooks/model/endpoint.entity.ts';

const ENTITIES = [
  Practice,
  Location,
  PracticeLogo,
  NotificationRecipient,
  ApiKey,
  ApiRequest,
  Patient,
  PaymentLink,
  PaymentAttempt,
  Transaction,
  Refund,
  BankReversal,
  Dispute,
  WebhookEndpoint,
  WebhookDelivery,
  WebhookAttempt,
  Person,
  Membership,
  MembershipLocation,
  Invitation,
  Passkey,
  SentForm,
  AuditEntry,
];

/** Creates the ORM with one pool. It connects at the first query, so a database may be unavailable at the start. */
export function createOrm(
  databaseUrl: string,
  log: Logger,
  poolSize = 10,
  limits: Partial<DatabaseLimits> = {},
): MikroORM {
  const pool = { max: poolSize, idleTimeoutMillis: 30_000, maxLifetimeSeconds: CONNECTION_LIFETIME_SECONDS };
  return ormOver(serviceConnection(databaseUrl, limits), log, pool, ENTITIES);
}

/** Returns the function that makes the scopes of a process: a new one for each request, job or command. */
export function createScopes(
  orm: MikroORM,
  { keyring, publicUrl, consoleUrl }: Pick<Config, 'keyring' | 'publicUrl' | 'consoleUrl'>,
  log: Logger,
  clock: Clock,
): () => Scope {
  return () => ({ em: orm.em.fork(), clock, log, keyring, publicUrl, consoleUrl });
}
