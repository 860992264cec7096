import { createServer } from 'node:net';
import { expect } from 'chai';
import { sendPatientMail } from '../../src/patient-pages/patient-mails.ts';
import { createMailer } from '../../src/practices/mail/mailer.ts';
import { updatePractice } from '../../src/practices/service.ts';
import { useService } from '../harness/fixtures.ts';
import { listen } from '../harness/free-port.ts';
import { KeptMails } from '../harness/mails.ts';
import { createLink, type TestPractice } from '../harness/service.ts';

const PATIENT = { firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com' };

describe('mail to a patient', () => {
  const service = useService();

  const newLink = ({ test }: TestPractice, fields: object = {}) => createLink(test, { patient: PATIENT, ...fields });

  const send = async ({ id }: { id: string }, language: 'en' | 'es' = 'en') => {
    const mailer = new KeptMails();
    await sendPatientMail(service.scope(), mailer, { paymentLinkId: id, language, number: 1 });
    const [mail] = mailer.mails;
    if (mail?.html === undefined) throw new Error('no mail with HTML was sent');
    return { ...mail, html: mail.html };
  };

  it('a mail to a patient names the telephone number of the location, else that of the practice, in both languages', async () => {
    const practice = await service.practice();
    const { practiceId, locationId } = practice;
    const link = await newLink(practice);
    const text = async (language: 'en' | 'es') => (await send(link, language)).text;
    expect(await text('en')).to.include('or have a question, call Elm Street Dental.\n');
    await service.query('update practices set phone = $1 where id = $2', ['+12025550143', practiceId]);
    expect(await text('en')).to.include('or have a question, call Elm Street Dental, (202) 555-0143.\n');
    await service.query('update locations set phone = $1 where id = $2', ['+12025550199', locationId]);
    expect(await text('en')).to.include('or have a question, call Elm Street Dental, (202) 555-0199.\n');
    expect(await text('es')).to.include('o tiene una pregunta, llame a Elm Street Dental, (202) 555-0199.\n');
    expect((await send(link)).html).to.include('href="tel:+12025550199"');
  });

  it('both parts have practice, city, amount, last day and the address of the page, in both languages, and no name', async () => {
    const practice = await service.practice();
    const link = await newLink(practice, { amount: 125.5, expiresAt: '2030-07-01T18:00:00.000Z' });
    for (const [language, subject, button, day] of [
      ['en', 'Payment page of Elm Street Dental', 'View and pay', 'July 1, 2030'],
      ['es', 'Página de pago de Elm Street Dental', 'Ver y pagar', '1 de julio de 2030'],
    ] as const) {
      const mail = await send(link, language);
      expect(mail.subject).to.equal(subject);
      const url = `${link.url}?lang=${language}`;
      for (const part of [mail.text, mail.html]) {
        for (const fact of ['Elm Street Dental', 'Springfield, IL', '$125.50', day, url, button]) {
          expect(part, language).to.include(fact);
        }
        expect(part).to.not.match(/Ada|Byron|ada@/);
      }
      expect([...mail.html.matchAll(/<a /g)], 'the only address').to.have.length(1);
      expect(mail.html).to.include(`<html lang="${language}">`);
    }
  });

  it('what the payment is for stands in the mail only if the practice wants it, without addresses and telephone numbers', async () => {
    const practice = await service.practice();
    const link = await newLink(practice, {
      description: 'Crown & <b>bridge</b>, 11/03/2030: $80. http://evil.example or (800) 555-0199',
    });
    for (const part of Object.values(await send(link))) expect(part).to.not.include('Crown');
    await updatePractice(service.scope(), practice.practiceId, { mailsDescription: true });
    for (const [language, label] of [
      ['en', 'For'],
      ['es', 'Concepto'],
    ] as const) {
      const { text, html, subject } = await send(link, language);
      expect(text).to.include(`${label}: Crown & b bridge /b , 11/03/2030 $80. http /evil. example or\n`);
      expect(html).to.include('Crown &amp; b bridge');
      expect(subject).to.not.include('Crown');
    }
  });

  it('the color of the practice is that of the button', async () => {
    const practice = await service.practice();
    await updatePractice(service.scope(), practice.practiceId, { brandColor: '#7a1f5c' });
    expect((await send(await newLink(practice))).html).to.match(/<td [^>]*bgcolor="#7a1f5c"[^>]*><a /);
  });

  it('a server gets both parts as alternatives, and a name of a practice adds no header and no address', async () => {
    const practice = await service.practice();
    const hostile = 'Elm\r\nBcc: eve@evil.example\r\n\r\n<a href="https://evil.example">Pay</a>';
    await service.query('update practices set name = $1 where id = $2', [hostile, practice.practiceId]);
    const { id } = await newLink(practice);
    let received = '';
    const server = createServer((socket) => {
      socket.write('220 test\r\n');
      socket.on('data', (chunk) => {
        received += chunk;
        for (const line of `${chunk}`.split('\r\n').slice(0, -1)) {
          if (line === 'DATA') socket.write('354 go on\r\n');
          else if (/^(?:EHLO|MAIL|RCPT|QUIT|\.)/.test(line)) socket.write('250 ok\r\n');
        }
      });
    });
    const smtpUrl = `smtp://127.0.0.1:${await listen(server)}`;
    const mailer = createMailer({ smtpUrl, from: 'Paylinks <no-reply@pay.example.com>', outbox: '/nowhere' });
    for (const language of ['en', 'es'] as const) {
      received = '';
      await sendPatientMail(service.scope(), mailer, { paymentLinkId: id, language, number: 1 });
      const [headers = ''] = received.slice(received.indexOf('DATA\r\n')).split('\r\n\r\n', 1);
      expect(headers).to.match(/^Content-Type: multipart\/alternative;/m);
      expect(received.match(/^Content-Type: text\/\w+/gm)).to.deep.equal([
        'Content-Type: text/plain',
        'Content-Type: text/html',
      ]);
      expect(received.match(/^RCPT TO:.*$/gm)).to.deep.equal(
        ['RCPT TO:<ada@example.com>\r'].map((line) => line.trim()),
      );
      expect(headers).to.not.match(/^bcc:/im);
      expect(received).to.not.include('evil.example');
    }
    server.close();
  });
});
