import { expect } from 'chai';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { createEndpoint } from '../harness/webhooks.ts';
import { addUser, type ConsoleBrowser, signedIn, signInUrl } from './console.ts';

const URL_OF_ENDPOINT = 'https://billing.example.com/hooks';

describe('the fresh sign-in of the console', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const owner = madeForEach(() => addUser(service, practice.practiceId, 'owner'));
  let browser: ConsoleBrowser;
  let home: string;

  beforeEach(async () => {
    browser = await signedIn(service, owner);
    home = `/console/${practice.practiceId}`;
  });

  /** Lets the sign-in grow older than 15 minutes, while the person works. */
  const growOld = async () => {
    for (let minutes = 0; minutes < 16; minutes += 8) {
      service.clock.advance({ minutes: 8 });
      await browser.get(home);
    }
  };

  const acts = async () => {
    const rows = await service.query<{ action: string }>(
      `select action from audit_log where practice_id = $1 and actor_id = $2 and action !~ '^(session|member)' order by id`,
      [practice.practiceId, owner.personId],
    );
    return rows.map(({ action }) => action);
  };

  /** Returns the hidden fields of the form with this action. */
  const fieldsOf = (text: string, action: string) => {
    const [, form = ''] = new RegExp(`<form[^>]* action="${action}"[^>]*>([\\s\\S]*?)</form>`).exec(text) ?? [];
    const found = form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g);
    return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]));
  };

  it('the address of a live endpoint needs a sign-in of the last 15 minutes; its note, and test endpoints, do not', async () => {
    const live = await createEndpoint(practice.live, URL_OF_ENDPOINT);
    const test = await createEndpoint(practice.test, URL_OF_ENDPOINT);
    const path = (mode: string, id: string) => `${home}/${mode}/developers/webhooks/${id}`;
    await growOld();
    const moved = await browser.post(path('live', live.id), { url: 'https://other.example.com/hooks', reach: 'all' });
    expect([moved.status, moved.title]).to.deep.equal([403, 'Confirm that it is you']);
    for (const [target, fields] of [
      [path('live', live.id), { url: URL_OF_ENDPOINT, reach: 'all', description: 'Desk' }],
      [path('test', test.id), { url: 'https://other.example.com/hooks', reach: 'all' }],
      [`${path('test', test.id)}/delete`, { confirmed: 'on' }],
    ] as const) {
      expect((await browser.post(target, fields)).status, target).to.equal(303);
    }
  });

  it('a form survives the sign-in by mail in another tab, and is sent by a second button', async () => {
    await growOld();
    const path = `${home}/settings/notifications`;
    const typed = { disputes: 'a&b@elm.example', refunds: '', payments: '"x"', webhooks: 'w@elm.example' };
    const asked = await browser.post(path, typed);
    const kept = fieldsOf(asked.text, '/console/confirm');
    const sent = await browser.post('/console/confirm', kept);
    expect([sent.status, sent.text.includes('A mail with a link is on its way')]).to.deep.equal([200, true]);
    const waiting = fieldsOf(sent.text, '/console/continue');
    const formerToken = browser.csrf;
    const early = await browser.post('/console/continue', waiting);
    expect([early.status, fieldsOf(early.text, '/console/continue')]).to.deep.equal([403, waiting]);
    await browser.signIn(await signInUrl(service, owner));
    // The page of the other tab has the token of the former session.
    const again = await browser.post('/console/continue', { ...waiting, csrf: formerToken });
    expect(again.status).to.equal(200);
    const { csrf, ...fields } = fieldsOf(again.text, path);
    expect([csrf, fields]).to.deep.equal([browser.csrf, { ...typed, payments: '&quot;x&quot;' }]);
    expect(await acts(), 'nothing was sent by itself').to.deep.equal([]);
    const done = await browser.post(path, { ...fields, payments: '' });
    expect(done.location).to.equal(`${path}?done=saved`);
  });

  it('a kept form is sent to no other site, and to nothing without a fresh sign-in', async () => {
    for (const path of ['https://attacker.example/', '//attacker.example/console', '/console/../x', '/pay/x', '']) {
      expect((await browser.post('/console/continue', { kept_path: path })).status, path).to.equal(400);
    }
    const foreign = await browser.post('/console/continue', { kept_path: home }, { 'sec-fetch-site': 'cross-site' });
    expect(foreign.status).to.equal(403);
  });
});
