import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

/*
 * Answers of browsers about passkeys, as JSON in a field of a form. Only what is needed to look for challenge and passkey
 * is checked here; the library checks all else.
 */

/** Returns the answer about a new passkey; null for any other text. */
export function parseAttestation(text: string): RegistrationResponseJSON | null {
  const answer = parse(text);
  // The library checks every other field before it uses it.
  return answer === null ? null : (answer as RegistrationResponseJSON);
}

/** Returns the answer of a passkey that signs in; null for any other text. */
export function parseAssertion(text: string): AuthenticationResponseJSON | null {
  const answer = parse(text);
  // The library checks the other fields of this answer, too.
  return answer === null ? null : (answer as AuthenticationResponseJSON);
}

/** Returns the challenge that a passkey signed; null if the answer names none. */
export function challengeIn({ response }: RegistrationResponseJSON | AuthenticationResponseJSON): string | null {
  const data = readJson(Buffer.from(response.clientDataJSON, 'base64url').toString());
  return isRecord(data) && typeof data.challenge === 'string' ? data.challenge : null;
}

/** Ids of credentials have at most 1023 bytes. */
const BASE64URL = /^[\w-]{1,1364}$/;

/** The fields of an answer that are checked here. */
interface Answer {
  id: string;
  response: { clientDataJSON: string };
}

function parse(text: string): Answer | null {
  const json = readJson(text);
  if (!isRecord(json) || typeof json.id !== 'string' || !BASE64URL.test(json.id) || !isRecord(json.response))
    return null;
  const { clientDataJSON } = json.response;
  return typeof clientDataJSON === 'string'
    ? { ...json, id: json.id, response: { ...json.response, clientDataJSON } }
    : null;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
