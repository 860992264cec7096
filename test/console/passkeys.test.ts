import { expect } from 'chai';
import { type Member, removeMember } from '../../src/console/identity/people/members.ts';
import { purgeSignIns } from '../../src/console/identity/sign-in/retention.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { KeptMails, runJobs } from '../harness/mails.ts';
import { type AnswerFaults, Authenticator } from './authenticator.ts';
import { addMember, ConsoleBrowser, signedIn, signedInAs, signInUrl, whileLocked } from './console.ts';

const ORIGIN = 'https://pay.example.com';
const ADD = '/console/account/passkeys';
const SIGN_IN = '/console/sign-in/passkey';

describe('passkeys', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  let owner: Member;

  beforeEach(async () => {
    // Limits of former tests are over.
    service.clock.advance({ minutes: 2 });
    owner = await addMember(service, practice.practiceId, 'owner');
  });

  const optionsOf = async (browser: ConsoleBrowser, path: string) => {
    const answer = await browser.post(`${path}/options`);
    expect(answer.status, answer.text).to.equal(200);
    return JSON.parse(answer.text);
  };

  const add = async (browser: ConsoleBrowser, faults: AnswerFaults = {}, name = 'Desk') => {
    const authenticator = new Authenticator(ORIGIN);
    const response = authenticator.register(await optionsOf(browser, ADD), faults);
    return { authenticator, response, answer: await browser.post(ADD, { response, name }) };
  };

  /** Returns an authenticator with a passkey of the person. */
  const withPasskey = async (user: Member): Promise<Authenticator> => {
    const { authenticator, answer } = await add(await signedIn(service, user));
    expect(answer.location).to.equal('/console/account?done=added');
    return authenticator;
  };

  const enter = async (
    authenticator: Authenticator,
    faults: AnswerFaults = {},
    fields: Record<string, string> = {},
  ) => {
    const browser = new ConsoleBrowser(service);
    const response = authenticator.signIn(await optionsOf(browser, SIGN_IN), faults);
    return { browser, response, answer: await browser.post(SIGN_IN, { response, ...fields }) };
  };

  const REFUSED = [422, 'Sign in', null];
  const outcome = ({ status, title, cookie }: Awaited<ReturnType<ConsoleBrowser['post']>>) => [status, title, cookie];

  it('a person adds a passkey with a name, signs in with it, and the log of each practice has both', async () => {
    const authenticator = await withPasskey(owner);
    const { browser, answer } = await enter(authenticator);
    expect([answer.status, answer.location]).to.deep.equal([303, '/console']);
    const page = await browser.get('/console/account');
    expect(page.text).to.include('Desk').and.include('Last used on');
    await browser.get(`/console/${practice.practiceId}`);
    const acts = await service.query(
      `select action, after->>'method' as method, after->>'name' as name from audit_log
       where actor_id = $1 and action <> 'member.joined' order by id`,
      [owner.personId],
    );
    expect(acts).to.deep.equal([
      { action: 'passkey.added', method: null, name: 'Desk' },
      { action: 'session.started', method: 'passkey', name: null },
    ]);
  });

  it('a sign-in by passkey makes a new session and ends that of the browser', async () => {
    const authenticator = await withPasskey(owner);
    const browser = await signedIn(service, owner);
    const former = browser.cookie;
    const response = authenticator.signIn(await optionsOf(browser, SIGN_IN));
    const answer = await browser.post(SIGN_IN, { response });
    expect([answer.status, browser.cookie === former]).to.deep.equal([303, false]);
    const planted = new ConsoleBrowser(service);
    planted.cookie = former;
    expect((await planted.get('/console')).location).to.match(/^\/console\/sign-in/);
  });

  it('the options of a sign-in are the same for everybody: they name no passkey and no person', async () => {
    await withPasskey(owner);
    const options = await optionsOf(new ConsoleBrowser(service), SIGN_IN);
    const { challenge, ...others } = options;
    expect(challenge).to.match(/^[\w-]{43}$/);
    expect(others).to.deep.equal({ rpId: 'pay.example.com', timeout: 120_000, userVerification: 'required' });
  });

  it('an answer signs in once, also if it is sent twice at the same time', async () => {
    const authenticator = await withPasskey(owner);
    // Without a count of uses, so that the challenge alone decides.
    const response = authenticator.signIn(await optionsOf(new ConsoleBrowser(service), SIGN_IN), { counter: 0 });
    const browsers = [1, 2, 3].map(() => new ConsoleBrowser(service));
    const answers = await Promise.all(browsers.map((browser) => browser.post(SIGN_IN, { response })));
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([303, 422, 422]);
    expect(outcome(await new ConsoleBrowser(service).post(SIGN_IN, { response }))).to.deep.equal(REFUSED);
  });

  it('a challenge is accepted for five minutes', async () => {
    const authenticator = await withPasskey(owner);
    const browser = new ConsoleBrowser(service);
    const [early, late] = [await optionsOf(browser, SIGN_IN), await optionsOf(browser, SIGN_IN)];
    service.clock.advance({ minutes: 4, seconds: 59 });
    expect((await browser.post(SIGN_IN, { response: authenticator.signIn(early) })).status).to.equal(303);
    service.clock.advance({ seconds: 1 });
    const answer = await new ConsoleBrowser(service).post(SIGN_IN, { response: authenticator.signIn(late) });
    expect(outcome(answer)).to.deep.equal(REFUSED);
    service.clock.advance({ days: 1, minutes: 6 });
    await purgeSignIns(service.scope());
    expect(await service.query('select from passkey_challenges')).to.deep.equal([]);
  });

  it('an answer for another site, without fingerprint, face or PIN, or of another kind does not sign in', async () => {
    const authenticator = await withPasskey(owner);
    const faults: AnswerFaults[] = [
      { origin: 'https://pay.example.com.attacker.example' },
      { origin: 'http://pay.example.com' },
      { rpId: 'attacker.example' },
      { userVerified: false },
      { type: 'webauthn.create' },
    ];
    for (const fault of faults) {
      const { answer } = await enter(authenticator, fault);
      expect(outcome(answer), JSON.stringify(fault)).to.deep.equal(REFUSED);
    }
    expect((await enter(authenticator)).answer.status).to.equal(303);
  });

  it('a passkey whose count of uses does not ascend is refused, because it may be a copy', async () => {
    const authenticator = await withPasskey(owner);
    expect((await enter(authenticator, { counter: 7 })).answer.status).to.equal(303);
    for (const counter of [7, 6, 0]) {
      expect(outcome((await enter(authenticator, { counter })).answer), `${counter}`).to.deep.equal(REFUSED);
    }
    expect((await enter(authenticator, { counter: 8 })).answer.status).to.equal(303);
  });

  it('a passkey that nobody added, or whose challenge was made for adding one, does not sign in', async () => {
    expect(outcome((await enter(new Authenticator(ORIGIN))).answer)).to.deep.equal(REFUSED);
    const authenticator = await withPasskey(owner);
    const foreign = authenticator.signIn(await optionsOf(await signedIn(service, owner), ADD));
    expect(outcome(await new ConsoleBrowser(service).post(SIGN_IN, { response: foreign }))).to.deep.equal(REFUSED);
  });

  it('the passkey of a removed person does not sign in, also after the same address is invited again', async () => {
    const authenticator = await withPasskey(owner);
    await addMember(service, practice.practiceId, 'owner');
    await removeMember(service.scope(), { kind: 'operator' }, owner);
    expect(outcome((await enter(authenticator)).answer)).to.deep.equal(REFUSED);
    const successor = await addMember(service, practice.practiceId, 'viewer', { email: owner.email });
    expect(outcome((await enter(authenticator)).answer)).to.deep.equal(REFUSED);
    const page = await (await signedIn(service, successor)).get('/console/account');
    expect(page.text).to.include('You have no passkey yet.');
  });

  it('a removal ends everything that signs in, also a sign-in and a new passkey that are under way', async () => {
    const { practiceId } = await service.practice();
    await addMember(service, practiceId, 'owner');
    const member = await addMember(service, practiceId, 'viewer');
    const authenticator = await withPasskey(member);
    const [browser, url] = [await signedIn(service, member), await signInUrl(service, member)];
    const response = new Authenticator(ORIGIN).register(await optionsOf(browser, ADD));
    const assertion = authenticator.signIn(await optionsOf(new ConsoleBrowser(service), SIGN_IN));
    const answers = await whileLocked(
      service,
      // As a removal does: the lock, then the membership.
      ['select from people where id = $1 for no key update', 'delete from memberships where person_id = $1'],
      [member.personId],
      () => [
        browser.post(ADD, { response, name: 'Late' }),
        new ConsoleBrowser(service).post(new URL(url).pathname),
        new ConsoleBrowser(service).post(SIGN_IN, { response: assertion }),
      ],
    );
    expect(answers.map(({ cookie }) => cookie)).to.deep.equal([null, null, null]);
    expect(answers.map(({ status }) => status)).to.deep.equal([422, 410, 422]);
    const again = await addMember(service, practiceId, 'viewer', { email: member.email });
    expect(again.personId).to.equal(member.personId);
    for (const table of ['passkeys', 'console_sessions', 'console_devices', 'sign_in_tokens']) {
      const left = await service.query(`select from ${table} where person_id = $1`, [member.personId]);
      expect(left, table).to.deep.equal([]);
    }
  });

  it('the person and all owners get a mail about a new passkey, without its name', async () => {
    const { practiceId } = await service.practice();
    const boss = await addMember(service, practiceId, 'owner');
    const member = await addMember(service, practiceId, 'viewer');
    await addMember(service, practiceId, 'administrator');
    const mails = new KeptMails();
    await runJobs(service, new KeptMails());
    await add(await signedIn(service, member), {}, 'Call evil.example');
    await runJobs(service, mails);
    expect(mails.mails.map(({ to }) => to).toSorted()).to.deep.equal([boss.email, member.email]);
    for (const { subject, text } of mails.mails) {
      expect(subject).to.equal('A new passkey for the Paylinks console');
      expect(text).to.include(member.email).and.not.include('evil');
    }
  });

  it('text that is no answer of a passkey is refused without an error, on both forms', async () => {
    const browser = await signedIn(service, owner);
    const clientDataJSON = Buffer.from('{"challenge":"x"}').toString('base64url');
    const hostile = [
      '',
      'null',
      '{}',
      '[1]',
      JSON.stringify({ id: '\u0000', response: { clientDataJSON } }),
      JSON.stringify({ id: 'a', response: { clientDataJSON } }),
      JSON.stringify({ id: 'a', response: { clientDataJSON: 'AAAA' } }),
      JSON.stringify({
        id: 'a',
        response: { clientDataJSON: Buffer.from('{"challenge":"\\u0000"}').toString('base64url') },
      }),
      JSON.stringify({ id: 'a', response: null }),
      // None of these can become a text.
      JSON.stringify({ id: 'a', response: { clientDataJSON: { toString: 1 } } }),
      JSON.stringify({ id: 'a', response: { clientDataJSON: [{ toString: 1 }] } }),
    ];
    for (const response of hostile) {
      expect(outcome(await new ConsoleBrowser(service).post(SIGN_IN, { response })), response).to.deep.equal(REFUSED);
      const added = await browser.post(ADD, { response, name: 'Desk' });
      expect([added.status, added.text.includes('was not accepted')], response).to.deep.equal([422, true]);
      service.clock.advance({ minutes: 1 });
    }
  });

  it('ways to reach the device that are no list of known words are left out of a new passkey', async () => {
    const browser = await signedIn(service, owner);
    for (const transports of [1, {}, 'usb', [1, null, 'CANARY'], ['usb']]) {
      const answer = JSON.parse(new Authenticator(ORIGIN).register(await optionsOf(browser, ADD)));
      const response = JSON.stringify({ ...answer, response: { ...answer.response, transports } });
      const added = await browser.post(ADD, { response, name: 'Desk' });
      expect(added.location, JSON.stringify(transports)).to.equal('/console/account?done=added');
    }
    const stored = await service.query('select transports from passkeys where person_id = $1 order by id', [
      owner.personId,
    ]);
    expect(stored.map(({ transports }) => transports)).to.deep.equal([[], [], [], [], ['usb']]);
  });

  it('a passkey is added only by the answer to a challenge of the same person, once, and with a name', async () => {
    const second = await addMember(service, practice.practiceId, 'owner');
    const [browser, stranger] = [await signedIn(service, owner), await signedIn(service, second)];
    const authenticator = new Authenticator(ORIGIN);
    const stolen = authenticator.register(await optionsOf(stranger, ADD));
    expect((await browser.post(ADD, { response: stolen, name: 'Desk' })).status).to.equal(422);
    expect((await stranger.post(ADD, { response: stolen, name: 'Desk' })).status).to.equal(303);
    expect((await stranger.post(ADD, { response: stolen, name: 'Desk' })).status).to.equal(422);
    const again = authenticator.register(await optionsOf(browser, ADD));
    const known = await browser.post(ADD, { response: again, name: 'Desk' });
    expect([known.status, known.text.includes('already in use')]).to.deep.equal([422, true]);
    for (const fault of [
      { origin: 'https://attacker.example' },
      { rpId: 'attacker.example' },
      { userVerified: false },
    ]) {
      expect((await add(browser, fault)).answer.status, JSON.stringify(fault)).to.equal(422);
    }
    for (const [name, status] of [
      ['', 422],
      ['  ', 422],
      ['a\u0000b', 400],
    ] as const) {
      expect((await add(browser, {}, name)).answer.status, JSON.stringify(name)).to.equal(status);
    }
  });

  it('a person has at most 20 passkeys', async () => {
    const browser = await signedIn(service, owner);
    for (let i = 0; i < 20; i++) {
      expect((await add(browser)).answer.status).to.equal(303);
      service.clock.advance({ seconds: 10 });
    }
    const { answer } = await add(browser);
    expect([answer.status, answer.text.includes('20 passkeys is the limit')]).to.deep.equal([422, true]);
  });

  it('a removed passkey does not sign in any more; nobody removes that of another person', async () => {
    const authenticator = await withPasskey(owner);
    const browser = await signedIn(service, owner);
    const [{ id } = { id: '' }] = await service.query<{ id: string }>('select id from passkeys where person_id = $1', [
      owner.personId,
    ]);
    const path = `${ADD}/${id}/remove`;
    const stranger = await signedInAs(service, practice.practiceId, 'owner');
    expect((await stranger.post(path, { confirmed: 'on' })).status).to.equal(404);
    expect((await browser.post(path, { confirmed: 'on' })).location).to.equal('/console/account?done=removed');
    expect(outcome((await enter(authenticator)).answer)).to.deep.equal(REFUSED);
  });

  it('sign-ins by passkey count as sign-in forms of the client address', async () => {
    const browser = new ConsoleBrowser(service);
    for (let i = 0; i < 20; i++) await browser.post(`${SIGN_IN}/options`);
    for (const path of [SIGN_IN, `${SIGN_IN}/options`]) {
      const { status, headers } = await browser.post(path);
      expect([status, Number(headers.get('retry-after')) > 0], path).to.deep.equal([429, true]);
    }
  });
});
