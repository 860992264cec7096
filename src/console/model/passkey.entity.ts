import { defineEntity, p } from '@mikro-orm/postgresql';

const PasskeySchema = defineEntity({
  name: 'Passkey',
  tableName: 'passkeys',
  properties: {
    id: p.string().primary(),
    personId: p.string(),
    /** In base64url, as browsers name it. */
    credentialId: p.string(),
    /** In COSE form. */
    publicKey: p.blob(),
    /** Number of uses that the authenticator last reported; always 0 if it does not count. */
    counter: p.bigint(),
    transports: p.array(),
    name: p.string(),
    lastUsedAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3),
  },
});

export class Passkey extends PasskeySchema.class {}
PasskeySchema.setClass(Passkey);
