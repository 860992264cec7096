export const ownAccount = {
  title: { en: 'Your account', es: 'Su cuenta' },
  lead: (email: string) => ({ en: `You are signed in as ${email}.`, es: `La sesión está iniciada como ${email}.` }),
  name: {
    title: { en: 'Your name', es: 'Su nombre' },
    label: { en: 'First and last name', es: 'Nombre y apellido' },
    hint: { en: 'Your practice sees it beside your address.', es: 'Su consultorio lo ve junto a su correo.' },
  },
  sessions: {
    title: { en: 'Where you are signed in', es: 'Dónde tiene la sesión iniciada' },
    text: {
      en: 'A session ends after 15 minutes without a click. End any that you do not recognize, and remove passkeys that you do not recognize.',
      es: 'Una sesión termina tras 15 minutos sin un clic. Cierre las que no reconozca, y quite las llaves que no reconozca.',
    },
    device: { en: 'Browser and device', es: 'Navegador y dispositivo' },
    unknownDevice: { en: 'Unknown browser', es: 'Navegador desconocido' },
    own: { en: 'this one', es: 'esta' },
    signedIn: { en: 'Signed in', es: 'Inicio de sesión' },
    method: { en: 'By', es: 'Con' },
    end: { en: 'End', es: 'Cerrar' },
    endLabel: (device: string) => ({ en: `End the session: ${device}`, es: `Cerrar la sesión: ${device}` }),
  },
  passkeys: {
    title: { en: 'Passkeys', es: 'Llaves de acceso' },
    about: {
      en:
        'With a passkey you sign in by the fingerprint, face or PIN of your device, without an email. The passkey stays on ' +
        'your device or in your password manager. It works on this site only, so no fake site can steal it.',
      es:
        'Con una llave de acceso (passkey) inicia sesión con la huella, la cara o el PIN de su dispositivo, sin correo. La ' +
        'llave queda en su dispositivo o en su gestor de contraseñas. Solo funciona en este sitio; ningún sitio falso puede robarla.',
    },
    none: { en: 'You have no passkey yet.', es: 'Todavía no tiene ninguna llave de acceso.' },
    added: (day: string) => ({ en: `Added on ${day}.`, es: `Añadida el ${day}.` }),
    lastUsed: (day: string) => ({ en: `Last used on ${day}.`, es: `Último uso: ${day}.` }),
    neverUsed: { en: 'Not used yet.', es: 'Todavía sin usar.' },
  },
  add: {
    title: { en: 'Add a passkey', es: 'Añadir una llave de acceso' },
    text: {
      en: 'Your device asks for your fingerprint, face or PIN. Add one passkey on each device that you use.',
      es: 'Su dispositivo le pide la huella, la cara o el PIN. Añada una llave en cada dispositivo que use.',
    },
    name: { en: 'Name of the passkey', es: 'Nombre de la llave' },
    nameHint: {
      en: 'A name by which you know the device, such as “Front desk computer”.',
      es: 'Un nombre que le recuerde el dispositivo, por ejemplo «Computadora de recepción».',
    },
    failed: { en: 'No passkey was created. Try again.', es: 'No se creó ninguna llave. Inténtelo de nuevo.' },
    needsScript: {
      en: 'Adding a passkey needs JavaScript and a browser that knows passkeys.',
      es: 'Para añadir una llave hace falta JavaScript y un navegador que conozca las llaves de acceso.',
    },
  },
  remove: {
    label: (name: string) => ({ en: `Yes, remove “${name}”`, es: `Sí, quitar «${name}»` }),
    button: { en: 'Remove', es: 'Quitar' },
  },
  done: {
    session_ended: { en: 'The session is ended.', es: 'La sesión está cerrada.' },
    added: { en: 'The passkey is added for your next sign-in.', es: 'La llave está lista para la próxima vez.' },
    removed: {
      en: 'The passkey no longer signs in. You can delete it from your device, too.',
      es: 'La llave ya no sirve para iniciar sesión. También puede borrarla de su dispositivo.',
    },
  },
  refusals: {
    invalid: { en: 'The passkey was not accepted. Try again.', es: 'La llave no fue aceptada. Inténtelo de nuevo.' },
    known: { en: 'This passkey is already in use.', es: 'Esta llave de acceso ya está en uso.' },
    too_many: { en: '20 passkeys is the limit. Remove one first.', es: '20 llaves es el límite. Quite una antes.' },
    no_name: {
      en: 'Give the passkey a name, without invisible marks of direction.',
      es: 'Dé un nombre a la llave de acceso, sin marcas invisibles de dirección.',
    },
  },
  signIn: {
    title: { en: 'Or use a passkey', es: 'O use una llave de acceso' },
    text: {
      en: 'If you have added a passkey, your fingerprint, face or PIN is enough.',
      es: 'Si ha añadido una llave de acceso, basta con su huella, su cara o su PIN.',
    },
    button: { en: 'Sign in with a passkey', es: 'Iniciar sesión con una llave' },
    failed: { en: 'No passkey was used. Ask for a link instead.', es: 'No se usó ninguna llave. Pida un enlace.' },
    refused: { en: 'This passkey does not work here. Ask for a link.', es: 'Esta llave no sirve. Pida un enlace.' },
  },
};

export type PasskeyRefusal = keyof typeof ownAccount.refusals;
