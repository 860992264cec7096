import { expect } from 'chai';
import { KeptMails, runJobs } from '../harness/mails.ts';
import { type TestPractice, TestService } from '../harness/service.ts';
import { addUser, ConsoleBrowser } from './console.ts';

/** The address in a mail of the console. */
const addressIn = (text: string): string => /^https:\S+\/console\/sign-in\/\S+$/m.exec(text)?.[0] ?? '';

describe('sign-in to the console', () => {
  let service: TestService;
  let practice: TestPractice;
  let mails: KeptMails;

  before(async () => {
    service = await TestService.start();
    practice = await service.practice();
  });

  after(() => service?.close());

  beforeEach(() => {
    mails = new KeptMails();
    // Rate windows of former tests are over.
    service.clock.advance({ hours: 2 });
  });

  it('a known address gets a mail whose address signs in after the button is pressed', async () => {
    await addUser(service, practice.practiceId, 'owner', { email: 'ada@elm.example' });
    await runJobs(service, mails);
    mails.mails.splice(0);
    const browser = new ConsoleBrowser(service);
    const asked = await browser.post('/console/sign-in', { email: ' Ada@Elm.example ' });
    expect([asked.status, asked.location]).to.deep.equal([303, '/console/sign-in/sent']);
    await runJobs(service, mails);
    expect(mails.mails.map(({ to }) => to)).to.deep.equal(['ada@elm.example']);
    const { pathname } = new URL(addressIn(mails.mails[0]?.text ?? ''));
    const page = await browser.get(pathname);
    expect([page.status, page.cookie]).to.deep.equal([200, null]);
    expect(page.text).to.include('ada@elm.example');
    const done = await browser.post(pathname);
    expect([done.status, done.location]).to.deep.equal([303, '/console']);
    const first = await browser.get('/console');
    expect(first.location).to.equal(`/console/${practice.practiceId}`);
    const home = await browser.get(`/console/${practice.practiceId}`);
    expect([home.status, home.title]).to.deep.equal([200, 'Overview']);
  });
});
