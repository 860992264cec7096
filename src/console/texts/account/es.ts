import type { ownAccount as english } from './en.ts';

/** The Spanish texts of the account. */
export const ownAccount: typeof english = {
  title: 'Su cuenta',
  lead: (email) => `La sesión está iniciada como ${email}.`,
  passkeys: {
    title: 'Llaves de acceso',
    about:
      'Con una llave de acceso (passkey) inicia sesión con la huella, la cara o el PIN de su dispositivo, sin correo. La ' +
      'llave queda en su dispositivo o en su gestor de contraseñas. Solo funciona en este sitio; ningún sitio falso puede robarla.',
    none: 'Todavía no tiene ninguna llave de acceso.',
    added: (day) => `Añadida el ${day}.`,
    lastUsed: (day) => `Último uso: ${day}.`,
    neverUsed: 'Todavía sin usar.',
  },
  add: {
    title: 'Añadir una llave de acceso',
    text: 'Su dispositivo le pide la huella, la cara o el PIN. Añada una llave en cada dispositivo que use.',
    name: 'Nombre de la llave',
    nameHint: 'Un nombre que le recuerde el dispositivo, por ejemplo «Computadora de recepción».',
    button: 'Añadir una llave de acceso',
    failed: 'No se creó ninguna llave. Inténtelo de nuevo o con otro dispositivo.',
    needsScript: 'Para añadir una llave hace falta JavaScript y un navegador que conozca las llaves de acceso.',
    needsFresh:
      'Esto exige haber iniciado sesión en los últimos 15 minutos. Le enviamos un enlace que vuelve a esta página.',
  },
  remove: {
    label: (name) => `Sí, quitar «${name}»`,
    button: 'Quitar',
    notConfirmed: 'Marque la casilla para confirmar.',
  },
  done: {
    added: 'La llave de acceso está añadida. Úsela la próxima vez que inicie sesión.',
    removed: 'La llave ya no sirve para iniciar sesión. También puede borrarla de su dispositivo.',
  },
  refusals: {
    invalid: 'La respuesta de su dispositivo no fue aceptada. Inténtelo de nuevo.',
    known: 'Esta llave de acceso ya está en uso.',
    too_many: 'Ya tiene 20 llaves de acceso, que es el límite. Quite una antes.',
    no_name: 'Dé un nombre a la llave de acceso.',
  },
  signIn: {
    title: 'O use una llave de acceso',
    text: 'Si ha añadido una llave de acceso, basta con su huella, su cara o su PIN.',
    button: 'Iniciar sesión con una llave',
    failed: 'No se usó ninguna llave. Inténtelo de nuevo o pida un enlace.',
    refused: 'Esta llave no sirve aquí. Pida un enlace por correo.',
  },
};
