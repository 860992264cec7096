import { expect } from 'chai';
import { listOwnedKeys, showKey } from '../../../src/access/service.ts';
import type { Member } from '../../../src/console/identity/people/members.ts';
import { purgeSignIns } from '../../../src/console/identity/sign-in/retention.ts';
import { CapturedLog } from '../../harness/captured-log.ts';
import { useService } from '../../harness/fixtures.ts';
import type { TestPractice } from '../../harness/service.ts';
import {
  addMember,
  type ConsoleBrowser,
  expectRefused,
  hiddenFields,
  signedIn,
  signedInAs,
  startSession,
  whileLocked,
} from '../console.ts';

const LINKS = '/api/v1/payment-links';

describe('API keys in the console', () => {
  const captured = new CapturedLog();
  const service = useService({ log: captured.log });
  let practice: TestPractice;
  let developer: Member;
  let browser: ConsoleBrowser;
  let live: string;
  let test: string;

  beforeEach(async () => {
    service.clock.set('2030-06-15T12:00:00.000Z');
    practice = await service.practice();
    developer = await addMember(service, practice.practiceId, 'developer');
    browser = await signedIn(service, developer);
    live = `/console/${practice.practiceId}/live/developers`;
    test = `/console/${practice.practiceId}/test/developers`;
  });

  const keys = (isTest: boolean) => listOwnedKeys(service.scope(), { practiceId: practice.practiceId, test: isTest });
  const acts = () =>
    service.query<{ action: string; target_id: string; entry: string }>(
      `select action, target_id, row_to_json(audit_log)::text as entry from audit_log
       where practice_id = $1 and action like 'key.%' order by id`,
      [practice.practiceId],
    );
  const newForm = async (path: string, fields: Record<string, string> = {}) => {
    const { form = '' } = hiddenFields((await browser.get(`${path}/keys/new`)).text);
    return { form, name: 'Billing import', 'scope.payment_links:read': 'on', ...fields };
  };
  const keyIn = (text: string) => /value="(pp_\w+_[\w-]+)"/.exec(text)?.[1] ?? '';

  it('a practice may leave live keys to administrators, whatever they permit, with effect on forms that wait', async () => {
    const administrator = await signedInAs(service, practice.practiceId, 'administrator');
    const waiting = await newForm(live);
    const rule = `/console/${practice.practiceId}/settings/keys`;
    expect((await browser.post(rule, { administrators: 'on' })).status).to.equal(403);
    // A key is being made while the rule changes: it waits for the practice, and is refused then.
    const set = 'update practices set reading_keys_for_administrators = true where id = $1';
    const [answer] = await whileLocked(service, [set], [practice.practiceId], () => [
      browser.post(`${live}/keys`, waiting),
    ]);
    expect([answer?.status, answer?.text.includes('only owners and administrators')]).to.deep.equal([422, true]);
    const page = await browser.get(`${live}/keys/new`);
    expect([page.status, page.text.includes('only owners and administrators')]).to.deep.equal([200, true]);
    expect(page.text).to.not.include('scope.');
    // Answers to changes, and deliveries, have the details of patients, too.
    const writing = { form: waiting.form, name: 'Writer', 'scope.payment_links:write': 'on' };
    expect((await browser.post(`${live}/keys`, writing)).status, 'another permission').to.equal(422);
    expect((await browser.post(`${test}/keys`, await newForm(test))).status, 'a test key').to.equal(200);
    expect((await administrator.post(`${live}/keys`, await newForm(test))).status, 'an administrator').to.equal(200);
    expect((await administrator.post(rule)).location).to.include('?done=saved');
    expect((await browser.post(`${live}/keys`, await newForm(live))).status, 'without the rule').to.equal(200);
    const [entry] = await service.query(
      `select before, after from audit_log where practice_id = $1 and action = 'settings.changed'`,
      [practice.practiceId],
    );
    expect(entry).to.have.nested.property('before.readingKeysForAdministrators', true);
    expect(entry).to.have.nested.property('after.readingKeysForAdministrators', false);
  });

  it('a live key is shown once, by the answer to the form, and works with its permissions only', async () => {
    const created = await browser.post(`${live}/keys`, await newForm(live));
    expect([created.status, created.location, created.headers.get('cache-control')]).to.deep.equal([
      200,
      null,
      'no-store',
    ]);
    const key = keyIn(created.text);
    expect(key).to.match(/^pp_live_/);
    const client = service.client(key);
    expect((await client.get(LINKS)).status).to.equal(200);
    expect((await client.get('/api/v1/webhook-endpoints')).body.error.code).to.equal('insufficient_scope');
    const [apiKey] = await keys(false);
    const page = await browser.get(`${live}/keys/${apiKey?.id}`);
    expect(page.text)
      .to.include(`…${key.slice(-4)}`)
      .and.not.include(key)
      .and.not.include(`${apiKey?.id}/show`);
    expect((await browser.get(live)).text).to.not.include(key);
    const again = await browser.post(`${live}/keys/${apiKey?.id}/show`);
    expect([again.status, again.text.includes(key)]).to.deep.equal([422, false]);
    const [act, ...others] = await acts();
    expect([act?.action, act?.target_id, others.length]).to.deep.equal(['key.created', apiKey?.id, 0]);
    expect(act?.entry).to.include('127.0.0.1').and.not.include(key);
    expect(JSON.stringify(captured.lines)).to.include('console.keys.create').and.not.include(key);
  });

  it('a key has a name, which lists and log show with its last characters, and which can be changed', async () => {
    const created = await browser.post(`${test}/keys`, await newForm(test, { name: ' Recall <service> ' }));
    const [named] = await keys(true);
    const page = `${test}/keys/${named?.id}`;
    const end = keyIn(created.text).slice(-4);
    for (const path of [test, page, `${test}/requests`]) {
      expect((await browser.get(path)).text, path).to.include(`Recall &lt;service&gt; (…${end})`);
    }
    for (const name of ['', ' ', 'x'.repeat(61), 'Desk\u0007']) {
      await expectRefused(browser.post(`${test}/keys`, await newForm(test, { name })), 'Enter a name of at most 60');
      await expectRefused(browser.post(`${page}/rename`, { name }), 'Enter a name of at most 60');
    }
    expect((await browser.post(`${page}/rename`, { name: 'Recall' })).location).to.equal(`${page}?done=saved`);
    expect((await browser.get(page)).title).to.equal(`Recall (…${end})`);
    await browser.post(`${page}/rename`, { name: 'Recall' });
    const entries = await acts();
    expect(entries.map(({ action }) => action)).to.deep.equal(['key.created', 'key.renamed']);
    expect(JSON.parse(entries[1]?.entry ?? '')).to.deep.include({
      ...{ before: { name: 'Recall <service>' }, after: { name: 'Recall' } },
    });
  });

  it('a form for a key that is sent twice, even at the same time, creates one key', async () => {
    const form = await newForm(live);
    const before = (await keys(false)).length;
    const answers = await Promise.all([1, 2, 3].map(() => browser.post(`${live}/keys`, form)));
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 422, 422]);
    expect(answers.filter(({ text }) => keyIn(text) !== '')).to.have.length(1);
    expect(answers.find(({ status }) => status === 422)?.text).to.include('This form was sent before');
    expect((await keys(false)).length).to.equal(before + 1);
    expect(await acts()).to.have.length(1);
    service.clock.advance({ hours: 25 });
    while (await purgeSignIns(service.scope()));
    expect(await service.query('select from sent_forms')).to.have.length(0);
    browser.cookie = await startSession(service, developer.personId);
    await browser.readToken();
    const { form: _, ...withoutId } = form;
    await expectRefused(browser.post(`${live}/keys`, withoutId), 'sent before');
    expect(await acts(), 'a form without an id creates nothing').to.have.length(1);
  });

  it('a form without permission, with a foreign location or a past day is refused in words, and keeps the input', async () => {
    const other = await service.practice();
    const before = (await keys(true)).length;
    const send = async (fields: Record<string, string>) => browser.post(`${test}/keys`, await newForm(test, fields));
    const { 'scope.payment_links:read': _, ...none } = await newForm(test, { expiry: '2030-07-01' });
    const empty = await expectRefused(browser.post(`${test}/keys`, none), 'Choose at least one permission');
    expect(empty.text).to.include('value="2030-07-01"');
    for (const location of [other.locationId, 'loc_nowhere']) {
      await expectRefused(send({ location }), 'Choose a location in use');
    }
    for (const expiry of ['2030-06-14', '2030-02-30', 'tomorrow']) {
      const refused = await expectRefused(
        send({ expiry, location: practice.locationId }),
        'Enter a day in the future',
        expiry,
      );
      expect(refused.text)
        .to.include(`value="${practice.locationId}" selected`)
        .and.match(/payment_links:read" checked/);
    }
    expect((await keys(true)).length).to.equal(before);
    expect(await acts()).to.deep.equal([]);
  });

  it('a key is pinned to its location, and ends with its last day in the zone of the practice', async () => {
    const form = await newForm(test, { location: practice.locationId, expiry: '2030-06-15' });
    const key = keyIn((await browser.post(`${test}/keys`, form)).text);
    const [apiKey] = await keys(true);
    expect(apiKey).to.include({ locationId: practice.locationId, test: true });
    expect(apiKey?.scopes).to.deep.equal(['payment_links:read']);
    // Midnight in Chicago, in summer.
    expect(apiKey?.expiresAt?.toISOString()).to.equal('2030-06-16T05:00:00.000Z');
    service.clock.set('2030-06-16T04:59:59.999Z');
    expect((await service.client(key).get(LINKS)).status).to.equal(200);
    service.clock.set('2030-06-16T05:00:00.000Z');
    expect((await service.client(key).get(LINKS)).status).to.equal(401);
  });

  it('a test key can be shown again, and the audit log records it', async () => {
    const [apiKey] = await keys(true);
    const { key } = await showKey(service.scope(), apiKey?.id ?? '');
    const page = await browser.get(`${test}/keys/${apiKey?.id}`);
    expect(page.text).to.not.include(key);
    const shown = await browser.post(`${test}/keys/${apiKey?.id}/show`);
    expect([shown.status, keyIn(shown.text)]).to.deep.equal([200, key]);
    const [act] = await acts();
    expect([act?.action, act?.target_id]).to.deep.equal(['key.viewed', apiKey?.id]);
    expect(act?.entry).to.not.include(key);
    await service.query('update api_keys set ciphertext = null where id = $1', [apiKey?.id]);
    await expectRefused(browser.post(`${test}/keys/${apiKey?.id}/show`), 'cannot be shown again');
  });

  it('a revoked key is refused at its next request, and revoking is recorded once', async () => {
    const [apiKey] = await keys(false);
    const path = `${live}/keys/${apiKey?.id}/revoke`;
    expect((await practice.live.get(LINKS)).status).to.equal(200);
    expect((await browser.post(path, { confirmed: 'on' })).location).to.equal(`${live}?done=revoked`);
    expect((await practice.live.get(LINKS)).status).to.equal(401);
    expect((await browser.get(`${live}?done=revoked`)).text)
      .to.include('It no longer works')
      .and.include('Revoked');
    await browser.post(path, { confirmed: 'on' });
    expect((await acts()).map(({ action }) => action)).to.deep.equal(['key.revoked']);
    expect((await browser.get(`${live}/keys/${apiKey?.id}`)).text).to.not.include('/revoke');
  });

  it('a practice without keys and endpoints is led to the quickstart', async () => {
    await service.query('delete from api_keys where practice_id = $1', [practice.practiceId]);
    const { text } = await browser.get(test);
    expect(text).to.include('href="/docs/quickstart"').and.include('There is no key yet.');
    expect((await browser.get('/docs/quickstart')).status).to.equal(200);
    expect((await browser.get('/docs/reference')).status).to.equal(200);
  });
});
