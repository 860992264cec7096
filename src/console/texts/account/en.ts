import type { PasskeyRefusal } from '../../model/refusals.ts';

/** The English texts of the account. */
export const ownAccount = {
  title: 'Your account',
  lead: (email: string) => `You are signed in as ${email}.`,
  passkeys: {
    title: 'Passkeys',
    about:
      'With a passkey you sign in by the fingerprint, face or PIN of your device, without a mail. The passkey stays on ' +
      'your device or in your password manager. It works on this site only, so no false site can steal it.',
    none: 'You have no passkey yet.',
    added: (day: string) => `Added on ${day}.`,
    lastUsed: (day: string) => `Last used on ${day}.`,
    neverUsed: 'Not used yet.',
  },
  add: {
    title: 'Add a passkey',
    text: 'Your device asks for your fingerprint, face or PIN. Add one passkey on each device that you use.',
    name: 'Name of the passkey',
    nameHint: 'A name by which you know the device, such as “Front desk computer”.',
    button: 'Add a passkey',
    failed: 'No passkey was made. Try again, or use another device.',
    needsScript: 'Adding a passkey needs JavaScript and a browser that knows passkeys.',
    needsFresh: 'This needs a sign-in of the last 15 minutes. We send you a link that leads back to this page.',
  },
  remove: {
    label: (name: string) => `Yes, remove “${name}”`,
    button: 'Remove',
    notConfirmed: 'Tick the box to confirm the removal.',
  },
  done: {
    added: 'The passkey was added. Use it at your next sign-in.',
    removed: 'The passkey no longer signs in. You can delete it from your device, too.',
  },
  refusals: {
    invalid: 'The answer of your device was not accepted. Try again.',
    known: 'This passkey is already in use.',
    too_many: 'You have 20 passkeys, which is the limit. Remove one first.',
    no_name: 'Give the passkey a name.',
  } satisfies Record<PasskeyRefusal, string>,
  signIn: {
    title: 'Or use a passkey',
    text: 'If you have added a passkey, your fingerprint, face or PIN is enough.',
    button: 'Sign in with a passkey',
    failed: 'No passkey was used. Try again, or have a link sent to you.',
    refused: 'This passkey does not sign in here. Have a link sent to you instead.',
  },
};
