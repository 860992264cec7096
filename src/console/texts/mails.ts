import type { OwnerMail } from '../../mail/owner-mails.ts';
import type { Both } from '../../pages/texts/languages.ts';

export const mails = {
  signIn: {
    subject: { en: 'Your sign-in link', es: 'Su enlace para iniciar sesión' },
    text: (url: string) => ({
      en: letter(
        'Open this address to sign in to the Paylinks console:',
        url,
        'It works once, for 15 minutes. Do not share it.\n' +
          'If you did not ask for it, ignore this email: nobody has signed in.',
      ),
      es: letter(
        'Abra esta dirección para iniciar sesión en la consola de Paylinks:',
        url,
        'Funciona una sola vez, durante 15 minutos. No se la dé a nadie.\n' +
          'Si usted no la pidió, ignore este mensaje: nadie ha iniciado sesión.',
      ),
    }),
  },
  invitation: {
    subject: { en: 'You are invited to the Paylinks console', es: 'Invitación a la consola de Paylinks' },
    /** The name of the practice is what the practice typed, without addresses (`nameInMail`). */
    text: ({ practice, url }: { practice: string; url: string }) => ({
      en: letter(
        'A practice invites you to its Paylinks console. The practice calls itself:',
        `“${practice}”`,
        'Open this address to accept:',
        url,
        'It works once, for 7 days. Do not share it.\n' +
          'If you do not know the practice, ignore this email: nothing happens unless you accept.',
      ),
      es: letter(
        'Un consultorio le invita a su consola de Paylinks. El consultorio se llama a sí mismo:',
        `«${practice}»`,
        'Abra esta dirección para aceptar:',
        url,
        'Funciona una sola vez, durante 7 días. No se la dé a nadie.\n' +
          'Si no conoce el consultorio, ignore este mensaje: no pasa nada si usted no acepta.',
      ),
    }),
  },
  newPasskey: {
    subject: {
      en: 'A new passkey for the Paylinks console',
      es: 'Nueva llave de acceso para la consola de Paylinks',
    },
    /** `account` is the address of the page on which the person removes passkeys. */
    toPerson: (email: string, account: string) => ({
      en: letter(
        `A passkey was added to your account ${email}. It signs in to the Paylinks console without an email.`,
        'If you did not add it, remove it in your account and sign out everywhere:',
        account,
      ),
      es: letter(
        `Se añadió una llave de acceso a su cuenta ${email}. Con ella se inicia sesión en la consola de Paylinks sin correo.`,
        'Si no la añadió usted, quítela en su cuenta y cierre todas las sesiones:',
        account,
      ),
    }),
    toOwner: (email: string) => ({
      en: letter(
        `${email}, who belongs to your practice, added a passkey. It signs in to the Paylinks console without an email.`,
        'If you did not expect it, ask this person. You can lock the person on the page “People” of the console.',
      ),
      es: letter(
        `${email}, una persona de su consultorio, añadió una llave de acceso. Con ella se inicia sesión en la consola de Paylinks sin correo.`,
        'Si no lo esperaba, pregúntele. Puede bloquear a la persona en la página «Personas» de la consola.',
      ),
    }),
  },
  /** To owners, about a new live key or endpoint; `url` is its page. */
  newAccess: {
    subjects: {
      live_key: { en: 'A new live API key of your practice', es: 'Una nueva clave de API real de su consultorio' },
      live_endpoint: {
        en: 'A new live webhook endpoint of your practice',
        es: 'Un nuevo punto de conexión real de su consultorio',
      },
      keys_left: {
        en: 'Live API keys of a person who was removed',
        es: 'Claves de API reales de una persona que ya no pertenece al consultorio',
      },
    } satisfies Record<OwnerMail['kind'], Both>,
    text: (kind: OwnerMail['kind'], url: string, lastFours: string) => ({
      en: letter(
        {
          live_key: 'A live API key of your practice was created. It can read names and contact details of patients.',
          live_endpoint:
            'A live webhook endpoint of your practice was added, or has a new address. It gets names and contact details of patients.',
          keys_left: `A person was removed from your practice who knows live API keys that still work. They end in: ${lastFours}`,
        }[kind],
        'The audit log of the console says who it was. If your practice does not want it, revoke or delete it here:',
        url,
      ),
      es: letter(
        {
          live_key:
            'Alguien creó una clave de API real de su consultorio. Puede leer nombres y datos de contacto de los pacientes.',
          live_endpoint:
            'Alguien añadió un punto de conexión real de su consultorio, o cambió su dirección. Recibe nombres y datos de contacto de los pacientes.',
          keys_left: `Una persona que ya no pertenece a su consultorio conoce claves de API reales que aún funcionan. Terminan en: ${lastFours}`,
        }[kind],
        'El registro de actividad de la consola dice quién fue. Si su consultorio no lo quiere, revóquela o elimínelo aquí:',
        url,
      ),
    }),
  },
};

function letter(...paragraphs: string[]): string {
  return `${paragraphs.join('\n\n')}\n`;
}
