export const ownAccount = {
  title: 'Your account',
  lead: (email: string) => `You are signed in as ${email}.`,
  name: {
    title: 'Your name',
    label: 'First and last name',
    hint: 'Your practice sees it beside your address.',
  },
  sessions: {
    title: 'Where you are signed in',
    text: 'A session ends after 15 minutes without a click. End any that you do not recognize, and remove passkeys that you do not recognize.',
    device: 'Browser and device',
    unknownDevice: 'Unknown browser',
    own: 'this one',
    signedIn: 'Signed in',
    method: 'By',
    methods: { mail: 'emailed link', passkey: 'passkey' },
    end: 'End',
    endLabel: (device: string) => `End the session: ${device}`,
  },
  passkeys: {
    title: 'Passkeys',
    about:
      'With a passkey you sign in by the fingerprint, face or PIN of your device, without an email. The passkey stays on ' +
      'your device or in your password manager. It works on this site only, so no fake site can steal it.',
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
    failed: 'No passkey was created. Try again.',
    needsScript: 'Adding a passkey needs JavaScript and a browser that knows passkeys.',
  },
  remove: {
    label: (name: string) => `Yes, remove “${name}”`,
    button: 'Remove',
  },
  done: {
    session_ended: 'The session is ended.',
    added: 'The passkey is added for your next sign-in.',
    removed: 'The passkey no longer signs in. You can delete it from your device, too.',
  },
  refusals: {
    invalid: 'The passkey was not accepted. Try again.',
    known: 'This passkey is already in use.',
    too_many: '20 passkeys is the limit. Remove one first.',
    no_name: 'Give the passkey a name, without invisible marks of direction.',
  },
  signIn: {
    title: 'Or use a passkey',
    text: 'If you have added a passkey, your fingerprint, face or PIN is enough.',
    button: 'Sign in with a passkey',
    failed: 'No passkey was used. Ask for a link instead.',
    refused: 'This passkey does not work here. Ask for a link.',
  },
};

export type PasskeyRefusal = keyof typeof ownAccount.refusals;
