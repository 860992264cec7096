import { randomBytes } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { newId } from '../../../platform/base/ids.ts';
import type { Scope } from '../../../platform/base/scope.ts';
import { parseName } from '../../../platform/base/text.ts';
import { sql } from '../../../platform/database/query/sql.ts';
import { inTransaction } from '../../../platform/database/query/transaction.ts';
import { letter } from '../../../practices/mail/letter.ts';
import { MAIL_JOB, MAIL_TRIES } from '../../../practices/mail/mail-queue.ts';
import type { Mailer } from '../../../practices/mail/mailer.ts';
import { Passkey } from '../../model/passkey.entity.ts';
import { lockPerson } from './access.ts';
import type { NewCookies, PersonActor, Session, SigningBrowser } from './sessions.ts';
import { auditForPractices, openSession } from './sessions.ts';
import { hashToken } from './tokens.ts';

export type PasskeyRefusal = 'invalid' | 'known' | 'too_many' | 'no_name';

/*
 * Passkeys (WebAuthn), which belong to the host of PUBLIC_URL. Every use needs the person's fingerprint, face or PIN. The browser finds
 * the passkey itself, so our answers do not show which people have one.
 */

const MAX_PASSKEYS = 20;
export const MAX_NAME_LENGTH = 60;

const TIMEOUT_MS = 2 * 60_000;
const CHALLENGE_MS = 5 * 60_000;

const BASE64URL = /^[\w-]{1,1364}$/;

/** Ed25519, ES256 and RS256 (COSE). All authenticators know one of them; Node calls the library's newer ones experimental. */
const ALGORITHMS = [-8, -7, -257];

/** Ways to reach an authenticator that browsers name. Others are not kept. */
const TRANSPORTS = ['ble', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

/** The library takes a quarter of a second and 30 MB, and most processes never need it. */
const loadLibrary = () => import('@simplewebauthn/server');

export function listPasskeys({ em }: Scope, personId: string): Promise<Passkey[]> {
  return em.find(Passkey, { personId }, { orderBy: { id: 'asc' } });
}

export async function listPeopleWithPasskeys({ em }: Scope, practiceId: string): Promise<ReadonlySet<string>> {
  const text =
    'select person_id as id from memberships m where practice_id = $1 and exists (select from passkeys k where k.person_id = m.person_id)';
  const rows = await sql<{ id: string }>(em, text, [practiceId]);
  return new Set(rows.map(({ id }) => id));
}

export async function registrationOptions(scope: Scope, { personId, email }: Session) {
  const { generateRegistrationOptions } = await loadLibrary();
  const own = await listPasskeys(scope, personId);
  const challenge = await createChallenge(scope, personId);
  return generateRegistrationOptions({
    rpName: 'Paylinks',
    rpID: readSite(scope).rpID,
    userName: email,
    // Authenticators keep it, and may show it to anyone who holds them. The id says nothing about the person.
    userID: Buffer.from(personId),
    challenge: Buffer.from(challenge, 'base64url'),
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: own.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

export async function addPasskey(
  scope: Scope,
  actor: PersonActor,
  typedName: string,
  text: string,
): Promise<'done' | PasskeyRefusal> {
  const name = parseName([...typedName].slice(0, MAX_NAME_LENGTH).join(''), MAX_NAME_LENGTH);
  if (name === null) return 'no_name';
  const answer = await takeAnswer<RegistrationResponseJSON>(scope, text, actor.id);
  const credential = answer && (await verifyAttestation(answer));
  if (credential === null) return 'invalid';
  // The library hands them on as the browser sent them.
  const transports = Array.isArray(credential.transports) ? credential.transports : [];
  return inTransaction(scope, async (scope) => {
    // With the lock, requests at the same time are counted one by one, and nobody adds one while being removed.
    if (!(await lockPerson(scope, actor.id))) return 'invalid';
    const own = await listPasskeys(scope, actor.id);
    if (own.length >= MAX_PASSKEYS) return 'too_many';
    if ((await scope.em.count(Passkey, { credentialId: credential.id })) > 0) return 'known';
    const now = scope.clock.now();
    const passkey = scope.em.create(Passkey, {
      id: newId('passkey', now),
      personId: actor.id,
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      counter: BigInt(credential.counter),
      transports: TRANSPORTS.filter((transport) => transports.includes(transport)),
      name,
      lastUsedAt: null,
      createdAt: now,
    });
    scope.em.persist(passkey);
    await auditForPractices(scope, actor, 'passkey.added', { after: stateOf(passkey) });
    await queuePasskeyMails(scope, passkey.id, actor.id);
    return 'done';
  });
}

/** Removes a passkey of the person who acts. Returns false if the person has none with this id. */
export function removePasskey(scope: Scope, actor: PersonActor, id: string): Promise<boolean> {
  return inTransaction(scope, async (scope) => {
    const passkey = await scope.em.findOne(Passkey, { id, personId: actor.id });
    if (passkey === null) return false;
    scope.em.remove(passkey);
    await auditForPractices(scope, actor, 'passkey.removed', { before: stateOf(passkey) });
    return true;
  });
}

export async function signInOptions(scope: Scope) {
  const { generateAuthenticationOptions } = await loadLibrary();
  const challenge = await createChallenge(scope, null);
  return generateAuthenticationOptions({
    rpID: readSite(scope).rpID,
    challenge: Buffer.from(challenge, 'base64url'),
    timeout: TIMEOUT_MS,
    userVerification: 'required',
  });
}

/** Signs a person in by the answer of a passkey; null if anything is wrong with it. The challenge is used up in any case. */
export async function signInByPasskey(scope: Scope, text: string, browser: SigningBrowser): Promise<NewCookies | null> {
  const answer = await takeAnswer<AuthenticationResponseJSON>(scope, text, null);
  const passkey = answer && (await scope.em.findOne(Passkey, { credentialId: answer.response.id }));
  const counter = passkey && (await verifyAssertion(answer, passkey));
  if (passkey === null || counter === null) return null;
  return inTransaction(scope, async (scope) => {
    const { id, personId } = passkey;
    if (!(await lockPerson(scope, personId)) || !(await countUse(scope, id, counter))) return null;
    return openSession(scope, personId, browser, 'passkey');
  });
}

/** Records a use; false if the passkey is gone, or its count does not ascend, because it was copied. */
async function countUse({ em, clock }: Scope, id: string, counter: number): Promise<boolean> {
  const text = `update passkeys set counter = $2, last_used_at = $3
     where id = $1 and (counter < $2 or (counter = 0 and $2 = 0)) returning 1`;
  const rows = await sql(em, text, [id, counter, clock.now()]);
  return rows.length > 0;
}

/** Returns the new credential; null if the answer is not one of our page to this challenge. */
async function verifyAttestation(answer: PasskeyAnswer<RegistrationResponseJSON>) {
  const { verifyRegistrationResponse } = await loadLibrary();
  const options = { ...answer, supportedAlgorithmIDs: ALGORITHMS };
  // The library throws for faults of the answer only.
  const result = await verifyRegistrationResponse(options).catch(() => null);
  return result?.verified === true ? result.registrationInfo.credential : null;
}

/** Returns the count of uses; null if the passkey did not sign this challenge for our page. */
async function verifyAssertion(
  answer: PasskeyAnswer<AuthenticationResponseJSON>,
  { credentialId, publicKey, counter }: Passkey,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  const credential = { id: credentialId, publicKey: new Uint8Array(publicKey), counter: Number(counter) };
  const result = await verifyAuthenticationResponse({ ...answer, credential }).catch(() => null);
  return result?.verified === true ? result.authenticationInfo.newCounter : null;
}

function readSite({ consoleUrl }: Scope): { rpID: string; origin: string } {
  const { hostname, origin } = new URL(consoleUrl);
  return { rpID: hostname, origin };
}

function stateOf({ id, name }: Passkey): object {
  return { passkeyId: id, name };
}

/** Creates a challenge for a person who adds a passkey, or with null for a sign-in. It is in base64url. */
async function createChallenge({ em, clock }: Scope, personId: string | null): Promise<string> {
  const challenge = randomBytes(32).toString('base64url');
  const expiresAt = new Date(clock.now().getTime() + CHALLENGE_MS);
  const text = 'insert into passkey_challenges (hash, person_id, expires_at) values ($1, $2, $3)';
  await sql(em, text, [hashToken(challenge), personId, expiresAt]);
  return challenge;
}

/** The fields of an answer that are read here. The library checks every other field before it uses it. */
interface AnswerFields {
  id?: unknown;
  response?: { clientDataJSON?: unknown };
}

/** The answer of a browser, with all that the library compares with it. */
type PasskeyAnswer<Response extends AnswerFields> = NonNullable<Awaited<ReturnType<typeof takeAnswer<Response>>>>;

/** Reads the answer of a browser, and uses up its challenge; null for any other text, person or purpose, or a used or old challenge. */
async function takeAnswer<Response extends AnswerFields>(scope: Scope, text: string, personId: string | null) {
  const response = readJson<Response>(text);
  const clientData = response?.response?.clientDataJSON;
  if (typeof response?.id !== 'string' || !BASE64URL.test(response.id) || typeof clientData !== 'string') return null;
  const challenge = readJson<{ challenge?: unknown }>(Buffer.from(clientData, 'base64url').toString())?.challenge;
  if (typeof challenge !== 'string') return null;
  const rows = await sql(
    scope.em,
    `delete from passkey_challenges where hash = $1 and person_id is not distinct from $2 and expires_at > $3
     returning 1`,
    [hashToken(challenge), personId, scope.clock.now()],
  );
  if (rows.length === 0) return null;
  const { rpID, origin } = readSite(scope);
  const site = { expectedOrigin: origin, expectedRPID: rpID };
  return { response, expectedChallenge: challenge, ...site, requireUserVerification: true };
}

/** Parses an object, whose fields nobody has checked yet; null for any other text. */
function readJson<Fields extends object>(text: string): Fields | null {
  try {
    return Object(JSON.parse(text));
  } catch {
    return null;
  }
}

const toPerson = (email: string, account: string) =>
  letter(
    `A passkey was added to your account ${email}. It signs in to the Paylinks console without an email.`,
    'If you did not add it, remove it in your account and sign out everywhere:',
    account,
  );

const toOwner = (email: string) =>
  letter(
    `${email}, who belongs to your practice, added a passkey. It signs in to the Paylinks console without an email.`,
    'If you did not expect it, ask this person. You can lock the person on the page “People” of the console.',
  );

export const PASSKEY_MAIL_TASK = 'send_passkey_mail';

/** Queues mails about a new passkey to its person, and to the owners of all their practices, in the caller's transaction. */
async function queuePasskeyMails({ em }: Scope, passkeyId: string, personId: string): Promise<void> {
  await sql(
    em,
    `select graphile_worker.add_job('${PASSKEY_MAIL_TASK}', json_build_object('passkeyId', $1::text, 'personId', $2::text,
       'recipientId', r.id), ${MAIL_JOB}, max_attempts := $3::integer)
     from (select $2::text as id union select o.person_id from memberships m
       join memberships o on o.practice_id = m.practice_id and o.role = 'owner' and o.locked_at is null where m.person_id = $2) r`,
    [passkeyId, personId, MAIL_TRIES],
  );
}

/** Sends a mail about a new passkey, unless an owner lost that role. It has no name of the passkey, which people type. @throws MailFailed */
export async function sendPasskeyMail(
  scope: Scope,
  mailer: Mailer,
  { passkeyId, personId, recipientId }: Record<'passkeyId' | 'personId' | 'recipientId', string>,
): Promise<void> {
  const [people] = await sql<{ email: string; recipient: string }>(
    scope.em,
    `select p.email, r.email as recipient from people p, people r where p.id = $1 and r.id = $2
       and exists (select from memberships m join memberships o on o.practice_id = m.practice_id and o.locked_at is null
         where m.person_id = p.id and o.person_id = r.id and (o.role = 'owner' or r.id = p.id))`,
    [personId, recipientId],
  );
  if (people === undefined) return;
  const account = `${scope.consoleUrl}/console/account`;
  const text = personId === recipientId ? toPerson(people.email, account) : toOwner(people.email);
  const subject = 'A new passkey for the Paylinks console';
  await mailer.send({ to: people.recipient, id: `${passkeyId}.${recipientId}`, subject, text });
}
