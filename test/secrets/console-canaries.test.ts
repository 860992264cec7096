import { expect } from 'chai';
import { type RunningWorker, startWorker } from '../../src/main/processes/worker.ts';
import { addMember, ConsoleBrowser, signInUrl } from '../console/console.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { until } from '../harness/processes.ts';
import { TestService } from '../harness/service.ts';
import { expectNone, keepJobs, keptJobs, rowsByTable } from './canaries.ts';

/** Entries of the front desk's forms, and searches for them. */
const PATIENT = {
  firstName: 'Canaryfirst',
  lastName: 'Canarylast',
  description: 'Canary crown',
  email: 'canary-patient@aviary.example',
  phone: '+12025550143',
  externalId: 'canary-chart',
  externalReference: 'canary-reference',
};

/** Creates, finds, changes, mails and cancels a link, and sends forms that are refused. */
async function useFrontDesk(browser: ConsoleBrowser, path: string): Promise<void> {
  const form = await browser.get(`${path}/new`);
  const link = /name="link" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
  await browser.post(`${path}/new`, { link, ...PATIENT, amount: 'none' });
  const created = await browser.post(`${path}/new`, { link, ...PATIENT, amount: '10' });
  expect(created.location).to.equal(`${path}/${link}?done=created`);
  for (const q of Object.values(PATIENT)) await browser.get(`${path}?${new URLSearchParams({ q })}`);
  await browser.post(`${path}/${link}/send`, { sent: '0', language: 'en' });
  await browser.post(`${path}/${link}/change`, { ...PATIENT, amount: '11', description: 'Canary crown, changed' });
  await browser.post(`${path}/${link}/cancel`, { reason: 'other', confirmed: 'on' });
}

/** The sign-in with a mail server that is away, at debug level, and afterwards a look into everything it left behind. */
describe('secrets and addresses of the console', () => {
  const captured = new CapturedLog();
  let service: TestService;
  let worker: RunningWorker;
  const secrets: string[] = [];
  const ADDRESSES = ['canary-owner@aviary.example', 'canary-nobody@aviary.example'];

  before(async () => {
    // Nothing listens on port 1, so every mail fails and its job is logged.
    const env = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'service@pay.example.com' };
    service = await TestService.start({ env, log: captured.log });
    service.clock.set(new Date().toISOString());
    await keepJobs(service.config.databaseUrl);
    const { practiceId } = await service.practice();
    const owner = await addMember(service, practiceId, 'owner', { email: ADDRESSES[0] ?? '' });
    const browser = new ConsoleBrowser(service);
    for (const email of ADDRESSES) await browser.post('/console/sign-in', { email });
    await browser.post('/console/sign-in', { email: `${ADDRESSES[0]} and more` });
    const url = await signInUrl(service, owner);
    await browser.get(new URL(url).pathname);
    await browser.signIn(url);
    await browser.post(new URL(url).pathname);
    await browser.get(`/console/${practiceId}/people`);
    await browser.post(`/console/${practiceId}/people`, { email: ADDRESSES[0] ?? '', role: 'viewer', reach: 'all' });
    secrets.push(new URL(url).pathname.split('/').at(-1) ?? '', browser.cookie ?? '', browser.csrf);
    await useFrontDesk(browser, `/console/${practiceId}/live/links`);
    // The database refuses a row, and its error quotes the row.
    await service.query('alter table sign_in_requests add check (false) not valid');
    expect((await browser.post('/console/sign-in', { email: ADDRESSES[0] ?? '' })).status).to.equal(500);
    worker = await startWorker(service.config, captured.log, { clock: service.clock });
    const failed = () => JSON.stringify(captured.lines).includes('could not be handed over');
    await until(failed, () => 'the log names no failed mail');
    await worker.stop();
  });

  after(() => service?.close());

  it('the log has lines of sign-ins and failed mails, without a token, a cookie or a mail address', () => {
    const text = JSON.stringify(captured.lines);
    expect(text).to.include('console.sign_in.confirm').and.include('console.people.invite');
    const invite = captured.lines.find(({ operationId }) => operationId === 'console.people.invite');
    expect(invite).to.include.keys('personId', 'practiceId');
    expect(secrets.every((secret) => secret.length > 40)).to.equal(true);
    for (const secret of [...secrets, ...ADDRESSES, 'aviary', '2025550143']) expect(text).to.not.include(secret);
    expect(text)
      .to.include('console.links.create')
      .and.not.match(/canary/i);
  });

  it('no job has a token or a mail address in its payload, key or error', async () => {
    const text = await keptJobs(service.config.databaseUrl);
    expect(text).to.include('requestId').and.include('invitationId');
    expect(text).to.include('paymentLinkId');
    for (const secret of [...secrets, 'aviary', '@', '2025550143']) expect(text).to.not.include(secret);
    expect(text).to.not.match(/canary/i);
  });

  it('the audit log has the acts of the front desk without data of the patient', async () => {
    const entries = await service.query("select a::text from audit_log a where action like 'link.%'");
    const text = JSON.stringify(entries);
    for (const act of ['created', 'sent', 'changed', 'cancelled']) expect(text).to.include(`link.${act}`);
    expect(text).to.not.match(/canary|2025550143/i);
  });

  it('no table has a token or a cookie, and rate windows have no mail address', async () => {
    for (const [name, rows] of await rowsByTable(service.config.databaseUrl)) {
      expectNone(name, rows, secrets);
      if (name.endsWith('rate_windows')) expect(rows).to.include('console-mail:').and.not.include('@');
    }
  });
});
