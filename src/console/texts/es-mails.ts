import type { mails as english } from './en-mails.ts';

/** The Spanish mails. */
export const mails: typeof english = {
  signIn: {
    subject: 'Su enlace para iniciar sesión',
    text: (url) =>
      [
        'Abra esta dirección para iniciar sesión en la consola de Paylinks:',
        '',
        url,
        '',
        'Funciona una sola vez, durante 15 minutos. No se la dé a nadie.',
        'Si usted no la pidió, ignore este mensaje: nadie ha iniciado sesión.',
        '',
      ].join('\n'),
  },
  invitation: {
    subject: 'Invitación a la consola de Paylinks',
    text: ({ practice, url }) =>
      [
        'Un consultorio le invita a su consola de Paylinks. El consultorio se llama a sí mismo:',
        '',
        `«${practice}»`,
        '',
        'Abra esta dirección para aceptar:',
        '',
        url,
        '',
        'Funciona una sola vez, durante 7 días. No se la dé a nadie.',
        'Si no conoce el consultorio, ignore este mensaje: no pasa nada si usted no acepta.',
        '',
      ].join('\n'),
  },
  newPasskey: {
    subject: 'Nueva llave de acceso para la consola de Paylinks',
    toPerson: ({ email, account }) =>
      [
        `Se añadió una llave de acceso a su cuenta ${email}. Con ella se inicia sesión en la consola de Paylinks sin correo.`,
        '',
        'Si no la añadió usted, quítela en su cuenta y cierre todas las sesiones:',
        '',
        account,
        '',
      ].join('\n'),
    toOwner: ({ email }) =>
      [
        `${email}, una persona de su consultorio, añadió una llave de acceso. Con ella se inicia sesión en la consola de Paylinks sin correo.`,
        '',
        'Si no lo esperaba, pregúntele. Puede quitar la llave en la página «Personas» de la consola.',
        '',
      ].join('\n'),
  },
  newAccess: {
    subjects: {
      live_key: 'Una nueva clave de API real de su consultorio',
      live_endpoint: 'Un nuevo punto de conexión real de su consultorio',
    },
    text: (kind, url) =>
      [
        kind === 'live_key'
          ? 'Alguien creó una clave de API real de su consultorio. Puede leer nombres y datos de contacto de los pacientes.'
          : 'Alguien añadió un punto de conexión real de su consultorio, o cambió su dirección. Recibe nombres y datos de contacto de los pacientes.',
        '',
        'El registro de actividad de la consola dice quién fue. Si su consultorio no lo quería, revóquela o elimínelo aquí:',
        '',
        url,
        '',
      ].join('\n'),
  },
};
