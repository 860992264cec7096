export const people = {
  title: { en: 'People', es: 'Personas' },
  table: {
    person: { en: 'Person', es: 'Persona' },
    role: { en: 'Role', es: 'Función' },
    locations: { en: 'Locations', es: 'Sedes' },
    since: { en: 'Member since', es: 'Miembro desde' },
    lastSignIn: { en: 'Last sign-in', es: 'Último inicio de sesión' },
    passkey: { en: 'Passkey', es: 'Llave de acceso' },
    actions: { en: 'Actions', es: 'Acciones' },
  },
  allLocations: { en: 'All locations', es: 'Todas las sedes' },
  onlyLocations: { en: 'Only these locations', es: 'Solo estas sedes' },
  you: { en: 'you', es: 'usted' },
  states: {
    active: { en: 'Active', es: 'Activa' },
    locked: { en: 'Locked', es: 'Bloqueada' },
    invited: { en: 'Invited', es: 'Invitada' },
  },
  lockedSince: (day: string) => ({ en: `Locked since ${day}`, es: `Bloqueada desde el ${day}` }),
  invite: {
    title: { en: 'Invite a person', es: 'Invitar a una persona' },
    text: {
      en: 'The person gets an email with a link, and belongs to the practice after accepting. The link works for 7 days.',
      es: 'La persona recibe un correo con un enlace, y pertenece al consultorio cuando acepta. El enlace funciona 7 días.',
    },
    button: { en: 'Send the invitation', es: 'Enviar la invitación' },
  },
  invitations: {
    text: {
      en: 'Invited people have not accepted yet. They see nothing of this practice, and you see nothing of theirs.',
      es: 'Las personas invitadas todavía no han aceptado. No ven nada de este consultorio, y usted no ve nada de ellas.',
    },
    until: (day: string) => ({ en: `until ${day}`, es: `hasta el ${day}` }),
    expired: { en: 'expired', es: 'vencida' },
    sendAgain: { en: 'Send again', es: 'Enviar de nuevo' },
    withdraw: { en: 'Withdraw', es: 'Retirar' },
  },
  rolesHelp: { en: 'What each role may do', es: 'Qué puede hacer cada función' },
  locationsHelp: {
    en: 'Owners and developers always see all locations. People who see only some cannot manage people, keys or settings.',
    es: 'Titulares y desarrolladores siempre ven todas las sedes. Quien solo ve algunas no administra personas, claves ni ajustes.',
  },
  access: { en: 'Role and locations', es: 'Función y sedes' },
  lock: {
    title: { en: 'Lock', es: 'Bloquear' },
    text: {
      en: 'The person loses access to this practice at once, until you unlock. Role, locations and name stay, and API keys work on.',
      es: 'La persona pierde el acceso a este consultorio de inmediato, hasta que la desbloquee. La función, las sedes y el nombre se conservan, y las claves de API siguen funcionando.',
    },
    label: { en: 'Yes, lock this person out', es: 'Sí, bloquear a esta persona' },
  },
  unlock: {
    title: { en: 'Unlock', es: 'Desbloquear' },
    text: {
      en: 'The person may use this practice again, with the same role and locations.',
      es: 'La persona puede usar de nuevo este consultorio, con la misma función y las mismas sedes.',
    },
  },
  change: (email: string) => ({ en: `Change ${email}`, es: `Cambiar ${email}` }),
  remove: {
    title: { en: 'Remove from the practice', es: 'Quitar del consultorio' },
    text: (email: string) => ({
      en: `${email} loses access to this practice at once.`,
      es: `${email} pierde el acceso a este consultorio de inmediato.`,
    }),
    label: { en: 'Yes, remove this person', es: 'Sí, quitar a esta persona' },
    stays: {
      keys: {
        en: 'The person created these live API keys and may know them. They work on until they are revoked. Programs that use a revoked key need a new one.',
        es: 'La persona creó estas claves de API reales y puede conocerlas. Funcionan hasta que se revoquen. Los programas que usan una clave revocada necesitan otra.',
      },
      revoke: (key: string) => ({ en: `Revoke ${key}`, es: `Revocar ${key}` }),
      endpoints: {
        en: 'The person added these live webhook endpoints. They get data of patients until you delete them:',
        es: 'La persona añadió estos puntos de conexión reales. Reciben datos de pacientes hasta que los elimine:',
      },
      notifications: {
        en: 'This address gets notifications of the practice until you remove it.',
        es: 'Este correo recibe avisos del consultorio hasta que lo quite.',
      },
    },
    button: { en: 'Remove', es: 'Quitar' },
  },
  done: {
    invited: { en: 'The invitation is on its way.', es: 'La invitación está en camino.' },
    locked: { en: 'The person is locked out.', es: 'La persona está bloqueada.' },
    unlocked: { en: 'The person has access again.', es: 'La persona tiene acceso de nuevo.' },
    removed: { en: 'The person was removed.', es: 'La persona ya no pertenece al consultorio.' },
    withdrawn: { en: 'The invitation was withdrawn.', es: 'La invitación está retirada.' },
  },
  refusals: {
    invalid_email: {
      en: 'Enter an address such as ada@example.com, in letters without accents.',
      es: 'Escriba un correo como ada@example.com, sin acentos.',
    },
    already_member: { en: 'This person is a member already.', es: 'Esta persona ya es miembro.' },
    already_invited: { en: 'Already invited. Send it again.', es: 'Ya está invitada. Envíela de nuevo.' },
    practice_limit: {
      en: 'A practice sends at most 20 invitations an hour. Try again later.',
      es: 'Un consultorio envía como máximo 20 invitaciones por hora. Inténtelo más tarde.',
    },
    recipient_limit: {
      en: 'This address has received three invitations in the last 24 hours. Try again tomorrow.',
      es: 'Esta dirección recibió tres invitaciones en las últimas 24 horas. Inténtelo mañana.',
    },
    no_name: {
      en: 'Enter a name of at most 100 characters, without invisible marks of direction.',
      es: 'Escriba un nombre de 100 caracteres como máximo, sin marcas invisibles de dirección.',
    },
    unknown_location: {
      en: 'Choose all locations, or only these and at least one of them.',
      es: 'Elija todas las sedes, o solo estas y al menos una de ellas.',
    },
    role_with_locations: {
      en: 'Owners and developers always see all locations.',
      es: 'Titulares y desarrolladores siempre ven todas las sedes.',
    },
    rank_too_high: { en: 'This role is above your own.', es: 'Esta función es superior a la suya.' },
    last_owner: { en: 'A practice needs an owner. Appoint one first.', es: 'Nombre antes a otro titular.' },
  },
};

/** Reasons why a service refuses a change of people. */
export type PeopleRefusal = keyof typeof people.refusals;
