import { expect } from 'chai';
import type { Member } from '../../src/console/identity/people/members.ts';
import { purgeSignIns } from '../../src/console/identity/sign-in/retention.ts';
import { createSignInUrl } from '../../src/console/identity/sign-in/tokens.ts';
import { simulateDisputeOpening } from '../../src/payment-links/api/sandbox-dispute.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { createLink } from '../harness/service.ts';
import { addMember, ConsoleBrowser, growOld, hiddenFields, signedIn } from './console.ts';
import { billingPractice, paid } from './payments-setup.ts';

const PATIENT = { firstName: 'Canarina', lastName: 'Byron', amount: '12.50', description: 'Crown' };

const BACK = 'Your form was not sent.';

describe('forms that outlive their session', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  let owner: Member;
  let colleague: Member;
  let path: string;

  before(async () => {
    owner = await addMember(service, practice.practiceId, 'owner');
    colleague = await addMember(service, practice.practiceId, 'front_desk');
    path = `/console/${practice.practiceId}/live/links/new`;
  });

  // Each test has the rate windows of its address for itself.
  beforeEach(() => service.clock.advance({ minutes: 2 }));

  /** Signs in by a mailed address, as a person does who asked for it from the page to which the answer leads. */
  const signInAgain = async (browser: ConsoleBrowser, user = owner) => {
    const url = await createSignInUrl(service.scope(), user.personId);
    await browser.post(new URL(url).pathname);
    await browser.readToken();
  };

  /** Sends the form of a new link in a session that has ended. */
  const sendLate = async (fields: Record<string, string> = PATIENT, user = owner) => {
    const browser = await signedIn(service, user);
    const hidden = hiddenFields((await browser.get(path)).text, path);
    service.clock.advance({ minutes: 16 });
    const answer = await browser.post(path, { ...hidden, ...fields });
    return { browser, answer };
  };

  const countLinks = async () => (await service.query('select from payment_links')).length;
  const keptRows = () => service.query<{ sealed: string }>('select * from kept_forms');
  const isFilled = (text: string) => text.includes(BACK) && text.includes('value="Canarina"') && text.includes('12.50');

  afterEach(() => service.query('delete from kept_forms'));

  it('a kept form comes back after the sign-in, once and filled, and is sent only when the person presses its button', async () => {
    const before = await countLinks();
    const { browser, answer } = await sendLate();
    expect([answer.status, answer.location]).to.deep.equal([303, `/console/sign-in?to=${encodeURIComponent(path)}`]);
    await signInAgain(browser);
    const { text } = await browser.get(path);
    expect(isFilled(text)).to.equal(true);
    expect([await countLinks(), browser.formCookie, await keptRows()]).to.deep.equal([before, null, []]);
    expect((await browser.get(path)).text, 'a second time').to.not.include(BACK);
    const sent = await browser.post(path, { ...hiddenFields(text, path), ...PATIENT });
    expect([sent.status, await countLinks()]).to.deep.equal([303, before + 1]);
  });

  it('a kept form comes back behind a fresh sign-in, and nothing of it was done', async () => {
    const form = `/console/${practice.practiceId}/settings/notifications`;
    const page = `/console/${practice.practiceId}/settings`;
    const browser = await signedIn(service, owner);
    await growOld(service, browser);
    const asked = await browser.post(form, { disputes: 'law@elm.example' });
    expect([asked.status, asked.text.includes('law@elm.example')]).to.deep.equal([403, false]);
    expect((await browser.get(page)).text, 'before the sign-in, too')
      .to.include(BACK)
      .and.include('law@elm.example');
    await browser.post(form, { disputes: 'law@elm.example' });
    await signInAgain(browser);
    expect((await browser.get(page)).text)
      .to.include(BACK)
      .and.include('law@elm.example');
    expect(await service.query('select from notification_recipients')).to.deep.equal([]);
    expect((await browser.post(form, { disputes: 'law@elm.example' })).location).to.equal(`${page}?done=saved`);
  });

  it('a kept form waits for its page, also while the script of another page keeps the session', async () => {
    const account = '/console/account';
    const browser = await signedIn(service, owner);
    await growOld(service, browser);
    await browser.post(`${account}/name`, { 'person-name': 'Canarina', keep_only: 'on' });
    const [, stay = ''] = /data-stay="([^"]+)"/.exec((await browser.get(path)).text) ?? [];
    expect((await browser.get(stay)).status).to.equal(200);
    expect((await browser.get(account)).text)
      .to.include(BACK)
      .and.include('value="Canarina"');
  });

  it('a kept form is shown to nobody else, in no other browser and on no other page', async () => {
    const { browser } = await sendLate();
    await signInAgain(browser, colleague);
    expect((await browser.get(path)).text, 'a colleague at the same browser').to.not.include('Canarina');
    const elsewhere = await signedIn(service, owner);
    expect((await elsewhere.get(path)).text, 'another browser').to.not.include('Canarina');
    await signInAgain(browser);
    const test = path.replace('/live/', '/test/');
    expect((await browser.get(test)).text, 'another page').to.not.include('Canarina');
    expect(isFilled((await browser.get(path)).text), 'the person').to.equal(true);
  });

  it('a kept form is gone after an hour, also from the database, and after its person signed out everywhere', async () => {
    const { browser } = await sendLate();
    service.clock.advance({ minutes: 60 });
    await signInAgain(browser);
    expect((await browser.get(path)).text).to.not.include('Canarina');
    service.clock.advance({ minutes: 1 });
    while (await purgeSignIns(service.scope()));
    expect(await keptRows()).to.deep.equal([]);
    await sendLate();
    expect(await keptRows()).to.have.length(1);
    await (await signedIn(service, owner)).post('/console/sign-out-everywhere');
    expect(await keptRows()).to.deep.equal([]);
  });

  it('a kept form lies in the database encrypted, one for each session, and without tokens and ticks', async () => {
    const { browser } = await sendLate();
    const again = { ...PATIENT, firstName: 'Second', csrf: browser.csrf, confirmed: 'on', response: 'canary-passkey' };
    await browser.post(path, again);
    const rows = await keptRows();
    expect(rows).to.have.length(1);
    expect(JSON.stringify(rows)).to.not.match(/Canarina|Second|Byron|Crown/);
    await signInAgain(browser);
    const { text } = await browser.get(path);
    expect(text).to.include('value="Second"').and.not.include('canary-passkey');
  });

  it('a form is not kept with a card number, of a foreign page, of an unknown session, or if it is too large', async () => {
    for (const fields of [
      { ...PATIENT, description: 'Card 4242 4242 4242 4242' },
      { ...PATIENT, csrf: 'foreign' },
      { ...PATIENT, description: 'x'.repeat(9_000) },
    ]) {
      const { answer } = await sendLate(fields);
      expect(answer.location, Object.values(fields).join()).to.include('/console/sign-in');
    }
    const stranger = new ConsoleBrowser(service);
    stranger.cookie = 'A'.repeat(43);
    await stranger.post(path, PATIENT);
    expect(await keptRows()).to.deep.equal([]);
  });

  it('a form is only kept when its page leaves the screen, even if another tab has kept the session', async () => {
    const before = await countLinks();
    const browser = await signedIn(service, owner);
    const answer = await browser.post(path, { ...PATIENT, keep_only: 'on' });
    expect([answer.status, answer.location, await countLinks()]).to.deep.equal([303, path, before]);
    expect(isFilled((await browser.get(path)).text)).to.equal(true);
    const late = await sendLate({ ...PATIENT, keep_only: 'on' });
    expect(late.answer.location).to.include('/console/sign-in?to=');
    await signInAgain(late.browser);
    expect(isFilled((await late.browser.get(path)).text)).to.equal(true);
  });

  it('a kept change, refund and setting come back as the person left them, and not as they are stored', async () => {
    const billing = await billingPractice(service);
    const { practice, northId, payments } = billing;
    const browser = await signedIn(service, await addMember(service, practice.practiceId, 'owner'));
    const waiting = await payments.link(practice, { amount: 40, locationId: northId });
    const { id } = await paid(billing, 'Kept', { amount: 900 });
    const refund = `${billing.path}/payments/${id}/refund`;
    const isPart = /value="part" checked[\s\S]*600\.00/;
    const forms: [page: string, form: string, fields: Record<string, string>, shown: RegExp][] = [
      [`${billing.path}/links/${waiting.id}/change`, '', { amount: '55.55' }, /value="55\.55"/],
      [refund, '', { choice: 'part', amount: '600.00' }, isPart],
      [refund, '/confirm', { refund: 're_1', amount: '600.00' }, isPart],
      [`/console/${practice.practiceId}/settings`, '/keys', { administrators: 'on' }, /"administrators"[^>]* checked/],
    ];
    for (const [page, form, fields, shown] of forms) {
      const hidden = hiddenFields((await browser.get(page)).text, `${page}${form}`);
      await browser.post(`${page}${form}`, { ...hidden, ...fields, keep_only: 'on' });
      expect((await browser.get(page)).text, page)
        .to.include(BACK)
        .and.match(shown);
    }
  });

  it('each kind of form that is sent after its session ended, as without scripts, comes back after the sign-in as it was left', async () => {
    const billing = await billingPractice(service);
    const { practice, northId, payments } = billing;
    const someone = await addMember(service, practice.practiceId, 'owner');
    const waiting = await payments.link(practice, { amount: 40, locationId: northId });
    const { id } = await paid(billing, 'Late', { amount: 900 });
    const evidenceDueBy = new Date(service.clock.now().getTime() + 7 * 86_400_000);
    await simulateDisputeOpening({ ...service.scope(), processor: payments.processor, ...separately }, id, {
      ...{ reason: 'general', amountCents: 90_000, evidenceDueBy },
    });
    const [dispute] = await service.query<{ id: string }>('select id from disputes where payment_link_id = $1', [id]);
    const payment = `${billing.path}/payments/${id}`;
    const link = `${billing.path}/links/${waiting.id}`;
    const settings = `/console/${practice.practiceId}/settings`;
    const people = `/console/${practice.practiceId}/people`;
    const forms: [page: string, form: string, fields: Record<string, string>, shown: RegExp][] = [
      [`${billing.path}/links/new`, '', PATIENT, /value="Canarina"/],
      [`${link}/change`, '', { amount: '55.55' }, /value="55\.55"/],
      [
        `${link}/cancel`,
        `?${new URLSearchParams({ to: `${billing.path}/owed?show=waiting` })}`,
        { reason: 'paid_at_desk' },
        /owed%3Fshow%3Dwaiting[\s\S]*"paid_at_desk" selected/,
      ],
      [
        `${payment}/refund`,
        '',
        { choice: 'part', amount: '7.00', reason: 'Goodwill' },
        /value="part" checked[\s\S]*7\.00[\s\S]*Goodwill/,
      ],
      [payment, `/disputes/${dispute?.id}`, { sent: 'yes' }, /The answer is sent/],
      [settings, '', { postalAddress: 'Canary Wharf 1' }, /Canary Wharf 1/],
      [settings, '/notifications', { disputes: 'law@elm.example' }, /law@elm\.example/],
      [people, '', { email: 'new@elm.example', role: 'billing' }, /value="new@elm\.example"[\s\S]*"billing" selected/],
      [
        `${billing.path}/owed`,
        '/send?show=waiting',
        { [`send.${waiting.id}`]: '0' },
        /hidden" name="show" value="waiting"/,
      ],
      [`${billing.path}/owed`, '/export?show=waiting&order=amount', {}, /hidden" name="show" value="waiting"/],
      [`${billing.path}/payments`, '/export?state=paid', {}, /"paid" selected/],
    ];
    for (const [page, form, fields, shown] of forms) {
      const browser = await signedIn(service, someone);
      service.clock.advance({ minutes: 16 });
      const { location } = await browser.post(`${page}${form}`, fields, { referer: `https://pay.example.com${page}` });
      expect(location).to.equal(`/console/sign-in?to=${encodeURIComponent(page)}`);
      await signInAgain(browser, someone);
      expect((await browser.get(page)).text, `${page}${form}`)
        .to.include(BACK)
        .and.match(shown);
    }
  });

  it('a download that needs a fresh sign-in leads back to the filtered list from which it was asked for', async () => {
    const { path, practice } = await billingPractice(service);
    const browser = await signedIn(service, await addMember(service, practice.practiceId, 'owner'));
    await growOld(service, browser);
    const page = `${path}/reconciliation`;
    const headers = { referer: `https://pay.example.com${page}?from=2030-02-01&to=2030-02-03` };
    const asked = await browser.post(`${path}/payments/export?from=2030-02-01&to=2030-02-03`, {}, headers);
    expect([asked.status, hiddenFields(asked.text).to]).to.deep.equal([403, page]);
    expect((await browser.get(page)).text)
      .to.include(BACK)
      .and.include('value="2030-02-03"');
  });

  it('a kept form waits while its page is opened for other entries', async () => {
    const browser = await signedIn(service, owner);
    await browser.post(path, { ...PATIENT, keep_only: 'on' });
    const { id } = await createLink(practice.live, { patient: { firstName: 'Ada', lastName: 'Other' } });
    const { text } = await browser.get(`${path}?patient=${id}`);
    expect(text).to.include('value="Other"').and.not.include(BACK);
    expect(isFilled((await browser.get(path)).text)).to.equal(true);
  });

  it('taking access away needs no fresh sign-in: people, invitations, keys and passkeys', async () => {
    const browser = await signedIn(service, owner);
    const leaver = await addMember(service, practice.practiceId, 'viewer');
    await growOld(service, browser);
    const people = `/console/${practice.practiceId}/people`;
    const locked = await browser.post(`${people}/${leaver.id}/lock`, { confirmed: 'on' });
    const removed = await browser.post(`${people}/${leaver.id}/remove`, { confirmed: 'on' });
    expect([locked.status, removed.status]).to.deep.equal([303, 303]);
    expect((await browser.post(`${people}/${colleague.id}/unlock`)).status, 'giving it back').to.equal(403);
  });
});
