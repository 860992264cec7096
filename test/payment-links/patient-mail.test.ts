import { expect } from 'chai';
import { sendPatientMail } from '../../src/payment-links/office/mail.ts';
import { useService } from '../harness/fixtures.ts';
import { KeptMails } from '../harness/mails.ts';
import { createLink } from '../harness/service.ts';

describe('mail to a patient', () => {
  const service = useService();

  it('a mail to a patient names the telephone number of the location, else that of the practice, in both languages', async () => {
    const { practiceId, locationId, test } = await service.practice();
    const { id } = await createLink(test, {
      patient: { firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com' },
    });
    const mailer = new KeptMails();
    const send = async (language: 'en' | 'es') => {
      await sendPatientMail(service.scope(), mailer, { paymentLinkId: id, language, number: 1 });
      return mailer.mails.pop()?.text;
    };
    expect(await send('en')).to.include('or have a question, call Elm Street Dental.\n');
    await service.query('update practices set phone = $1 where id = $2', ['+12025550143', practiceId]);
    expect(await send('en')).to.include('or have a question, call Elm Street Dental, (202) 555-0143.\n');
    await service.query('update locations set phone = $1 where id = $2', ['+12025550199', locationId]);
    expect(await send('en')).to.include('or have a question, call Elm Street Dental, (202) 555-0199.\n');
    expect(await send('es')).to.include('o tiene una pregunta, llame a Elm Street Dental, (202) 555-0199.\n');
  });
});
