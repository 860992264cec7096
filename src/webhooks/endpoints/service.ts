import { ApiError } from '../../base/errors.ts';
import { isId, newId } from '../../base/ids.ts';
import { findPage, type ListPage, type Page } from '../../base/list-page.ts';
import type { Caller, CallerScope, Scope } from '../../base/scope.ts';
import { decryptSecret, encryptSecret } from '../../base/secrets.ts';
import { stateAfter, transition } from '../../base/state-machine.ts';
import type { CreateWebhookEndpointRequest, UpdateWebhookEndpointRequest } from '../../contract/operations-type.ts';
import { sql } from '../../database/query/sql.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { webhooksUnavailable } from '../../keys/sealed-replies.ts';
import { getVisibleLocation } from '../../practices/service.ts';
import { WebhookEndpoint } from '../model/endpoint.entity.ts';
import { newWebhookSecret } from '../model/signature.ts';
import { ENDPOINT } from '../model/transitions.ts';
import type { UrlCheck } from '../send/destination.ts';
import { skipWaiting } from './disable.ts';

/** Judges a URL that a caller hands in, DNS included; see `checkNewUrl`. */
export type CheckUrl = (url: string) => Promise<UrlCheck>;

/** Section 8 of the interface: endpoints per practice and mode. */
const MAX_ENDPOINTS = 10;

/** How long the former secret signs beside the new one: 24 hours. */
const ROTATION_OVERLAP_MS = 86_400_000;

/** The place a webhook secret is encrypted for. */
export function placeOfSecret(endpointId: string): string {
  return `webhook_endpoints:${endpointId}`;
}

/**
 * Registers an endpoint whose URL has been checked. The secret is returned here and, after rotations, there; it is stored
 * encrypted.
 *
 * @throws ApiError `webhooks_unavailable`, `not_found` (location), `limit_reached`
 */
export async function createEndpoint(
  scope: CallerScope,
  input: CreateWebhookEndpointRequest,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  const locationId = await restrictedTo(scope, input.locationId ?? null);
  return inTransaction(scope, async (scope) => {
    await requireRoom(scope);
    const now = scope.clock.now();
    const id = newId('webhookEndpoint', now);
    const secret = newWebhookSecret();
    const endpoint = scope.em.create(WebhookEndpoint, {
      id,
      practiceId: scope.caller.practiceId,
      test: scope.caller.test,
      locationId,
      url: input.url,
      enabledEvents: input.enabledEvents ?? [],
      description: input.description ?? null,
      status: 'enabled',
      secretCiphertext: seal(scope, id, secret),
      previousSecretCiphertext: null,
      previousSecretUntil: null,
      consecutiveExhausted: 0,
      replayedAt: null,
      createdAt: now,
      deletedAt: null,
    });
    await scope.em.flush();
    return { endpoint, secret };
  });
}

/** One page of the endpoints the key sees, newest first, and how many there are in all. */
export function listVisibleEndpoints(scope: CallerScope, page: Page): Promise<ListPage<WebhookEndpoint>> {
  return findPage(scope.em, WebhookEndpoint, visible(scope.caller), { createdAt: 'desc', id: 'desc' }, page);
}

/** Their ids, at most ten a practice and mode. */
export async function idsOfVisibleEndpoints(scope: CallerScope): Promise<string[]> {
  const endpoints = await scope.em.find(WebhookEndpoint, visible(scope.caller), { fields: ['id'] });
  return endpoints.map(({ id }) => id);
}

/** The endpoint, if the key sees it. @throws ApiError `not_found` */
export async function getVisibleEndpoint(scope: CallerScope, id: string): Promise<WebhookEndpoint> {
  if (!isId('webhookEndpoint', id)) throw new ApiError('not_found');
  const endpoint = await scope.em.findOne(WebhookEndpoint, { ...visible(scope.caller), id });
  if (endpoint === null) throw new ApiError('not_found');
  return endpoint;
}

/**
 * The same, locked for a change; the scope must be in a transaction. Events go on being published meanwhile; against
 * `publishing` the lock makes those wait, too, which must see the endpoint as it is afterwards.
 */
export async function lockVisibleEndpoint(
  scope: CallerScope,
  id: string,
  against?: 'publishing',
): Promise<WebhookEndpoint> {
  // PostgreSQL refuses a NUL in text; what can't be an id is not asked for.
  if (!isId('webhookEndpoint', id)) throw new ApiError('not_found');
  const strength = against === undefined ? 'for no key update' : 'for update';
  const { practiceId, test, locationId } = scope.caller;
  // Nothing outside the key's sight is locked, or waiting for it would tell that it exists.
  await sql(
    scope.em,
    `select from webhook_endpoints
     where id = $1 and practice_id = $2 and test = $3 and ($4::text is null or location_id = $4) and deleted_at is null
     ${strength}`,
    [id, practiceId, test, locationId],
  );
  return getVisibleEndpoint(scope, id);
}

/**
 * Changes an endpoint. Disabling skips what waits, in the same transaction as far as one statement can; enabling starts
 * the count of exhausted events anew and sends nothing by itself.
 */
export async function updateEndpoint(
  scope: CallerScope,
  checkUrl: CheckUrl,
  id: string,
  { enabled, url, enabledEvents, description }: UpdateWebhookEndpointRequest,
): Promise<WebhookEndpoint> {
  if (url !== undefined) await requirePublicUrl(checkUrl, url);
  return inTransaction(scope, async (scope) => {
    const endpoint = await lockVisibleEndpoint(scope, id, enabled === undefined ? undefined : 'publishing');
    if (url !== undefined) endpoint.url = url;
    if (enabledEvents !== undefined) endpoint.enabledEvents = enabledEvents;
    if (description !== undefined) endpoint.description = description;
    if (enabled !== undefined) await switchEndpoint(scope, endpoint, enabled ? 'enable' : 'disable');
    await scope.em.flush();
    return endpoint;
  });
}

/**
 * Deletes an endpoint with its whole delivery history, irreversibly. Nobody sees either any more, nothing is sent, and
 * the secrets are destroyed at once; the history itself, which may be millions of rows, is purged by the worker.
 */
export function deleteEndpoint(scope: CallerScope, id: string): Promise<void> {
  return inTransaction(scope, async (scope) => {
    const endpoint = await lockVisibleEndpoint(scope, id, 'publishing');
    Object.assign(endpoint, {
      status: stateAfter(ENDPOINT, 'disable'),
      url: '',
      description: null,
      secretCiphertext: '',
      previousSecretCiphertext: null,
      deletedAt: scope.clock.now(),
    } satisfies Partial<WebhookEndpoint>);
    await scope.em.flush();
  });
}

/**
 * Gives the endpoint a new secret. The former one signs beside it for 24 hours; one that was still doing so is
 * dropped. A former one that can't be read any more is dropped as well: rotating is the way out for its endpoint.
 *
 * @throws ApiError `not_found`, `webhooks_unavailable`
 */
export function rotateSecret(scope: CallerScope, id: string): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  return inTransaction(scope, async (scope) => {
    const endpoint = await lockVisibleEndpoint(scope, id);
    const secret = newWebhookSecret();
    const until = new Date(scope.clock.now().getTime() + ROTATION_OVERLAP_MS);
    const keepsFormer = canSign(scope, endpoint);
    endpoint.previousSecretCiphertext = keepsFormer ? endpoint.secretCiphertext : null;
    endpoint.previousSecretUntil = keepsFormer ? until : null;
    endpoint.secretCiphertext = seal(scope, id, secret);
    await scope.em.flush();
    return { endpoint, secret };
  });
}

/** @throws ApiError `endpoint_disabled` */
export function requireEnabled(endpoint: WebhookEndpoint): void {
  if (endpoint.status === 'disabled') throw new ApiError('endpoint_disabled');
}

/** @throws ApiError `webhooks_unavailable` unless deliveries to this endpoint could be signed now */
export function requireSigning(scope: Scope, endpoint: WebhookEndpoint): void {
  if (!canSign(scope, endpoint)) throw webhooksUnavailable();
}

/** Whether the newest secret can be read. A former one that can't is no hindrance: its key was removed within the day. */
function canSign(scope: Scope, { id, secretCiphertext }: WebhookEndpoint): boolean {
  return decryptSecret(scope.keyring, placeOfSecret(id), secretCiphertext) !== null;
}

/** What a key sees of endpoints: its practice, its mode, and, pinned, those restricted to its location; none deleted. */
function visible({ practiceId, test, locationId }: Caller) {
  return { practiceId, test, deletedAt: null, ...(locationId === null ? {} : { locationId }) };
}

async function switchEndpoint(scope: Scope, endpoint: WebhookEndpoint, event: 'enable' | 'disable'): Promise<void> {
  endpoint.status = transition(ENDPOINT, endpoint.status, event) ?? endpoint.status;
  if (event === 'enable') endpoint.consecutiveExhausted = 0;
  else await skipWaiting(scope, endpoint.id);
}

/** Asks a name server, so never within a transaction. @throws ApiError `validation_error` (url) */
export async function requirePublicUrl(checkUrl: CheckUrl, url: string): Promise<void> {
  const check = await checkUrl(url);
  if (!check.ok) throw new ApiError('validation_error', { param: 'url', message: `url ${check.message}` });
}

/** The location restriction of a new endpoint: what was asked for, or the pin of the key. */
async function restrictedTo(scope: CallerScope, asked: string | null): Promise<string | null> {
  if (asked === null) return scope.caller.locationId;
  return (await getVisibleLocation(scope, asked, 'locationId')).id;
}

/**
 * Refuses beyond ten endpoints; the practice's row makes concurrent creates wait for each other. Rows that reference the
 * practice can be inserted meanwhile: `for update` would make the practice's links wait, and whoever waits with them.
 */
async function requireRoom(scope: CallerScope): Promise<void> {
  const { practiceId, test } = scope.caller;
  await sql(scope.em, 'select from practices where id = $1 for no key update', [practiceId]);
  if ((await scope.em.count(WebhookEndpoint, { practiceId, test, deletedAt: null })) >= MAX_ENDPOINTS) {
    throw new ApiError('limit_reached');
  }
}

function seal(scope: Scope, endpointId: string, secret: string): string {
  const sealed = encryptSecret(scope.keyring, placeOfSecret(endpointId), secret);
  if (sealed === null) throw webhooksUnavailable();
  return sealed;
}
