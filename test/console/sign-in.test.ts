import { expect } from 'chai';
import type { Member } from '../../src/console/identity/people/members.ts';
import { purgeSignIns } from '../../src/console/identity/sign-in/retention.ts';
import { deviceName } from '../../src/web/device-name.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { KeptMails, runJobs } from '../harness/mails.ts';
import { addMember, COOKIE, ConsoleBrowser, growOld, hiddenFields, mailedUrl, signedIn, signInUrl } from './console.ts';

/** Returns the sign-in page to which an ended session leads from a page. */
const endedAt = (path: string): string => `/console/sign-in?to=${encodeURIComponent(path)}`;

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

describe('sign-in to the console', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  let mails: KeptMails;
  let owner: Member;

  const newOwner = () => addMember(service, practice.practiceId, 'owner');
  const home = () => `/console/${practice.practiceId}`;

  beforeEach(async () => {
    mails = new KeptMails();
    // Limits of former tests are over.
    service.clock.advance({ days: 1 });
    owner = await newOwner();
    await runJobs(service, new KeptMails());
    service.clock.advance({ hours: 2 });
  });

  describe('mails', () => {
    it('a known address gets a mail whose address signs in after the button is pressed', async () => {
      const browser = new ConsoleBrowser(service);
      const asked = await browser.post('/console/sign-in', { email: ` ${owner.email.toUpperCase()} ` });
      expect([asked.status, asked.location]).to.deep.equal([303, '/console/sign-in/sent']);
      await runJobs(service, mails);
      expect(mails.mails.map(({ to, subject }) => [to, subject])).to.deep.equal([[owner.email, 'Your sign-in link']]);
      const { pathname } = new URL(mailedUrl(mails.mails[0]));
      const page = await browser.get(pathname);
      expect([page.status, page.cookie, page.text.includes(owner.email)]).to.deep.equal([200, null, true]);
      const done = await browser.post(pathname);
      expect([done.status, done.location]).to.deep.equal([303, '/console']);
      expect((await browser.get('/console')).location).to.equal(home());
      expect((await browser.get(home())).title).to.equal('Overview');
    });

    it('a request of a known and of an unknown address leave the same traces: one row, one job with its id alone, and the same answer', async () => {
      const browser = new ConsoleBrowser(service);
      const answers = [];
      for (const email of [owner.email, 'nobody@elm.example']) {
        const { status, location, text, headers } = await browser.post('/console/sign-in', { email });
        answers.push({ status, location, text, names: [...headers.keys()].filter((name) => name !== 'date') });
        const jobs = await service.query<{
          task: string;
          payload: Record<string, string>;
        }>(`select identifier as task, payload from graphile_worker._private_jobs j
             join graphile_worker._private_tasks t on t.id = j.task_id`);
        expect(jobs.map(({ task, payload }) => [task, Object.keys(payload)])).to.deep.equal([
          ['send_sign_in_mail', ['requestId']],
        ]);
        expect(JSON.stringify(jobs)).to.not.include('@');
        await runJobs(service, mails);
      }
      expect(answers[1]).to.deep.equal(answers[0]);
      expect(mails.mails.map(({ to }) => to)).to.deep.equal([owner.email]);
    });

    it('a mail that fails is sent again with an address that works, and not at all once the request is old', async () => {
      const browser = new ConsoleBrowser(service);
      await browser.post('/console/sign-in', { email: owner.email });
      mails.failures = 1;
      await runJobs(service, mails);
      expect(mails.mails).to.deep.equal([]);
      await service.query('update graphile_worker._private_jobs set run_at = now()');
      await runJobs(service, mails);
      await browser.signIn(mailedUrl(mails.mails[0]));
      await browser.post('/console/sign-in', { email: owner.email });
      service.clock.advance({ minutes: 15 });
      await runJobs(service, mails);
      expect(mails.mails).to.have.length(1);
    });

    it('text that is no mail address is refused on the form, whatever the address', async () => {
      const browser = new ConsoleBrowser(service);
      for (const email of ['', 'ada', 'a b@elm.example', 'ada@elm.example,eve@elm.example', '<ada@elm.example>']) {
        expect((await browser.post('/console/sign-in', { email })).status, email).to.equal(422);
      }
      const hostile = '"><script>alert(1)</script>';
      expect((await browser.post('/console/sign-in', { email: hostile })).text).to.not.include('<script>alert');
    });
  });

  it('requests, addresses and sessions are deleted a day after their end, and those that last are kept', async () => {
    const browser = await signedIn(service, owner);
    await browser.post('/console/sign-in', { email: owner.email });
    const url = await signInUrl(service, owner);
    expect(await purgeSignIns(service.scope())).to.equal(false);
    expect((await browser.get(home())).status).to.equal(200);
    expect((await browser.get(new URL(url).pathname)).status).to.equal(200);
    service.clock.advance({ days: 1, minutes: 16 });
    expect(await purgeSignIns(service.scope())).to.equal(false);
    const left =
      'select from sign_in_requests union all select from sign_in_tokens union all select from console_sessions';
    expect(await service.query(left)).to.deep.equal([]);
  });

  it('a client address may send 20 sign-in forms a minute, and learns when to try again', async () => {
    const browser = new ConsoleBrowser(service);
    for (let i = 0; i < 20; i++) await browser.post('/console/sign-in', { email: `guess-${i}@elm.example` });
    const refused = await browser.post('/console/sign-in', { email: owner.email });
    expect([refused.status, refused.title]).to.deep.equal([429, 'Too many requests']);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    const guess = await browser.post(`/console/sign-in/${'A'.repeat(43)}`);
    expect(guess.status).to.equal(429);
  });

  describe('addresses', () => {
    it('an address works once: the second press, and the second of two presses at once, do not sign in', async () => {
      const url = await signInUrl(service, owner);
      const { pathname } = new URL(url);
      const answers = await Promise.all([1, 2, 3].map(() => new ConsoleBrowser(service).post(pathname)));
      expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([303, 410, 410]);
      const late = await new ConsoleBrowser(service).get(pathname);
      expect([late.status, late.title, late.cookie]).to.deep.equal([410, 'This link no longer works', null]);
    });

    it('an address works for 15 minutes', async () => {
      const [early, late] = [await signInUrl(service, owner), await signInUrl(service, owner)];
      service.clock.advance({ minutes: 14, seconds: 59 });
      await new ConsoleBrowser(service).signIn(early);
      service.clock.advance({ seconds: 1 });
      expect((await new ConsoleBrowser(service).post(new URL(late).pathname)).status).to.equal(410);
    });

    it('an address still works after a mail scanner has opened it with GET and HEAD', async () => {
      const url = await signInUrl(service, owner);
      const scanner = new ConsoleBrowser(service);
      for (let i = 0; i < 3; i++) {
        expect((await scanner.get(new URL(url).pathname)).cookie).to.equal(null);
        expect((await scanner.head(new URL(url).pathname)).cookie).to.equal(null);
      }
      expect((await scanner.get('/console')).status).to.equal(303);
      await new ConsoleBrowser(service).signIn(url);
    });

    it('an unknown or malformed address is answered like a used one', async () => {
      for (const token of ['A'.repeat(43), 'short', 'A'.repeat(128)]) {
        const { status, title } = await new ConsoleBrowser(service).get(`/console/sign-in/${token}`);
        expect([status, title], token).to.deep.equal([410, 'This link no longer works']);
      }
    });
  });

  describe('sessions', () => {
    it('the session cookie is of this host, secure, hidden from scripts, and ends with the browser', async () => {
      const { pathname } = new URL(await signInUrl(service, owner));
      const { headers } = await new ConsoleBrowser(service).post(pathname);
      const [cookie = ''] = headers.getSetCookie();
      expect(cookie).to.match(/^__Host-paylinks_console=[A-Za-z0-9]{43}; path=\/; samesite=lax; secure; httponly$/);
    });

    it('a session ends after 15 minutes without a request, and each request prolongs it', async () => {
      const browser = await signedIn(service, owner);
      for (let i = 0; i < 3; i++) {
        service.clock.advance({ minutes: 14, seconds: 59 });
        expect((await browser.get(home())).status).to.equal(200);
      }
      service.clock.advance({ minutes: 15 });
      const ended = await browser.get(home());
      expect([ended.status, ended.location]).to.deep.equal([303, endedAt(home())]);
    });

    it('a session ends 12 hours after the sign-in, however busy it is', async () => {
      const browser = await signedIn(service, owner);
      for (let i = 0; i < 71; i++) {
        service.clock.advance({ minutes: 10 });
        expect((await browser.get(home())).status).to.equal(200);
      }
      service.clock.advance({ minutes: 10 });
      expect((await browser.get(home())).status).to.equal(303);
    });

    it('a page leaves the screen when the session ends by idleness, without scripts too', async () => {
      const page = await (await signedIn(service, owner)).get(home());
      const leave = endedAt(home());
      expect(page.text).to.include(`<meta http-equiv="refresh" content="905; url=${leave}">`);
    });

    it('a sign-in makes a new session and ends that of the browser', async () => {
      const browser = await signedIn(service, owner);
      const former = browser.cookie;
      await browser.signIn(await signInUrl(service, owner));
      expect(browser.cookie).to.not.equal(former);
      const planted = new ConsoleBrowser(service);
      planted.cookie = former;
      expect((await planted.get(home())).status).to.equal(303);
    });

    it('a sign-out ends this session alone, and a sign-out everywhere ends all and the unused addresses', async () => {
      const [one, two, three] = [
        await signedIn(service, owner),
        await signedIn(service, owner),
        await signedIn(service, owner),
      ];
      const { cookie } = one;
      const out = await one.post('/console/sign-out');
      expect([out.location, out.cookie]).to.deep.equal(['/console/sign-in?done=signed_out', '']);
      one.cookie = cookie;
      expect((await one.get(home())).status).to.equal(303);
      expect((await two.get(home())).status).to.equal(200);
      const url = await signInUrl(service, owner);
      await two.post('/console/sign-out-everywhere');
      expect((await three.get(home())).status).to.equal(303);
      expect((await new ConsoleBrowser(service).post(new URL(url).pathname)).status).to.equal(410);
    });

    it('a person sees all own sessions with the browser in words, and ends another one, but none of other people', async () => {
      const [desk, phone] = [new ConsoleBrowser(service), new ConsoleBrowser(service)];
      const words = { 'Firefox, Windows': FIREFOX, 'Safari, iPhone': SAFARI };
      await desk.post(new URL(await signInUrl(service, owner)).pathname, {}, { 'user-agent': FIREFOX });
      await phone.post(new URL(await signInUrl(service, owner)).pathname, {}, { 'user-agent': SAFARI });
      const stranger = await signedIn(service, await newOwner());
      await Promise.all([desk, phone].map((browser) => browser.readToken()));
      await phone.get(home());
      const stored = JSON.stringify(await service.query('select device_name from console_sessions'));
      const page = await desk.get('/console/account');
      for (const [name, header] of Object.entries(words)) {
        expect(page.text).to.include(name).and.not.include(header);
        expect(stored).to.include(name).and.not.include(header);
      }
      expect(page.text).to.match(/Firefox, Windows<span[^>]*> \(this one\)/);
      const ends = [...page.text.matchAll(/name="session" value="(\w+)"/g)].map(([, id = '']) => id);
      expect(ends, 'the own session ends by signing out').to.have.length(1);
      const [session = ''] = ends;
      expect(page.text.replaceAll(`value="${session}"`, ''), 'no address names a session').to.not.include(session);
      const end = (browser: ConsoleBrowser) => browser.post('/console/account/sessions/end', { session });
      expect((await end(stranger)).status).to.equal(404);
      expect((await phone.get(home())).status).to.equal(200);
      expect((await end(desk)).location).to.equal('/console/account?done=session_ended');
      expect((await phone.get(home())).location).to.equal(endedAt(home()));
      expect((await end(desk)).status, 'once').to.equal(404);
      const latest = 'select action from audit_log where actor_id = $1 order by id desc limit 1';
      expect(await service.query(latest, [owner.personId])).to.deep.equal([{ action: 'session.ended' }]);
    });

    it('a change of people asks for a sign-in of the last 15 minutes, and mails an address for it, which leads back to the page', async () => {
      const browser = await signedIn(service, owner);
      await growOld(service, browser);
      const path = `${home()}/people`;
      const fields = { email: 'late@elm.example', role: 'viewer', reach: 'all' };
      const asked = await browser.post(path, fields, { referer: `https://pay.example.com${path}` });
      expect([asked.status, asked.title]).to.deep.equal([403, 'Confirm that it is you']);
      const { to = '' } = hiddenFields(asked.text);
      expect((await browser.post('/console/confirm', { to })).location).to.equal('/console/confirm');
      await runJobs(service, mails);
      expect(mails.mails.map(({ to }) => to)).to.deep.equal([owner.email]);
      const done = await browser.post(new URL(mailedUrl(mails.mails[0])).pathname);
      expect(done.location).to.equal(path);
      await browser.readToken();
      expect((await browser.get(path)).text)
        .to.include('Your form was not sent.')
        .and.include('value="late@elm.example"');
      expect((await browser.post(path, fields)).location).to.equal(`${path}?done=invited`);
    });

    it('a sign-in leads back to the page on which the session ended, by mail and after a mistyped address, in the browser that asked only', async () => {
      const page = `${home()}/people`;
      const browser = await signedIn(service, owner);
      service.clock.advance({ minutes: 15 });
      const { location } = await browser.get(`${page}?done=invited`);
      expect(location).to.equal(endedAt(page));
      const { to = '' } = hiddenFields((await browser.get(location ?? '')).text);
      expect(to).to.equal(page);
      const mistyped = await browser.post('/console/sign-in', { email: 'ada', to });
      expect(hiddenFields(mistyped.text).to).to.equal(page);
      const asked = await browser.post('/console/sign-in', { email: owner.email, to });
      const sent = await browser.get(asked.location ?? '');
      expect(sent.text).to.include(`/console/sign-in?to=${encodeURIComponent(page)}`);
      await runJobs(service, mails);
      const url = mailedUrl(mails.mails[0]);
      expect(url).to.not.include('people');
      const done = await browser.post(new URL(url).pathname, { to: '/console/other' });
      expect([done.status, done.location]).to.deep.equal([303, page]);
      expect(browser.returnCookie, 'the page is kept for one sign-in').to.equal(null);
      // A stranger asks for a mail, and chooses the page on which its reader lands.
      await new ConsoleBrowser(service).post('/console/sign-in', { email: owner.email, to });
      await runJobs(service, mails);
      const elsewhere = await new ConsoleBrowser(service).post(new URL(mailedUrl(mails.mails.at(-1))).pathname);
      expect([elsewhere.status, elsewhere.location]).to.deep.equal([303, '/console']);
    });

    it('a form whose session has ended leads back to its page, and not to the address of the form', async () => {
      const browser = await signedIn(service, owner);
      service.clock.advance({ minutes: 15 });
      const path = `${home()}/people/${owner.id}`;
      const referer = `https://pay.example.com${path}?done=unlocked`;
      const { location } = await browser.post(`${path}/remove`, { confirmed: 'on' }, { referer });
      expect(location).to.equal(endedAt(path));
    });

    it('a sign-in leads to pages only, and to no other site and no form, whatever the address of its page says', async () => {
      const targets = [
        'https://attacker.example/console/x',
        '//attacker.example',
        '/\\attacker.example',
        '/console//attacker.example',
        '/console/../docs',
        '/console/%2e%2e/docs',
        '/consolex',
        '/console/\tx',
        '/console/a b',
        '/console/a?b=c',
        '/console/a#b',
        `/console/${'a'.repeat(129)}`,
        `/console${'/a'.repeat(300)}`,
        '/console/sign-out',
        '/console/sign-in/sent',
        '/console/account/passkeys/options',
        `${home()}/people/mem_1/remove`,
        `${home()}/unknown`,
        'javascript:alert(1)',
      ];
      for (const to of targets) {
        const page = await new ConsoleBrowser(service).get(`/console/sign-in?to=${encodeURIComponent(to)}`);
        expect(hiddenFields(page.text).to, to).to.equal('');
        const browser = new ConsoleBrowser(service);
        const asked = await browser.post('/console/sign-in', { email: owner.email, to });
        expect([asked.location, browser.returnCookie], to).to.deep.equal(['/console/sign-in/sent', null]);
        browser.returnCookie = encodeURIComponent(to);
        const done = await browser.post(new URL(await signInUrl(service, owner)).pathname);
        expect(done.location, `a forged cookie of ${to}`).to.equal('/console');
        service.clock.advance({ minutes: 1 });
      }
    });

    it('a sign-in after a form that was refused before leads to the page above the form, in its practice and mode', async () => {
      const browser = await signedIn(service, owner);
      await growOld(service, browser);
      const developers = `${home()}/test/developers`;
      for (const [form, page] of [
        [`${developers}/keys`, developers],
        [`${home()}/test/payments/export`, `${home()}/test/payments`],
        [`${home()}/settings/keys`, `${home()}/settings`],
        [`${home()}/people/${owner.id}/unlock`, `${home()}/people/${owner.id}`],
      ] as const) {
        // The page of a refused form has the address of the form. Some browsers send none.
        for (const referer of [`https://pay.example.com${form}`, '', `https://pay.example.com${'/'.repeat(10_000)}`]) {
          const asked = await browser.post(form, { confirmed: 'on' }, referer === '' ? {} : { referer });
          expect([asked.status, hiddenFields(asked.text).to], form).to.deep.equal([403, page]);
        }
      }
    });

    it('after a session that ended by itself, the page to which the sign-in leads back asks for no form again', async () => {
      const browser = await signedIn(service, owner);
      service.clock.advance({ minutes: 15 });
      // An idle page leaves to the sign-in by itself, with the cookie of the ended session.
      await browser.post('/console/sign-in', { email: owner.email, to: `${home()}/people` });
      const done = await browser.post(new URL(await signInUrl(service, owner)).pathname);
      expect(done.location).to.equal(`${home()}/people`);
    });

    it('a page says that something was done once, and only in the session that did it', async () => {
      const browser = await signedIn(service, owner);
      const says = async (path: string, reader = browser) => {
        const { text } = await reader.get(path, { 'sec-fetch-site': 'same-origin' });
        const sentences = ['The change is saved', 'events are sent again', 'You are signed out.'];
        return sentences.filter((words) => text.includes(words));
      };
      const save = async () => (await browser.post(`${home()}/settings/color`, { color: '' })).location ?? '';
      const saved = `${home()}/settings?done=saved`;
      for (const path of [
        saved,
        `${home()}/test/developers?done=replayed&count=2`,
        '/console/sign-in?ended=1',
        '/console/sign-in?done=signed_out',
      ]) {
        expect(await says(path), path).to.deep.equal([]);
      }
      expect(await save()).to.equal(saved);
      expect(await says(`${saved}&x=1`), 'another address').to.deep.equal([]);
      expect(await says('/console/account?done=saved'), 'another page').to.deep.equal([]);
      const [other, stranger] = [await signedIn(service, owner), new ConsoleBrowser(service)];
      for (const one of [other, stranger]) one.doneCookie = browser.doneCookie;
      expect([await says(saved, other), await says(saved, stranger)], 'another session').to.deep.equal([[], []]);
      expect([await says(saved), await says(saved)], 'once').to.deep.equal([['The change is saved'], []]);
      await save();
      await growOld(service, browser);
      await browser.signIn(await signInUrl(service, owner), {});
      expect(await says(saved), 'the session of before').to.deep.equal([]);
    });

    it('the sign-in page says that a session has ended to its browser, and after a sign-out, and to nobody else', async () => {
      const said = async (reader: ConsoleBrowser, path = '/console/sign-in') =>
        (await reader.get(path)).text.includes('You are signed out.');
      const browser = await signedIn(service, owner);
      expect(await said(browser)).to.equal(false);
      service.clock.advance({ minutes: 15 });
      const { location } = await browser.get(home());
      expect(await said(browser, location ?? '')).to.equal(true);
      const other = await signedIn(service, owner);
      const out = await other.post('/console/sign-out');
      expect(await said(new ConsoleBrowser(service), out.location ?? '')).to.equal(false);
      expect([await said(other, out.location ?? ''), await said(other)]).to.deep.equal([true, false]);
    });

    it('a form without the fresh sign-in that it needs is not carried out, and nothing of it is in the answer', async () => {
      const browser = await signedIn(service, owner);
      await growOld(service, browser);
      const path = `${home()}/settings/notifications`;
      const asked = await browser.post(path, { disputes: 'typed@elm.example' });
      expect(asked.status).to.equal(403);
      expect(asked.text).to.not.include('typed@elm.example');
      const stored = await service.query('select * from notification_recipients');
      expect(JSON.stringify(stored)).to.not.include('typed@elm.example');
    });

    it('a cookie of another form than ours is no session and no error', async () => {
      for (const cookie of ['', 'short', 'A'.repeat(43), `${'A'.repeat(42)}%`]) {
        const browser = new ConsoleBrowser(service);
        const answer = await browser.get('/console', { cookie: `${COOKIE}=${cookie}` });
        expect(answer.status, cookie).to.equal(303);
      }
    });
  });
});

describe('the name of a device', () => {
  it('a browser is named by its own mark, with its system, and a text without both has no name', () => {
    const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
    for (const [header, name] of [
      [FIREFOX, 'Firefox, Windows'],
      [SAFARI, 'Safari, iPhone'],
      [`Mozilla/5.0 (Windows NT 10.0) ${chrome} Edg/140.0.0.0`, 'Edge, Windows'],
      [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${chrome}`, 'Chrome, Mac'],
      [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${chrome}`, 'Chrome, ChromeOS'],
      [`Mozilla/5.0 (Linux; Android 15) ${chrome} OPR/90.0`, 'Opera, Android'],
      ['Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) CriOS/140.0.0.0 Mobile/15E148 Safari/604.1', 'Chrome, iPad'],
      ['curl/8.0 (Linux)', 'Linux'],
      ['<script>alert(1)</script>', null],
      ['', null],
    ] as const) {
      expect(deviceName(header), header).to.equal(name);
    }
  });
});
