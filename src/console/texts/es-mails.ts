import type { MailTexts } from './en-mails.ts';

/** The Spanish mails. */
export const mails: MailTexts = {
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
    text: ({ practice, url, signIn }) =>
      [
        `${practice} le invita a su consola de Paylinks. Abra esta dirección para iniciar sesión:`,
        '',
        url,
        '',
        'Funciona una sola vez, durante 15 minutos. Después, escriba aquí su correo para recibir otra:',
        '',
        signIn,
        '',
      ].join('\n'),
  },
};
