import { createHash } from 'node:crypto';
import { webhooksUnavailable } from '../../access/sealed-replies.ts';
import type { CreateWebhookEndpointRequest, UpdateWebhookEndpointRequest } from '../../contract/operations-type.ts';
import { ApiError } from '../../platform/base/errors.ts';
import { isId, newId } from '../../platform/base/ids.ts';
import { findPage, type ListPage, type ListQuery } from '../../platform/base/list-page.ts';
import { type Access, type AccessScope, fresh, type Scope } from '../../platform/base/scope.ts';
import { decryptSecret, encryptSecret } from '../../platform/base/secrets.ts';
import { stateAfter, transition } from '../../platform/base/state-machine.ts';
import type { SecretColumn } from '../../platform/database/query/rotate-secrets.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { inTransaction } from '../../platform/database/query/transaction.ts';
import { visibleRowsSql } from '../../platform/database/query/visible-rows.ts';
import { getVisibleLocation } from '../../practices/find.ts';
import { queueOwnerMails } from '../../practices/mail/owner-mails.ts';
import { WebhookEndpoint } from '../model/endpoint.entity.ts';
import { newWebhookSecret } from '../model/signature.ts';
import { ENDPOINT } from '../model/transitions.ts';
import type { UrlCheck } from '../send/destination.ts';
import { auditEndpointAct, auditState } from './acts.ts';
import { flushAgainstPublishing, skipWaiting } from './disable.ts';

/** Checks a URL from a request, with its DNS answers; see `checkNewUrl`. */
export type CheckUrl = (url: string) => Promise<UrlCheck>;

/** Number per practice and mode (openapi.yaml, operation `createWebhookEndpoint`). */
const MAX_ENDPOINTS = 10;

/** Time for which the former secret signs, too: 24 hours. */
const ROTATION_OVERLAP_MS = 86_400_000;

export function bindingOfSecret(endpointId: string): string {
  return `webhook_endpoints:${endpointId}`;
}

export const ENDPOINT_SECRETS: readonly SecretColumn[] = ['secret_ciphertext', 'previous_secret_ciphertext'].map(
  (column) => ({ table: 'webhook_endpoints', column, key: ['id'], bindingOf: ([id = '']) => bindingOfSecret(id) }),
);

export interface EndpointWithSecret {
  endpoint: WebhookEndpoint;
  secret: string;
}

/** Creates an endpoint at a checked URL. @throws ApiError `webhooks_unavailable`, `not_found` (location), `limit_reached` */
export async function createEndpoint(
  scope: AccessScope,
  input: CreateWebhookEndpointRequest,
): Promise<EndpointWithSecret> {
  const requested = input.locationId ?? null;
  const location = requested === null ? null : await getVisibleLocation(scope, requested, 'locationId');
  return inTransaction(scope, async (scope) => {
    await requireBelowLimit(scope);
    const now = scope.clock.now();
    const id = newId('webhookEndpoint', now);
    const secret = newWebhookSecret();
    const endpoint = scope.em.create(WebhookEndpoint, {
      id,
      practiceId: scope.caller.practiceId,
      test: scope.caller.test,
      locationId: location?.id ?? scope.caller.locationId,
      url: input.url,
      enabledEvents: input.enabledEvents ?? [],
      description: input.description ?? null,
      status: 'enabled',
      secretCiphertext: encryptOrRefuse(scope, id, secret),
      previousSecretCiphertext: null,
      previousSecretUntil: null,
      consecutiveExhausted: 0,
      replayedAt: null,
      createdAt: now,
      createdBy: scope.actor?.kind === 'person' ? scope.actor.id : null,
      deletedAt: null,
    });
    await scope.em.flush();
    await mailOwners(scope, endpoint);
    auditEndpointAct(scope, 'created', endpoint, { after: auditState(endpoint) });
    return { endpoint, secret };
  });
}

async function mailOwners(scope: Scope, { id, practiceId, test }: WebhookEndpoint): Promise<void> {
  if (!test) await queueOwnerMails(scope, { kind: 'live_endpoint', practiceId, subjectId: id });
}

export function listVisibleEndpoints(scope: AccessScope, page: ListQuery): Promise<ListPage<WebhookEndpoint>> {
  return findPage(scope.em, WebhookEndpoint, visibleFilter(scope.caller), { createdAt: 'desc', id: 'desc' }, page);
}

export async function listVisibleEndpointIds(scope: AccessScope): Promise<string[]> {
  const endpoints = await scope.em.find(WebhookEndpoint, visibleFilter(scope.caller), { fields: ['id'] });
  return endpoints.map(({ id }) => id);
}

/** @throws ApiError `not_found` */
export async function getVisibleEndpoint(scope: AccessScope, id: string): Promise<WebhookEndpoint> {
  if (!isId('webhookEndpoint', id)) throw new ApiError('not_found');
  const endpoint = await scope.em.findOne(WebhookEndpoint, { ...visibleFilter(scope.caller), id });
  if (endpoint === null) throw new ApiError('not_found');
  return endpoint;
}

/** Locks the endpoint for a change. Changes of links do not wait for this lock. @throws ApiError `not_found` */
export async function lockVisibleEndpoint(scope: AccessScope, id: string): Promise<WebhookEndpoint> {
  if (!isId('webhookEndpoint', id)) throw new ApiError('not_found');
  const { practiceId, test, locationId } = scope.caller;
  // Locks only an endpoint that the key sees. Otherwise the wait for a lock would reveal that the endpoint exists.
  await sql(
    scope.em,
    `select from webhook_endpoints
     where id = $1 and ${visibleRowsSql('webhook_endpoints', '$2', '$3', '$4')} and deleted_at is null
     for no key update`,
    [id, practiceId, test, locationId],
  );
  return getVisibleEndpoint(scope, id);
}

/**
 * Changes an endpoint. Disabling skips a first batch of waiting deliveries after its commit; rounds skip the others.
 * Enabling first skips what still waits since then, and sends nothing.
 * @throws ApiError `not_found`, `validation_error` (url); `service_unavailable` if deliveries remain that enabling
 *   would send
 */
export async function updateEndpoint(
  scope: AccessScope,
  checkUrl: CheckUrl,
  id: string,
  { enabled, url, enabledEvents, description }: UpdateWebhookEndpointRequest,
): Promise<WebhookEndpoint> {
  if (url !== undefined) await requirePublicUrl(checkUrl, url);
  if (enabled === true) await skipRest(scope, id);
  const endpoint = await inTransaction(scope, async (scope) => {
    const endpoint = await lockVisibleEndpoint(scope, id);
    const before = auditState(endpoint);
    const isMoved = url !== undefined && url !== endpoint.url;
    if (isMoved) endpoint.url = url;
    if (enabledEvents !== undefined) endpoint.enabledEvents = enabledEvents ?? [];
    if (description !== undefined) endpoint.description = description;
    if (enabled !== undefined) await switchEndpoint(scope, endpoint, enabled ? 'enable' : 'disable');
    await scope.em.flush();
    if (isMoved) await mailOwners(scope, endpoint);
    const switched = enabled ? 'enabled' : 'disabled';
    const act = enabled === undefined ? 'changed' : switched;
    auditEndpointAct(scope, act, endpoint, { before, after: auditState(endpoint) });
    if (endpoint.status !== before.status) await flushAgainstPublishing(scope, id);
    return endpoint;
  });
  // Also at an endpoint that was disabled before: an earlier request may have run out of time here.
  if (enabled === false) await skipWaiting(scope, id);
  return endpoint;
}

/**
 * Deletes an endpoint with its delivery history, irreversibly. Both disappear from the API at once, and the secrets are
 * erased. The worker purges the history, which may have millions of rows.
 */
export function deleteEndpoint(scope: AccessScope, id: string): Promise<void> {
  return inTransaction(scope, async (scope) => {
    const endpoint = await lockVisibleEndpoint(scope, id);
    auditEndpointAct(scope, 'deleted', endpoint, { before: auditState(endpoint) });
    Object.assign(endpoint, {
      status: stateAfter(ENDPOINT, 'disable'),
      url: '',
      description: null,
      secretCiphertext: '',
      previousSecretCiphertext: null,
      deletedAt: scope.clock.now(),
    } satisfies Partial<WebhookEndpoint>);
    await flushAgainstPublishing(scope, id);
  });
}

/**
 * Gives the endpoint a new secret. The former secret signs in addition for 24 hours; an older one stops signing. A former
 * secret that cannot be decrypted is erased, so that a rotation repairs its endpoint.
 * @param formerMark mark of the secret that the caller means to replace (`secretMark`). Another present secret is kept,
 *   because a second rotation would end the overlap of the first
 * @throws ApiError `not_found`, `webhooks_unavailable`; `validation_error` (formerMark)
 */
export function rotateSecret(scope: AccessScope, id: string, formerMark?: string): Promise<EndpointWithSecret> {
  return inTransaction(scope, async (scope) => {
    const endpoint = await lockVisibleEndpoint(scope, id);
    if (formerMark !== undefined && formerMark !== secretMark(endpoint)) {
      throw new ApiError('validation_error', { param: 'formerMark', message: 'Another rotation was faster.' });
    }
    const secret = newWebhookSecret();
    const until = new Date(scope.clock.now().getTime() + ROTATION_OVERLAP_MS);
    const keepsFormer = canSign(scope, endpoint);
    endpoint.previousSecretCiphertext = keepsFormer ? endpoint.secretCiphertext : null;
    endpoint.previousSecretUntil = keepsFormer ? until : null;
    endpoint.secretCiphertext = encryptOrRefuse(scope, id, secret);
    await scope.em.flush();
    auditEndpointAct(scope, 'secret_rotated', endpoint);
    return { endpoint, secret };
  });
}

/** @throws ApiError `not_found`, `webhooks_unavailable` */
export function showSecret(scope: AccessScope, id: string): Promise<EndpointWithSecret> {
  return inTransaction(scope, async (scope) => {
    const endpoint = await getVisibleEndpoint(scope, id);
    const secret = decryptSecret(scope.keyring, bindingOfSecret(id), endpoint.secretCiphertext);
    if (secret === null) throw webhooksUnavailable();
    auditEndpointAct(scope, 'secret_viewed', endpoint);
    return { endpoint, secret };
  });
}

/** Returns a mark that differs for each secret of an endpoint, and does not reveal it. */
export function secretMark({ secretCiphertext }: WebhookEndpoint): string {
  return createHash('sha256').update(secretCiphertext).digest('base64url');
}

/** @throws ApiError `endpoint_disabled`; `webhooks_unavailable` unless deliveries to this endpoint could be signed now */
export function requireDeliverable(scope: Scope, endpoint: WebhookEndpoint): void {
  if (endpoint.status === 'disabled') throw new ApiError('endpoint_disabled');
  if (!canSign(scope, endpoint)) throw webhooksUnavailable();
}

/** A former secret may be unreadable: its key may be removed. */
function canSign(scope: Scope, { id, secretCiphertext }: WebhookEndpoint): boolean {
  return decryptSecret(scope.keyring, bindingOfSecret(id), secretCiphertext) !== null;
}

function visibleFilter({ practiceId, test, locationId }: Access) {
  return { practiceId, test, deletedAt: null, ...(locationId === null ? {} : { locationId }) };
}

/** Skips all that waits at a disabled endpoint. Each batch commits by itself, so a next request continues. */
async function skipRest(scope: AccessScope, id: string): Promise<void> {
  // So that an endpoint read without a lock is not reused under the lock.
  const unlocked = fresh(scope);
  await getVisibleEndpoint(unlocked, id);
  while (await skipWaiting(unlocked, id));
}

async function switchEndpoint(scope: Scope, endpoint: WebhookEndpoint, event: 'enable' | 'disable'): Promise<void> {
  // It may have been disabled again since `skipRest`. The row still says so, and its deliveries are skipped.
  if (event === 'enable' && (await skipWaiting(scope, endpoint.id))) {
    throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
  }
  endpoint.status = transition(ENDPOINT, endpoint.status, event) ?? endpoint.status;
  if (event === 'enable') endpoint.consecutiveExhausted = 0;
}

/** Asks a name server, so call it outside any transaction. @throws ApiError `validation_error` (url) */
export async function requirePublicUrl(checkUrl: CheckUrl, url: string): Promise<void> {
  const check = await checkUrl(url);
  if (!check.ok) throw new ApiError('validation_error', { param: 'url', message: `url ${check.message}` });
}

/** Refuses an eleventh endpoint. The lock on the practice, unlike `for update`, does not block the creation of links. */
async function requireBelowLimit(scope: AccessScope): Promise<void> {
  const { practiceId, test } = scope.caller;
  await sql(scope.em, 'select from practices where id = $1 for no key update', [practiceId]);
  if ((await scope.em.count(WebhookEndpoint, { practiceId, test, deletedAt: null })) >= MAX_ENDPOINTS) {
    throw new ApiError('limit_reached');
  }
}

function encryptOrRefuse(scope: Scope, endpointId: string, secret: string): string {
  const ciphertext = encryptSecret(scope.keyring, bindingOfSecret(endpointId), secret);
  if (ciphertext === null) throw webhooksUnavailable();
  return ciphertext;
}
