import { LANGUAGES, type Language } from '../../pages/texts/language.ts';
import { type Both, inLanguage, type Said } from '../../pages/texts/languages.ts';
import type { Problem } from '../model/refusals.ts';
import type { Role } from '../model/roles.ts';
import { ownAccount } from './account.ts';
import { auditLog } from './audit.ts';
import { deliveries } from './deliveries/deliveries.ts';
import { developers } from './developers/developers.ts';
import { home } from './home.ts';
import { labels } from './labels.ts';
import { links } from './links/links.ts';
import { mails } from './mails.ts';
import { payments } from './payments/payments.ts';
import { people } from './people.ts';
import { search } from './search.ts';
import { settings } from './settings/settings.ts';

const texts = {
  language: {
    code: { en: 'en', es: 'es' },
    name: { en: 'English', es: 'Español' },
    switchTo: { en: 'Show this page in English', es: 'Ver esta página en español' },
  },
  brand: { en: 'Paylinks console', es: 'Consola de Paylinks' },
  skip: { en: 'Skip to the content', es: 'Ir al contenido' },
  menu: { en: 'Console', es: 'Consola' },
  mode: {
    live: {
      name: { en: 'Live data.', es: 'Datos reales.' },
      text: { en: 'Payments are real.', es: 'Los pagos son reales.' },
      switchTo: { en: 'Switch to live data', es: 'Cambiar a los datos reales' },
    },
    test: {
      name: { en: 'Test data.', es: 'Datos de prueba.' },
      text: { en: 'No money moves.', es: 'No se mueve dinero.' },
      switchTo: { en: 'Switch to test data', es: 'Cambiar a los datos de prueba' },
    },
  },
  account: {
    signedInAs: { en: 'Signed in as', es: 'Sesión iniciada como' },
    signOut: { en: 'Sign out', es: 'Cerrar sesión' },
    signOutEverywhere: { en: 'Sign out everywhere', es: 'Cerrar todas las sesiones' },
  },
  roles: {
    owner: {
      name: { en: 'Owner', es: 'Titular' },
      help: { en: 'Everything, and appoints other owners.', es: 'Todo, y nombra a otros titulares.' },
    },
    administrator: {
      name: { en: 'Administrator', es: 'Administración' },
      help: { en: 'Everything, but cannot change owners.', es: 'Todo, pero no puede cambiar a los titulares.' },
    },
    billing: {
      name: { en: 'Billing', es: 'Facturación' },
      help: { en: 'Creates, cancels, refunds, and exports.', es: 'Crea, cancela, reembolsa y exporta.' },
    },
    front_desk: {
      name: { en: 'Front desk', es: 'Recepción' },
      help: { en: 'Creates and cancels links, and sees their status.', es: 'Crea y cancela enlaces, y ve su estado.' },
    },
    developer: {
      name: { en: 'Developer', es: 'Desarrollo' },
      help: {
        en: 'Keys and webhooks. The pages show no patients, but live keys and endpoints read the names of all of them.',
        es: 'Claves y webhooks. Las páginas no muestran pacientes, pero las claves y los puntos de conexión reales leen los nombres de todos.',
      },
    },
    viewer: {
      name: { en: 'Viewer', es: 'Solo lectura' },
      help: { en: 'Sees links and payments, and changes nothing.', es: 'Ve enlaces y pagos, y no cambia nada.' },
    },
  } satisfies Record<Role, { name: Both; help: Both }>,
  signIn: {
    title: { en: 'Sign in', es: 'Iniciar sesión' },
    text: {
      en: 'Enter your email address. We send you a link that signs you in; there is no password.',
      es: 'Escriba su correo electrónico. Le enviamos un enlace para iniciar sesión; no hay contraseña.',
    },
    button: { en: 'Send me a link', es: 'Enviarme un enlace' },
    ended: { en: 'You are signed out. Sign in again to continue.', es: 'La sesión está cerrada. Iníciela de nuevo.' },
  },
  sent: {
    title: { en: 'Check your inbox', es: 'Revise su correo' },
    text: {
      en: 'If this address may sign in, an email with a link is on its way. The link works once, for 15 minutes.',
      es: 'Si este correo puede iniciar sesión, el enlace está en camino. Funciona una sola vez, durante 15 minutos.',
    },
    again: {
      en: 'Nothing came? Check the spelling and your spam folder, then send another link',
      es: '¿No llegó nada? Revise la ortografía y la carpeta de correo no deseado, y pida otro enlace',
    },
  },
  confirm: {
    title: { en: 'Sign in to the console', es: 'Iniciar sesión en la consola' },
    text: (email: string) => ({ en: `You will sign in as ${email}.`, es: `Va a iniciar sesión como ${email}.` }),
  },
  invitation: {
    title: { en: 'Invitation', es: 'Invitación' },
    text: (practice: string, role: string) => ({
      en: `The practice “${practice}” invites you to its console, as: ${role}.`,
      es: `El consultorio «${practice}» le invita a su consola, como: ${role}.`,
    }),
    signsIn: (email: string) => ({
      en: `If you accept, you belong to the practice as ${email}, and its administrators see your acts for it.`,
      es: `Si acepta, pertenece al consultorio como ${email}, y sus administradores ven lo que usted hace para él.`,
    }),
    button: { en: 'Accept the invitation', es: 'Aceptar la invitación' },
  },
  expired: {
    title: { en: 'This link no longer works', es: 'Este enlace ya no funciona' },
    text: {
      en:
        'A link to sign in works once, for 15 minutes. Enter your email address to get a new one. An invitation works once, for ' +
        '7 days. Ask the practice to send it again.',
      es:
        'Un enlace para iniciar sesión funciona una sola vez, durante 15 minutos. Escriba su correo para recibir otro. Una ' +
        'invitación funciona una sola vez, durante 7 días. Pida al consultorio que la envíe de nuevo.',
    },
  },
  ownAccount,
  freshSignIn: {
    title: { en: 'Confirm that it is you', es: 'Confirme que es usted' },
    text: {
      en: 'This step needs a sign-in within the last 15 minutes. Afterwards you are back on this page.',
      es: 'Este paso exige haber iniciado sesión en los últimos 15 minutos. Después volverá a esta página.',
    },
    sent: { en: 'The link is on its way. Open it in this browser.', es: 'El enlace está en camino. Ábralo aquí.' },
    done: {
      en: 'Your sign-in is confirmed. If a form asked for it, nothing of it was done: fill it in and send it again.',
      es: 'Su inicio de sesión está confirmado. Si lo pidió un formulario, no se hizo nada de él: rellénelo y envíelo de nuevo.',
    },
  },
  practices: {
    title: { en: 'Choose a practice', es: 'Elija un consultorio' },
    all: { en: 'All practices', es: 'Todos los consultorios' },
  },
  home,
  developers,
  people,
  payments,
  settings,
  auditLog,
  deliveries,
  problems: {
    not_found: {
      title: { en: 'Page not found', es: 'Página no encontrada' },
      text: { en: 'It does not exist, or belongs to another practice.', es: 'No existe o es de otro consultorio.' },
    },
    forbidden: {
      title: { en: 'Not allowed', es: 'No permitido' },
      text: {
        en: 'Your role does not include this page. Ask an owner of your practice.',
        es: 'Su función no incluye esta página. Pregunte a un titular de su consultorio.',
      },
    },
    method_not_allowed: {
      title: { en: 'Not possible this way', es: 'No es posible así' },
      text: { en: 'Open this page from the menu of the console.', es: 'Abra esta página desde el menú de la consola.' },
    },
    invalid_form: {
      title: { en: 'The form is incomplete', es: 'El formulario está incompleto' },
      text: { en: 'Load the page again, and repeat your input.', es: 'Cargue la página y repita sus datos.' },
    },
    not_confirmed: {
      title: { en: 'Not confirmed', es: 'Sin confirmar' },
      text: { en: 'Go back. Check the box to confirm.', es: 'Vuelva atrás. Marque la casilla para confirmar.' },
    },
    file_too_large: {
      title: { en: 'The file is too large', es: 'El archivo es demasiado grande' },
      text: { en: 'Go back and choose a file of at most 1 MB.', es: 'Vuelva atrás y elija uno de hasta 1 MB.' },
    },
    foreign_form: {
      title: { en: 'The form has expired', es: 'El formulario ha vencido' },
      text: {
        en: 'It comes from another session or another website. Nothing was changed. Load the page again and repeat.',
        es: 'Viene de otra sesión o de otro sitio. No se ha cambiado nada. Cargue la página de nuevo e inténtelo otra vez.',
      },
    },
    too_many: {
      title: { en: 'Too many requests', es: 'Demasiadas solicitudes' },
      text: { en: 'Wait a minute, then try again.', es: 'Espere un minuto e inténtelo de nuevo.' },
    },
    failure: {
      title: { en: 'Something went wrong', es: 'Algo ha fallado' },
      text: {
        en: 'The fault is ours. Check whether your change is there, then repeat.',
        es: 'El error es nuestro. Compruebe si el cambio está hecho y, si no, inténtelo de nuevo.',
      },
    },
    unavailable: {
      title: { en: 'Please try again soon', es: 'Inténtelo de nuevo pronto' },
      text: { en: 'The service is not available right now.', es: 'El servicio no está disponible ahora.' },
    },
  } satisfies Record<Problem, { title: Both; text: Both }>,
  idle: {
    text: { en: 'You will be signed out in two minutes.', es: 'Su sesión se cerrará en dos minutos.' },
    button: { en: 'Stay signed in', es: 'Seguir en la sesión' },
  },
  filter: {
    title: { en: 'Filter', es: 'Filtro' },
    all: { en: 'All', es: 'Cualquiera' },
    button: { en: 'Apply', es: 'Aplicar' },
    reset: { en: 'Show all', es: 'Ver todo' },
  },
  /** Caption of a table; a hint below a field for a time. */
  times: (zone: string) => ({ en: `Times: ${zone}.`, es: `Horario: ${zone}.` }),
  save: { en: 'Save', es: 'Guardar' },
  saved: { en: 'The change is saved.', es: 'El cambio está guardado.' },
  noMatch: { en: 'Nothing matches the filter.', es: 'Nada corresponde al filtro.' },
  labels,
  errorTitle: { en: 'Please check', es: 'Por favor, revise' },
  backHome: { en: 'To the overview', es: 'Ir al resumen' },
  mails,
  links,
  search,
};

/** All texts of the console in one language. */
export type Texts = Said<typeof texts>;

/** All texts of the console, by language. */
export const TEXTS: Readonly<Record<Language, Texts>> = { en: inLanguage(texts, 'en'), es: inLanguage(texts, 'es') };

/** Returns the word for a value, or the value if it has none. What people typed may be the name of a property that every object has. */
export function wordOf(words: Readonly<Record<string, string>>, value: string): string {
  return (Object.hasOwn(words, value) ? words[value] : undefined) ?? value;
}

/** Returns a mail in all languages, for people whose language nobody knows. */
export function inAllLanguages(write: (texts: Texts['mails']) => { subject: string; text: string }) {
  const mails = LANGUAGES.map((language) => write(TEXTS[language].mails));
  return {
    subject: mails.map(({ subject }) => subject).join(' / '),
    text: mails.map(({ text }) => text).join('\n* * *\n\n'),
  };
}
