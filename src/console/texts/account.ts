export const ownAccount = {
  sessions: {
    methods: { mail: 'emailed link', passkey: 'passkey' },
  },
  add: {
    title: 'Add a passkey',
    text: 'Your device asks for your fingerprint, face or PIN. Add one passkey on each device that you use.',
    name: 'Name of the passkey',
    nameHint: 'A name by which you know the device, such as “Front desk computer”.',
    failed: 'No passkey was created. Try again.',
    needsScript: 'Adding a passkey needs JavaScript and a browser that knows passkeys.',
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
