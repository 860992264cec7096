import { expect } from 'chai';
import { issueKey } from '../../../src/access/service.ts';
import type { Member } from '../../../src/console/identity/people/members.ts';
import { EVENT_TYPES } from '../../../src/contract/document.ts';
import { madeForEach, useReceiver, useService } from '../../harness/fixtures.ts';
import { KeptMails, runJobs } from '../../harness/mails.ts';
import { refuse } from '../../harness/receiver.ts';
import { TestService } from '../../harness/service.ts';
import {
  createEndpoint,
  deliver,
  ENDPOINTS,
  type Endpoint,
  exhaust,
  followRetrySchedule,
  listDeliveries,
  paidLink,
  ping,
  setExhaustedInARow,
} from '../../harness/webhooks.ts';
import {
  addMember,
  type ConsoleBrowser,
  expectRefused,
  growOld,
  hiddenFields,
  signedIn,
  signedInAs,
  startSession,
} from '../console.ts';

const URL = 'https://billing.example.com/hooks';

describe('webhook endpoints in the console', () => {
  const service = useService();
  const receiver = useReceiver();
  const practice = madeForEach(() => service.practice());
  let developer: Member;
  let browser: ConsoleBrowser;
  let home: string;

  beforeEach(async () => {
    service.clock.set('2030-06-15T12:00:00.000Z');
    developer = await addMember(service, practice.practiceId, 'developer');
    browser = await signedIn(service, developer);
    home = `/console/${practice.practiceId}/test/developers`;
  });

  const acts = async () =>
    service.query<{ action: string; before: object | null; after: object | null }>(
      `select action, before, after from audit_log where practice_id = $1 and action like 'endpoint.%'
         and actor_kind = 'person' order by id`,
      [practice.practiceId],
    );
  const endpoints = async (): Promise<Endpoint[]> => (await practice.test.get(ENDPOINTS)).body.data;
  const newForm = async (fields: Record<string, string> = {}) => {
    const { form = '' } = hiddenFields((await browser.get(`${home}/webhooks/new`)).text);
    return { form, url: URL, reach: 'all', ...fields };
  };
  const secretIn = (text: string) => /value="(whsec_[\w-]+)"/.exec(text)?.[1] ?? '';

  it('a new endpoint has the chosen events, location and note, and the audit log has no parameter of its address', async () => {
    const form = await newForm({
      url: `${URL}?token=hidden`,
      reach: 'some',
      'event.payment_link.paid': 'on',
      'event.payment_link.failed': 'on',
      location: practice.locationId,
      description: 'Billing\r\nsystem',
    });
    const created = await browser.post(`${home}/webhooks`, form);
    const [endpoint] = await endpoints();
    expect(created.location).to.equal(`${home}/webhooks/${endpoint?.id}?done=created`);
    expect(endpoint).to.include({
      url: `${URL}?token=hidden`,
      locationId: practice.locationId,
      description: 'Billing\nsystem',
      status: 'enabled',
    });
    expect(endpoint?.enabledEvents).to.deep.equal(['payment_link.paid', 'payment_link.failed']);
    expect((await browser.get(created.location ?? '')).text).to.include('receives events from now on');
    expect((await browser.get(home)).text).to.include(`${home}/webhooks/${endpoint?.id}`);
    const [act] = await acts();
    expect(act?.action).to.equal('endpoint.created');
    expect(act?.after).to.deep.equal({
      url: `${URL}?…`,
      enabledEvents: ['payment_link.paid', 'payment_link.failed'],
      locationId: practice.locationId,
      status: 'enabled',
      mode: 'test',
    });
  });

  it('a form for an endpoint that is sent twice at the same time creates one endpoint', async () => {
    const form = await newForm();
    const answers = await Promise.all([1, 2, 3].map(() => browser.post(`${home}/webhooks`, form)));
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([303, 422, 422]);
    expect(await endpoints()).to.have.length(1);
    expect(await acts()).to.have.length(1);
  });

  it('a refused form says why, and keeps the input', async () => {
    const other = await service.practice();
    const some = { reach: 'some' };
    for (const [fields, reason] of [
      [{ url: 'http://billing.example.com/hooks' }, 'The address must begin with https://.'],
      [{ url: 'https://10.0.0.7/hooks' }, 'The address must lead to public networks.'],
      [{ url: '' }, 'Enter an address such as'],
      [some, 'Choose all types, or only these'],
      [{ reach: 'all', 'event.payment_link.paid': 'on' }, 'id="reach-some-error">Choose all types, or only these'],
      [{ location: other.locationId }, 'Choose a location in use'],
      [{ description: 'x'.repeat(501) }, 'A note has at most 500'],
    ] as const) {
      const form = await newForm({ description: 'Kept <note>', ...fields });
      const refused = await expectRefused(browser.post(`${home}/webhooks`, form), reason);
      if (!('description' in fields)) expect(refused.text).to.include('Kept &lt;note&gt;');
    }
    expect(await endpoints()).to.deep.equal([]);
    for (let i = 0; i < 10; i++) await createEndpoint(practice.test, URL);
    await expectRefused(browser.post(`${home}/webhooks`, await newForm()), 'Ten endpoints is the limit');
    expect(await acts()).to.deep.equal([]);
  });

  it('the secret is shown on request only, and the audit log records it', async () => {
    const { id, secret } = await createEndpoint(practice.test, URL);
    const path = `${home}/webhooks/${id}`;
    expect((await browser.get(path)).text).to.not.include(secret);
    const shown = await browser.post(`${path}/secret`);
    expect([shown.status, secretIn(shown.text), shown.headers.get('cache-control')]).to.deep.equal([
      200,
      secret,
      'no-store',
    ]);
    expect(await acts()).to.deep.equal([{ action: 'endpoint.secret_viewed', before: null, after: null }]);
  });

  it('a form that replaces the secret and is sent twice replaces it once, so that the former secret still signs', async () => {
    const { id, secret } = await createEndpoint(practice.test, URL);
    const path = `${home}/webhooks/${id}`;
    const { former = '' } = hiddenFields((await browser.get(path)).text);
    const answers = await Promise.all([1, 2].map(() => browser.post(`${path}/rotate`, { former, confirmed: 'on' })));
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 422]);
    const renewed = secretIn(answers.find(({ status }) => status === 200)?.text ?? '');
    expect(renewed)
      .to.match(/^whsec_/)
      .and.not.equal(secret);
    expect(answers.find(({ status }) => status === 422)?.text).to.include('was replaced since you opened');
    expect(secretIn((await browser.post(`${path}/secret`)).text)).to.equal(renewed);
    expect((await browser.get(path)).text).to.include('The former secret signs, too, until June 16, 2030 at');
    const actions = (await acts()).map(({ action }) => action);
    expect(actions).to.deep.equal(['endpoint.secret_rotated', 'endpoint.secret_viewed']);
  });

  it('an endpoint is changed, disabled, enabled and deleted, each with its entry, and a refused change keeps the input', async () => {
    const { id } = await createEndpoint(practice.test, URL);
    const path = `${home}/webhooks/${id}`;
    const refused = await expectRefused(
      browser.post(path, { url: 'ftp://files.example.com', reach: 'all', description: 'Typed' }),
      'must begin with https',
    );
    expect(refused.text).to.include('value="ftp://files.example.com"').and.include('>Typed</textarea>');
    const fields = { url: `${URL}/v2`, reach: 'some', 'event.payment_link.paid': 'on', description: '' };
    expect((await browser.post(path, fields)).location).to.equal(`${path}?done=saved`);
    expect((await endpoints())[0]).to.include({ url: `${URL}/v2`, description: null });
    expect((await browser.post(`${path}/disable`, { confirmed: 'on' })).location).to.equal(`${path}?done=disabled`);
    const page = (await browser.get(path)).text;
    expect(page).to.include('The practice or an API key disabled it.').and.not.include('value="ping"');
    const sendPing = () => browser.post(`${home}/webhooks/${id}/test`);
    await expectRefused(sendPing(), 'The endpoint is disabled. Enable it first.');
    expect((await browser.post(`${path}/enable`)).location).to.equal(`${path}?done=enabled`);
    expect((await browser.get(path)).text).to.include('value="ping"');
    expect((await sendPing()).location).to.match(/deliveries\/evt_\w+\?done=tested$/);
    expect((await listDeliveries(practice.test)).map(({ type }) => type)).to.deep.equal(['ping']);
    expect((await browser.post(`${path}/delete`, { confirmed: 'on' })).location).to.equal(`${home}?done=deleted`);
    expect((await browser.get(path)).status).to.equal(404);
    expect(await endpoints()).to.deep.equal([]);
    const entries = await acts();
    expect(entries.map(({ action }) => action.slice('endpoint.'.length))).to.deep.equal([
      'changed',
      'disabled',
      'enabled',
      'tested',
      'deleted',
    ]);
    expect(entries[0]?.before).to.include({ url: URL });
    expect(entries[0]?.after).to.include({ url: `${URL}/v2` });
    expect(entries[1]?.after).to.include({ status: 'disabled' });
  });

  it('the address of a live endpoint needs a sign-in of the last 15 minutes; its note, and test endpoints, do not', async () => {
    const live = home.replace('/test/', '/live/');
    const other = { url: 'https://other.example.com/hooks', reach: 'all' };
    const { id } = await createEndpoint(practice.live, URL);
    const { id: testId } = await createEndpoint(practice.test, URL);
    await growOld(service, browser);
    const moved = await browser.post(`${live}/webhooks/${id}`, other);
    expect([moved.status, moved.title]).to.deep.equal([403, 'Confirm that it is you']);
    const noted = await browser.post(`${live}/webhooks/${id}`, { url: URL, reach: 'all', description: 'Desk' });
    expect(noted.status).to.equal(303);
    expect((await browser.post(`${home}/webhooks/${testId}`, other)).status).to.equal(303);
  });

  it('an endpoint that failures disabled says so, with its last failure', async () => {
    const endpoint = await createEndpoint(practice.test, receiver.url);
    await setExhaustedInARow(service, endpoint.id, 19);
    receiver.answer = refuse(500);
    await exhaust(service, service.deliverer(), practice.test, endpoint.id, 1);
    // The retries took days, so the session is over.
    browser.cookie = await startSession(service, developer.personId);
    const { text } = await browser.get(`${home}/webhooks/${endpoint.id}`);
    expect(text)
      .to.include('20 events in a row did not arrive')
      .and.include('The endpoint answered 500 instead of 2xx.');
  });

  it('an endpoint says which share of the events of seven days arrived, and that it is failing until an event arrives', async () => {
    const { id } = await createEndpoint(practice.test, receiver.url);
    await createEndpoint(practice.test, URL);
    const deliverer = service.deliverer();
    const states = async () => {
      const [list, page] = [await browser.get(home), await browser.get(`${home}/webhooks/${id}`)];
      const [, row = ''] = new RegExp(`webhooks/${id}"([\\s\\S]*?)</tr>`).exec(list.text) ?? [];
      const [, facts = ''] = /<dl class="card facts">([\s\S]*?)<\/dl>/.exec(page.text) ?? [];
      return [row, facts].map((text) => [
        /Enabled(, failing)?/.exec(text)?.[0],
        /\d+% \([^)]+\)|No events/.exec(text)?.[0],
        /answered \d+/.exec(text)?.[0],
      ]);
    };
    const send = async (status: number) => {
      receiver.answer = refuse(status);
      service.clock.advance({ seconds: 1 });
      await ping(practice.test, id);
      await deliver(deliverer, id);
    };
    const both = <State>(state: State) => [state, state];
    expect((await states())[1]).to.deep.equal(['Enabled', 'No events', undefined]);
    await send(503);
    expect(await states()).to.deep.equal(both(['Enabled, failing', '0% (0 of 1)', 'answered 503']));
    await send(200);
    expect(await states()).to.deep.equal(both(['Enabled', '50% (1 of 2)', 'answered 503']));
    await send(404);
    expect(await states()).to.deep.equal(both(['Enabled, failing', '33% (1 of 3)', 'answered 404']));
    service.clock.advance({ days: 8 });
    browser = await signedIn(service, developer);
    expect((await states())[1]?.slice(0, 2), 'after the seven days').to.deep.equal(['Enabled', 'No events']);
  });

  it('an endpoint of test data gets the example of any type of event, which says that it was simulated', async () => {
    const { id } = await createEndpoint(practice.test, receiver.url, { enabledEvents: ['payment_link.paid'] });
    const page = (await browser.get(`${home}/webhooks/${id}`)).text;
    for (const type of EVENT_TYPES) {
      expect(page).to.include(`<option value="${type}"`);
      const sent = await browser.post(`${home}/webhooks/${id}/test`, { type });
      expect(sent.location, type).to.match(/\/test\/deliveries\/evt_\w+\?done=tested$/);
    }
    await deliver(service.deliverer(), id);
    // The receiver compares each event with the contract.
    expect(receiver.types).to.deep.equal([...EVENT_TYPES]);
    const events = receiver.received.slice(0, -1).map(({ event }) => event);
    expect(events.every(({ test, data }) => test && data.paymentLink.test)).to.equal(true);
    const simulated = events.filter(({ data }) => data.context.triggeredBy === 'simulated').map(({ type }) => type);
    const unsimulated = ['payment_link.expired', 'payment_link.cancelled', 'ping'];
    expect(simulated).to.deep.equal(EVENT_TYPES.filter((type) => !unsimulated.includes(type)));
    expect((await acts()).map(({ action }) => action)).to.deep.equal(EVENT_TYPES.map(() => 'endpoint.tested'));
  });

  it('no example of a payment is sent among live data, a ping is, and an example that fails is not replayed', async () => {
    const live = home.replace('/test/', '/live/');
    const { id } = await createEndpoint(practice.live, URL);
    const form = { type: 'payment_link.paid' };
    expect((await browser.get(`${live}/webhooks/${id}`)).text)
      .to.include('Send a test event')
      .and.not.include('payment_link.paid</option>');
    expect((await browser.post(`${live}/webhooks/${id}/test`, form)).status).to.equal(400);
    expect((await browser.post(`${live}/webhooks/${id}/test`)).status).to.equal(303);
    expect((await browser.post(`${home}/webhooks/${id}/test`, form)).status, 'of the other mode').to.equal(404);
    const test = await createEndpoint(practice.test, receiver.url);
    expect((await browser.post(`${home}/webhooks/${test.id}/test`, { type: 'x' })).status).to.equal(400);
    receiver.answer = refuse(500);
    await browser.post(`${home}/webhooks/${test.id}/test`, form);
    await followRetrySchedule(service, service.deliverer(), test.id);
    browser = await signedIn(service, developer);
    const since = service.clock.now().toISOString().slice(0, 11);
    const preview = await browser.get(`${home}/webhooks/${test.id}/replay?since=${since}00:00`);
    expect(preview.text).to.include('There is nothing to send.');
  });

  it('a replay is previewed with the number that it then sends, and once in ten minutes', async () => {
    const { id } = await createEndpoint(practice.test, URL);
    const path = `${home}/webhooks/${id}`;
    await practice.test.patch(`${ENDPOINTS}/${id}`, { enabled: false });
    for (let i = 0; i < 3; i++) await paidLink(practice.test);
    await expectRefused(browser.get(`${path}/replay?since=2030-06-01T00:00`), 'The endpoint is disabled');
    await browser.post(`${path}/enable`);
    // 07:00 in Chicago is noon in UTC.
    const now = service.clock.now();
    const local = new Date(now.getTime() - 5 * 3_600_000 - 60_000).toISOString().slice(0, 16);
    const later = new Date(now.getTime() - 5 * 3_600_000 + 60_000).toISOString().slice(0, 16);
    const form = await browser.get(`${path}/replay`);
    expect(form.text).to.include('Times: Central (Chicago)').and.not.include('Start the replay');
    const preview = await browser.get(`${path}/replay?since=${local}`);
    expect(preview.text).to.include('Events to send again: 3. Missed events to add: 0.');
    for (const [since, reason] of [
      ['yesterday', 'Enter a day and a time'],
      [later, 'Enter a time of the last 30 days'],
      ['2030-01-01T00:00', 'Enter a time of the last 30 days'],
    ] as const) {
      await expectRefused(browser.post(`${path}/replay`, { since, confirmed: 'on' }), reason, since);
    }
    const pending = async () => (await listDeliveries(practice.test)).filter(({ status }) => status === 'pending');
    expect(await pending()).to.have.length(0);
    const started = await browser.post(`${path}/replay`, { since: local, confirmed: 'on' });
    expect(started.location).to.equal(`${path}?done=replayed&count=3`);
    expect((await browser.get(started.location ?? '')).text).to.include('Events on their way: 3.');
    expect(await pending()).to.have.length(3);
    await expectRefused(browser.post(`${path}/replay`, { since: local, confirmed: 'on' }), 'Try again in 10 min.');
    const replayed = (await acts()).filter(({ action }) => action === 'endpoint.replayed');
    expect(replayed.map(({ after }) => after)).to.deep.equal([
      { since: new Date(`${local}:00-05:00`).toISOString(), requeuedCount: 3, freshCount: 0, capped: false },
    ]);
  });

  it('without a key for secrets, the pages say that secrets cannot be stored or read', async () => {
    const bare = await TestService.start({ beside: service, env: { SECRETS_KEY: '' } });
    const { id } = await createEndpoint(practice.test, URL);
    const own = await signedInAs(bare, practice.practiceId, 'developer');
    for (const [path, fields] of [
      ['/webhooks', await newForm()],
      [`/webhooks/${id}/secret`, {}],
      [`/webhooks/${id}/test`, {}],
    ] as const) {
      await expectRefused(own.post(`${home}${path}`, fields), 'or ask the operator', path);
    }
    await bare.close();
  });

  describe('mails to the owners of a practice', () => {
    let mailer: KeptMails;

    beforeEach(async () => {
      for (const name of ['one', 'two']) {
        await addMember(service, practice.practiceId, 'owner', { email: `${name}@elm.example` });
      }
      await addMember(service, practice.practiceId, 'administrator');
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
      expect(first?.subject).to.equal('A new live API key of your practice');
      expect(first?.text).to.include(`/console/${practiceId}/live/developers/keys/${apiKey.id}\n`);
      for (const mode of ['test', 'live']) {
        const fields = { form: mode.padEnd(22, 'A'), name: 'Desk', 'scope.webhooks:manage': 'on' };
        expect((await browser.post(`/console/${practiceId}/${mode}/developers/keys`, fields)).status).to.equal(200);
      }
      expect(await sent()).to.have.length(2);
    });

    it('each owner gets a mail about a live endpoint that is new or has a new address, also by the API, without that address', async () => {
      await createEndpoint(practice.test, URL);
      const { id } = await createEndpoint(practice.live, URL);
      const [mail, ...others] = await sent();
      expect(others).to.have.length(1);
      expect(mail?.text).to.include(`/live/developers/webhooks/${id}\n`).and.not.include('billing.example');
      await practice.live.patch(`${ENDPOINTS}/${id}`, { description: 'Desk', url: URL });
      expect(await sent()).to.deep.equal([]);
      service.clock.advance({ seconds: 1 });
      await practice.live.patch(`${ENDPOINTS}/${id}`, { url: 'https://other.example.com/hooks' });
      expect((await sent()).map(({ to }) => to)).to.deep.equal(['one@elm.example', 'two@elm.example']);
    });
  });
});
