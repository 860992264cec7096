import { formatPhone } from '../../platform/base/phone.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { getPractice } from '../../practices/find.ts';
import { Location } from '../../practices/location.entity.ts';
import type { Mailer } from '../../practices/mail/mailer.ts';
import { nameInMail } from '../../practices/mail/name-in-mail.ts';
import { statusAt } from '../model/overdue.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import type { PatientMail } from './mail-queue.ts';

/*
 * Texts of the mails to patients. Mails lie on servers of others, so they say neither the amount, nor what it is for, nor the
 * patient's name. The page behind the address says all of it.
 */

/**
 * Mails a link to the address that it has now. Sends nothing if the link is no longer active or has no address any more.
 *
 * @throws MailFailed; the next try has the same Message-ID
 */
export async function sendPatientMail(scope: Scope, mailer: Mailer, mail: PatientMail): Promise<void> {
  const link = await scope.em.findOne(PaymentLink, { id: mail.paymentLinkId });
  if (link === null || link.patientEmail === null || statusAt(link, scope.clock.now()) !== 'active') return;
  const practice = await getPractice(scope, link.practiceId);
  const name = nameInMail(practice.name);
  const { timeZone, phone: locationPhone } = await scope.em.findOneOrFail(Location, {
    id: link.locationId,
    practiceId: link.practiceId,
  });
  const { locale, subject, text } = WORDS[mail.language];
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }).format(link.expiresAt);
  const phone = locationPhone ?? practice.phone;
  const call = phone === null ? name : `${name}, ${formatPhone(phone)}`;
  const url = `${scope.publicUrl}/pay/${link.token}?lang=${mail.language}`;
  await mailer.send({
    to: link.patientEmail,
    id: `${link.id}.patient.${mail.number}`,
    subject: subject(name),
    text: text({ practice: name, call, url, day, isTest: link.test }).join('\n'),
  });
}

interface Words {
  locale: string;
  subject: (practice: string) => string;
  /** `call` is the name of the practice, with its telephone number if it has one. */
  text: (values: { practice: string; call: string; url: string; day: string; isTest: boolean }) => string[];
}

const WORDS: Readonly<Record<PatientMail['language'], Words>> = {
  en: {
    locale: 'en-US',
    subject: (practice) => `Payment page of ${practice}`,
    text: ({ practice, call, url, day, isTest }) => [
      ...(isTest ? ['This is a test. No money moves.', ''] : []),
      `${practice} asks you to pay online. Open this address to see the amount and pay:`,
      '',
      url,
      '',
      `It works until ${day}. Do not share it.`,
      `If you do not expect this email, or have a question, call ${call}.`,
      '',
    ],
  },
  es: {
    locale: 'es-US',
    subject: (practice) => `Página de pago de ${practice}`,
    text: ({ practice, call, url, day, isTest }) => [
      ...(isTest ? ['Esto es una prueba. No se mueve dinero.', ''] : []),
      `${practice} le pide que pague en línea. Abra esta dirección para ver el monto y pagar:`,
      '',
      url,
      '',
      `Funciona hasta el ${day}. No la comparta.`,
      `Si no espera este correo o tiene una pregunta, llame a ${call}.`,
      '',
    ],
  },
};
