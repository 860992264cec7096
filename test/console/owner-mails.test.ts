import { expect } from 'chai';
import { issueKey } from '../../src/keys/service.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { KeptMails, runJobs } from '../harness/mails.ts';
import { createEndpoint, ENDPOINTS } from '../harness/webhooks.ts';
import { addUser, signedIn } from './console.ts';

describe('mails to the owners of a practice', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  let mailer: KeptMails;

  beforeEach(async () => {
    for (const name of ['one', 'two']) {
      await addUser(service, practice.practiceId, 'owner', { email: `${name}@elm.example` });
    }
    await addUser(service, practice.practiceId, 'administrator');
    await runJobs(service, new KeptMails());
    mailer = new KeptMails();
  });

  const sent = async () => {
    await runJobs(service, mailer);
    const mails = mailer.mails.splice(0).toSorted((one, other) => (one.to < other.to ? -1 : 1));
    expect(new Set(mails.map(({ id }) => id)).size, 'ids differ').to.equal(mails.length);
    return mails;
  };

  it('each owner gets a mail about a new live key, by the command line and by the console, and none about a test key', async () => {
    const { practiceId } = practice;
    const { apiKey } = await issueKey(service.scope(), { practiceId, test: false });
    const [first, second, ...more] = await sent();
    expect([first?.to, second?.to, more]).to.deep.equal(['one@elm.example', 'two@elm.example', []]);
    expect(first?.subject).to.equal(
      'A new live API key of your practice / Una nueva clave de API real de su consultorio',
    );
    expect(first?.text).to.include(`/console/${practiceId}/live/developers/keys/${apiKey.id}\n`);
    const developer = await signedIn(service, await addUser(service, practiceId, 'developer'));
    await runJobs(service, new KeptMails());
    for (const mode of ['test', 'live']) {
      const fields = { form: mode.padEnd(22, 'A'), 'scope.webhooks:manage': 'on' };
      expect((await developer.post(`/console/${practiceId}/${mode}/developers/keys`, fields)).status).to.equal(200);
    }
    expect(await sent()).to.have.length(2);
  });

  it('each owner gets a mail about a live endpoint that is new or has a new address, also by the API, without that address', async () => {
    await createEndpoint(practice.test, 'https://billing.example.com/hooks');
    const { id } = await createEndpoint(practice.live, 'https://billing.example.com/hooks');
    const [mail, ...others] = await sent();
    expect(others).to.have.length(1);
    expect(mail?.text).to.include(`/live/developers/webhooks/${id}\n`).and.not.include('billing.example');
    await practice.live.patch(`${ENDPOINTS}/${id}`, { description: 'Desk', url: 'https://billing.example.com/hooks' });
    expect(await sent()).to.deep.equal([]);
    service.clock.advance({ seconds: 1 });
    await practice.live.patch(`${ENDPOINTS}/${id}`, { url: 'https://other.example.com/hooks' });
    expect((await sent()).map(({ to }) => to)).to.deep.equal(['one@elm.example', 'two@elm.example']);
  });
});
