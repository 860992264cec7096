import { expect } from 'chai';
import type { Member } from '../../src/console/identity/people/members.ts';
import { sendSignInMail } from '../../src/console/identity/sign-in/requests.ts';
import { purgeSignIns } from '../../src/console/identity/sign-in/retention.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { KeptMails, runJobs } from '../harness/mails.ts';
import { type Answer, addMember, ConsoleBrowser, mailedUrl, signedIn, signInUrl } from './console.ts';

const SIGN_IN = '/console/sign-in';
const DEVICE = '__Host-paylinks_console_device';

/** Header by which the trusted proxy names the client address. */
const from = (address: string) => ({ 'x-forwarded-for': address });

const OFFICE = from('198.51.100.7');
const HOME = from('192.0.2.9');

describe('limits of sign-in mails', () => {
  const service = useService({ env: { TRUST_PROXY_HOPS: '1' } });
  const practice = madeOnce(() => service.practice());
  let owner: Member;
  let mails: KeptMails;

  beforeEach(async () => {
    // Limits of former tests are over.
    service.clock.advance({ days: 1 });
    owner = await newOwner();
    await runJobs(service, new KeptMails());
    mails = new KeptMails();
  });

  const newOwner = () => addMember(service, practice.practiceId, 'owner');

  /** Returns the device cookie that an answer sets, as a header of requests. */
  const deviceIn = ({ headers }: Answer): { cookie: string } => {
    const line = headers.getSetCookie().find((cookie) => cookie.startsWith(`${DEVICE}=`)) ?? '';
    return { cookie: line.slice(0, line.indexOf(';')) };
  };

  /** Signs a person in on a device, and out, and returns the cookie that the device keeps. */
  const knownDevice = async (person: Member, former: Record<string, string> = {}): Promise<{ cookie: string }> => {
    const { pathname } = new URL(await signInUrl(service, person));
    return deviceIn(await new ConsoleBrowser(service).post(pathname, {}, former));
  };

  /** Asks for a mail, and returns the status. */
  const ask = async (email: string, headers: Record<string, string>): Promise<number> =>
    (await new ConsoleBrowser(service).post(SIGN_IN, { email }, headers)).status;

  /** Asks for a mail as an attacker with so many client addresses, each as often as it may. */
  const attack = async (email: string, addresses = 12) => {
    for (let i = 0; i < addresses; i++) {
      for (let times = 0; times < 3; times++) await ask(email, from(`203.0.113.${i}`));
    }
  };

  const sent = async () => {
    await runJobs(service, mails);
    return mails.mails.length;
  };

  it('one client gets three requests a minute for a mail address, known or not, and other clients are not concerned', async () => {
    for (const email of [owner.email, 'nobody@elm.example']) {
      const statuses = [];
      for (let i = 0; i < 4; i++) statuses.push(await ask(email, OFFICE));
      expect(statuses).to.deep.equal([303, 303, 303, 429]);
      expect(await ask(email, HOME)).to.equal(303);
    }
  });

  it('a known device gets its mails, whatever an attacker asks for, also from its own client address', async () => {
    const device = await knownDevice(owner);
    // Every quarter of an hour others get two mails more, so within the hour more than a device gets.
    for (let quarters = 0; quarters < 3; quarters++) {
      await attack(owner.email, 1);
      await sent();
      service.clock.advance({ minutes: 16 });
    }
    await attack(owner.email);
    const before = await sent();
    expect(before).to.be.above(6);
    for (let i = 0; i < 21; i++) await ask(`guess-${i}@elm.example`, OFFICE);
    await ask(owner.email, OFFICE);
    expect(await ask(owner.email, OFFICE), 'others of this address are refused').to.equal(429);
    expect(await ask(owner.email, { ...OFFICE, ...device })).to.equal(303);
    expect(await sent()).to.equal(before + 1);
    const url = mailedUrl(mails.mails.at(-1));
    expect(
      (await new ConsoleBrowser(service).post(new URL(url).pathname, {}, { ...OFFICE, ...device })).status,
    ).to.equal(303);
  });

  it('a known device gets six mails an hour', async () => {
    const device = await knownDevice(owner);
    for (let i = 0; i < 8; i++) {
      expect(await ask(owner.email, { ...OFFICE, ...device })).to.equal(303);
      await sent();
      service.clock.advance({ minutes: 1 });
    }
    expect(mails.mails).to.have.length(6);
    service.clock.advance({ hours: 1 });
    await ask(owner.email, { ...OFFICE, ...device });
    expect(await sent()).to.equal(7);
  });

  it('other browsers have at most two mails that work in a mailbox, so that it always has one or gets one', async () => {
    await attack(owner.email);
    expect(await sent()).to.equal(2);
    await ask(owner.email, HOME);
    expect(await sent(), 'two addresses work, so no third mail').to.equal(2);
    const url = mailedUrl(mails.mails[0]);
    await new ConsoleBrowser(service).signIn(url);
    await ask(owner.email, HOME);
    expect(await sent(), 'a used address does not count').to.equal(3);
    service.clock.advance({ minutes: 15 });
    await ask(owner.email, HOME);
    expect(await sent(), 'nor does one that has expired').to.equal(4);
  });

  it('twelve requests at once send two mails, although their jobs run at the same time', async () => {
    const requests = await service.query<{ id: string }>(
      `insert into sign_in_requests (id, email, language, created_at)
       select 'sir_at_once_' || n, $1, 'en', $2 from generate_series(1, 12) as n returning id`,
      [owner.email, service.clock.now()],
    );
    const release = await service.lock('select from people where email = $1 for update', [owner.email]);
    const jobs = requests.map(({ id }) => sendSignInMail(service.scope(), mails, { requestId: id }));
    await service.untilWaiting(3);
    await release();
    await Promise.all(jobs);
    expect(mails.mails).to.have.length(2);
  });

  it('a mail that failed does not count, so a person gets a mail as soon as the mail server works again', async () => {
    const device = await knownDevice(owner);
    for (const [headers, most] of [
      [HOME, 2],
      [{ ...OFFICE, ...device }, 6],
    ] as const) {
      const before = mails.mails.length;
      for (let i = 0; i < most; i++) {
        await ask(owner.email, headers);
        mails.failures = 1;
        await runJobs(service, mails);
        // On a slow machine the next run would try this mail again.
        await service.query(`update graphile_worker._private_jobs set run_at = now() + interval '1 day'`);
        service.clock.advance({ minutes: 1 });
      }
      mails.failures = 0;
      expect(mails.mails.length, 'the mail server refused them').to.equal(before);
      await ask(owner.email, headers);
      expect(await sent()).to.equal(before + 1);
    }
  });

  it('a signed-in person gets the mail of a confirmation, whatever an attacker asks for', async () => {
    const browser = await signedIn(service, owner);
    await attack(owner.email);
    const before = await sent();
    expect((await browser.post('/console/confirm', {}, OFFICE)).status).to.equal(303);
    expect(await sent()).to.equal(before + 1);
  });

  it('a device is known to all who sign in on it, and to nobody else', async () => {
    const [colleague, stranger] = [await newOwner(), await newOwner()];
    await sent();
    const shared = await knownDevice(colleague, await knownDevice(owner));
    for (const { email } of [owner, colleague, stranger]) await attack(email, 2);
    const before = await sent();
    for (const { email } of [owner, colleague, stranger]) await ask(email, { ...HOME, ...shared });
    await sent();
    expect(mails.mails.slice(before).map(({ to }) => to)).to.deep.equal([owner.email, colleague.email]);
  });

  it('a device cookie that others may know is worth nothing after the sign-in', async () => {
    const planted = await knownDevice(await newOwner());
    await sent();
    const fresh = await knownDevice(owner, planted);
    expect(fresh.cookie).to.not.equal(planted.cookie);
    await attack(owner.email);
    const before = await sent();
    for (const cookie of [planted.cookie, `${DEVICE}=${'A'.repeat(43)}`, `${DEVICE}=x%00`]) {
      await ask(owner.email, { ...from('203.0.113.200'), cookie });
    }
    expect(await sent()).to.equal(before);
    await ask(owner.email, { ...HOME, ...fresh });
    expect(await sent()).to.equal(before + 1);
  });

  it('the device cookie is of this host, hidden from scripts, lasts 180 days, and admits to no page', async () => {
    const { pathname } = new URL(await signInUrl(service, owner));
    const answer = await new ConsoleBrowser(service).post(pathname);
    const line = answer.headers.getSetCookie().find((cookie) => cookie.startsWith(DEVICE));
    expect(line).to.match(
      /^__Host-paylinks_console_device=[\w-]{43}; path=\/; expires=[^;]+; samesite=lax; secure; httponly$/,
    );
    const end = Date.parse(/expires=([^;]+)/.exec(`${line}`)?.[1] ?? '');
    expect(Math.round((end - Date.now()) / 86_400_000)).to.equal(180);
    const page = await new ConsoleBrowser(service).get(`/console/${practice.practiceId}`, { ...deviceIn(answer) });
    expect(page.location).to.match(/^\/console\/sign-in/);
  });

  it('a device is forgotten after 180 days, by a sign-out everywhere, and by a removal', async () => {
    const counted = async () => {
      const rows = await service.query('select from console_devices where person_id = $1', [owner.personId]);
      return rows.length;
    };
    await knownDevice(owner);
    const browser = await signedIn(service, owner);
    await browser.post('/console/sign-out');
    expect(await counted(), 'a sign-out keeps both').to.equal(2);
    await (await signedIn(service, owner)).post('/console/sign-out-everywhere');
    expect(await counted()).to.equal(0);
    await knownDevice(owner);
    const other = await signedIn(service, await newOwner());
    await other.post(`/console/${practice.practiceId}/people/${owner.id}/remove`, { confirmed: 'on' });
    expect(await counted()).to.equal(0);
    owner = await newOwner();
    const device = await knownDevice(owner);
    service.clock.advance({ days: 180, minutes: 1 });
    await attack(owner.email);
    const before = await sent();
    await ask(owner.email, { ...HOME, ...device });
    expect(await sent(), 'it is not known any more').to.equal(before);
    await purgeSignIns(service.scope());
    expect(await counted()).to.equal(0);
  });

  it('a request with a device cookie gets the same answer for a known and an unknown mail address', async () => {
    const device = await knownDevice(owner);
    const stranger = await newOwner();
    const answersTo = async (email: string) => {
      const sent = [1, 2, 3, 4].map(() => new ConsoleBrowser(service).post(SIGN_IN, { email }, { ...HOME, ...device }));
      return (await Promise.all(sent)).map(({ status, location, text }) => `${status} ${location} ${text}`).toSorted();
    };
    expect(await answersTo(stranger.email)).to.deep.equal(await answersTo('nobody@elm.example'));
  });
});
