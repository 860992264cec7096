import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

/** Faults of an answer that a test wants. */
export interface AnswerFaults {
  origin?: string;
  rpId?: string;
  /** False: the authenticator did not check the fingerprint, face or PIN. */
  userVerified?: boolean;
  /** Count of uses that the authenticator reports; by default one more than the last one. */
  counter?: number;
  type?: string;
}

/** Options that the server sends, as far as the authenticator reads them. */
interface Options {
  challenge: string;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** An authenticator with one passkey, as software. It answers as a browser would, or with the faults that a test wants. */
export class Authenticator {
  readonly #origin: string;
  readonly #credentialId = randomBytes(32);
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  #counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    [this.#privateKey, this.#publicKey] = [pair.privateKey, pair.publicKey];
  }

  /** Makes the passkey, and returns the answer to the options of a registration, as JSON. */
  register({ challenge }: Options, faults: AnswerFaults = {}): string {
    const clientData = this.#clientData('webauthn.create', challenge, faults);
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    // COSE: an elliptic key (1: 2) for ES256 (3: -7) on P-256 (-1: 1) with its coordinates.
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ]);
    const length = Buffer.from([0, this.#credentialId.length]);
    const credential = [Buffer.alloc(16), length, this.#credentialId, isoCBOR.encode(key)];
    const authData = Buffer.concat([this.#authenticatorData(HAS_CREDENTIAL, faults), ...credential]);
    const attestation = new Map<string, string | Uint8Array | Map<string, string>>([
      ['fmt', 'none'],
      ['attStmt', new Map<string, string>()],
      ['authData', new Uint8Array(authData)],
    ]);
    const attestationObject = Buffer.from(isoCBOR.encode(attestation)).toString('base64url');
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      attestationObject,
      transports: ['internal'],
    });
  }

  /** Returns the answer to the options of a sign-in, as JSON. */
  signIn({ challenge }: Options, faults: AnswerFaults = {}): string {
    this.#counter = faults.counter ?? this.#counter + 1;
    const clientData = this.#clientData('webauthn.get', challenge, faults);
    const authData = this.#authenticatorData(0, faults);
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()]);
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', signed, this.#privateKey).toString('base64url'),
    });
  }

  #clientData(type: string, challenge: string, faults: AnswerFaults): Buffer {
    return Buffer.from(JSON.stringify({ type: faults.type ?? type, challenge, origin: faults.origin ?? this.#origin }));
  }

  #authenticatorData(flags: number, { rpId = new URL(this.#origin).hostname, userVerified = true }: AnswerFaults) {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    const allFlags = flags | USER_PRESENT | (userVerified ? USER_VERIFIED : 0);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([allFlags]), counter]);
  }

  #answer(response: object): string {
    const id = this.#credentialId.toString('base64url');
    return JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} });
  }
}
