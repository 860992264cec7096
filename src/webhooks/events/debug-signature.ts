import { type Fault, findFault, headerValue } from '../../../packages/paylinks-dev/source/webhooks/diagnosis.ts';
import { isId } from '../../base/ids.ts';
import type { AccessScope } from '../../base/scope.ts';
import { decryptSecret } from '../../base/secrets.ts';
import { canonicalJson } from '../../keys/idempotency.ts';
import { getVisibleEndpoint, placeOfSecret } from '../endpoints/service.ts';
import { WebhookDelivery } from '../model/delivery.entity.ts';
import { WebhookEndpoint } from '../model/endpoint.entity.ts';

/** A webhook as it arrived at a receiver, for the search of its fault. */
export interface ArrivedWebhook {
  /** Value of `Service-Signature`, or its whole line. */
  header: string;
  body: string;
  /** Secret of the receiver. It is used once, and neither stored nor logged. Null: that of the endpoint. */
  secret: string | null;
  /** Endpoint whose secret is used; null if a secret is given. */
  endpointId: string | null;
  /** Time of the arrival. */
  at: Date;
}

export interface Signer {
  url: string;
  test: boolean;
  /** True if it was signed by the secret from before the last rotation. */
  isFormer: boolean;
}

/** Comparison of the body with the bytes that the service sent. */
export interface SentComparison {
  /** Position of the first byte that differs, from 0. */
  firstDifference: number;
  sentBytes: number;
  arrivedBytes: number;
  /** True if both are the same JSON: the body was parsed and written again. */
  isSameJson: boolean;
}

/** Result of the search. `genuine` means that a receiver has to accept the webhook. */
export type SignatureDiagnosis =
  | { kind: 'genuine' }
  | { kind: 'fault'; fault: Fault; signer: Signer | null; comparison: SentComparison | null }
  /** The endpoint's secret cannot be read at the moment. */
  | { kind: 'unsignable' };

/**
 * Finds why a webhook does not verify, by the rule of `paylinks-dev verify`. In addition it knows the other secrets of the
 * practice and the bytes that were sent. It compares with these only if the header signs them, so that nobody can guess
 * a payload by trying.
 *
 * @throws ApiError `not_found` for an endpoint that the caller does not see; RangeError without secret and endpoint
 */
export async function debugSignature(scope: AccessScope, arrived: ArrivedWebhook): Promise<SignatureDiagnosis> {
  const secret = arrived.secret ?? (await findSecret(scope, arrived.endpointId));
  if (secret === null) return { kind: 'unsignable' };
  const candidates = await findCandidates(scope);
  const webhook = {
    secret,
    header: headerValue(arrived.header),
    body: Buffer.from(arrived.body, 'utf8'),
    now: Math.floor(arrived.at.getTime() / 1_000),
    otherSecrets: candidates.map(({ key }) => key),
  };
  const fault = findFault(webhook);
  if (fault === null) return { kind: 'genuine' };
  const found = { kind: 'fault' as const, fault, signer: null, comparison: null };
  if (fault.reason === 'wrong_secret' && fault.otherIndex !== null) {
    return { ...found, signer: candidates[fault.otherIndex]?.signer ?? null };
  }
  if (fault.reason !== 'wrong_secret_or_body' && fault.reason !== 'changed_body') return found;
  const sent = await findSentBody(scope, arrived.body);
  const faultOfSent = sent === null ? null : findFault({ ...webhook, body: sent });
  // Only a header that signs the sent bytes proves that the receiver got them.
  const isSigned = sent !== null && (faultOfSent === null || faultOfSent.reason === 'clock');
  return isSigned ? { ...found, comparison: compare(sent, webhook.body) } : found;
}

/** Returns the endpoint's secret; null if it cannot be decrypted. */
async function findSecret(scope: AccessScope, endpointId: string | null): Promise<string | null> {
  if (endpointId === null) throw new RangeError('a signature is verified with a secret or with that of an endpoint');
  const { id, secretCiphertext } = await getVisibleEndpoint(scope, endpointId);
  return decryptSecret(scope.keyring, placeOfSecret(id), secretCiphertext);
}

/** Returns all secrets of the practice that can be read, of both modes: at most 40. */
async function findCandidates(scope: AccessScope): Promise<{ key: string; signer: Signer }[]> {
  const { practiceId } = scope.caller;
  const endpoints = await scope.em.find(WebhookEndpoint, { practiceId, deletedAt: null });
  return endpoints.flatMap(({ id, url, test, secretCiphertext, previousSecretCiphertext }) =>
    [secretCiphertext, previousSecretCiphertext].flatMap((ciphertext, index) => {
      const key = ciphertext === null ? null : decryptSecret(scope.keyring, placeOfSecret(id), ciphertext);
      return key === null ? [] : [{ key, signer: { url, test, isFormer: index === 1 } }];
    }),
  );
}

/** Returns the bytes that were sent for the event that the body names; null for an unknown one. */
async function findSentBody(scope: AccessScope, body: string): Promise<Buffer | null> {
  const id = /"(evt_[a-z0-9]{26})"/.exec(body)?.[1];
  if (id === undefined || !isId('event', id)) return null;
  const { practiceId, test } = scope.caller;
  const delivery = await scope.em.findOne(WebhookDelivery, { id, practiceId, test }, { populate: ['payload'] });
  return delivery === null ? null : Buffer.from(delivery.payload, 'utf8');
}

function compare(sent: Buffer, arrived: Buffer): SentComparison {
  const shorter = Math.min(sent.length, arrived.length);
  let firstDifference = 0;
  while (firstDifference < shorter && sent[firstDifference] === arrived[firstDifference]) firstDifference++;
  const texts = [normalJson(sent), normalJson(arrived)];
  return {
    firstDifference,
    sentBytes: sent.length,
    arrivedBytes: arrived.length,
    isSameJson: texts[0] !== null && texts[0] === texts[1],
  };
}

function normalJson(bytes: Buffer): string | null {
  try {
    return canonicalJson(JSON.parse(bytes.toString('utf8')));
  } catch {
    return null;
  }
}
