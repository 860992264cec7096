import { expect } from 'chai';
import { changeLinkAsStaff } from '../../src/payment-links/office/staff-acts.ts';
import { addDays, dayIn, endOfDay } from '../../src/platform/base/time/zoned-time.ts';
import { inTransaction } from '../../src/platform/database/query/transaction.ts';
import { audit } from '../../src/practices/audit/audit.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { KeptMails, runJobs } from '../harness/mails.ts';
import { Payments } from '../harness/payments.ts';
import { createLink, type TestService } from '../harness/service.ts';
import { useStripe } from '../payment-links/stripe-service.ts';
import {
  type Answer,
  type ConsoleBrowser,
  expectRefused,
  hiddenFields,
  pagesFrom,
  signedInAs,
  whileLocked,
} from './console.ts';

/** Entries of the form for a new link. */
const ENTRIES = { firstName: 'Ada', lastName: 'Byron', amount: '$1,250.5', description: 'Crown' };

/** A Visa number with a valid check digit. */
const CARD = '4111 1111 1111 1111';

describe('payment links in the console', () => {
  const service = useService({
    env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Elm Street Dental <pay@elm.example>' },
  });
  const practice = madeOnce(() => service.practice());
  let desk: ConsoleBrowser;
  let path: string;

  before(async () => {
    desk = await signedInAs(service, practice.practiceId, 'front_desk');
    path = `/console/${practice.practiceId}/live/links`;
  });

  /** Opens the form, as a person does, and returns the hidden id of its link. */
  const openForm = async (browser = desk, at = path): Promise<string> =>
    hiddenFields((await browser.get(`${at}/new`)).text).link ?? '';

  const create = async (entries: Record<string, string> = {}, browser = desk, at = path): Promise<Answer> =>
    browser.post(`${at}/new`, { link: await openForm(browser, at), ...ENTRIES, ...entries });

  const idOf = ({ location }: Answer): string => /plink_\w+/.exec(location ?? '')?.[0] ?? '';

  const rowsOf = (link: string) =>
    service.query<Record<string, string | number | boolean>>('select * from payment_links where id = $1', [link]);

  const countLinks = async (): Promise<number> =>
    (await service.query('select from payment_links where practice_id = $1', [practice.practiceId])).length;

  const acts = (link: string) =>
    service.query<{ action: string; before: object | null; after: object | null; actor_kind: string }>(
      `select action, before, after, actor_kind from audit_log
       where target_id = $1 and action <> 'link.viewed' order by id`,
      [link],
    );

  /** Runs a test with another practice, whose list has nothing but its own links. */
  const fresh = async () => {
    const own = await service.practice();
    const browser = await signedInAs(service, own.practiceId, 'front_desk');
    return { own, browser, at: `/console/${own.practiceId}/live/links` };
  };

  it('a new link of staff has what was typed, the source staff, and an entry in the audit log without patient data', async () => {
    const created = await create({ email: 'ada@example.com', phone: '(202) 555-0143', externalReference: 'inv-1' });
    const id = idOf(created);
    expect(created.location).to.equal(`${path}/${id}?done=created`);
    const [row] = await rowsOf(id);
    expect(row).to.include({
      source: 'staff',
      test: false,
      amount_cents: 125_050,
      patient_phone: '+12025550143',
      patient_email: 'ada@example.com',
      external_reference: 'inv-1',
      location_id: practice.locationId,
    });
    const entries = await acts(id);
    expect(entries.map(({ action, actor_kind }) => [action, actor_kind])).to.deep.equal([['link.created', 'person']]);
    expect(JSON.stringify(entries)).to.not.match(/Ada|Byron|Crown|ada@example|inv-1|2025550143/);
    const page = await desk.get(`${path}/${id}`);
    expect(page.text).to.include(`https://pay.example.com/pay/${row?.token}`);
    expect(page.text).to.include('$1,250.50');
    expect(page.text).to.include('<svg class="qr-code"');
    const again = await desk.get(`${path}/${id}`);
    expect(again.text, 'views are in the audit log only').to.not.include('Viewed a payment link');
  });

  it('a form that is sent twice makes one link, also when both arrive at once', async () => {
    const link = await openForm();
    const before = await countLinks();
    const answers = await Promise.all([1, 2, 3].map(() => desk.post(`${path}/new`, { link, ...ENTRIES })));
    expect(new Set(answers.map(({ location }) => location))).to.deep.equal(new Set([`${path}/${link}?done=created`]));
    expect(await countLinks()).to.equal(before + 1);
    expect(await acts(link)).to.have.length(1);
  });

  it('a used form with other entries makes no link and hides no mistake: it asks to send it again', async () => {
    const link = idOf(await create());
    const before = await countLinks();
    const again = await expectRefused(
      desk.post(`${path}/new`, { link, ...ENTRIES, lastName: 'Lovelace' }),
      'already created a link',
    );
    expect(await countLinks()).to.equal(before);
    const { link: renewed = '' } = hiddenFields(again.text);
    expect(renewed).to.not.equal(link);
    const sent = await desk.post(`${path}/new`, { link: renewed, ...ENTRIES, lastName: 'Lovelace' });
    expect(sent.location).to.equal(`${path}/${renewed}?done=created`);
  });

  it('the id of another practice’s link in a form neither shows nor changes that link', async () => {
    const { own } = await fresh();
    const { id } = await createLink(own.live, { description: 'Foreign crown' });
    const answer = await desk.post(`${path}/new`, { link: id, ...ENTRIES });
    expect([answer.status, answer.text.includes('Foreign crown')]).to.deep.equal([422, false]);
    expect((await rowsOf(id))[0]).to.include({ practice_id: own.practiceId, description: 'Foreign crown' });
  });

  it('a refused form names each faulty field in words and keeps what was typed', async () => {
    const { status, text } = await create({ amount: '12,5', description: '', email: 'nobody', lastName: '<b>Byron' });
    expect(status).to.equal(422);
    for (const sentence of ['Enter up to 999,999.99', 'Enter what the payment is for', 'Enter an email address']) {
      expect(text).to.include(sentence);
    }
    expect(text).to.include('value="12,5"');
    expect(text).to.include('value="&lt;b&gt;Byron"');
  });

  it('a refused form names all its faults at once and in its order, each beside its field', async () => {
    const second = await service.location((await fresh()).own.practiceId, 'Elsewhere');
    const wrong = { firstName: ' ', phone: '12', email: 'nobody', amount: '0.001', description: '', days: '5' };
    const { text } = await create({ ...wrong, locationId: second });
    const [alert = ''] = /<div class="alert stop"[\s\S]*?<\/div>/.exec(text) ?? [];
    const order = ['firstName', 'phone', 'email', 'amount', 'description', 'locationId', 'expiresAt'];
    expect([...alert.matchAll(/href="#(\w+)"/g)].map(([, name]) => name)).to.deep.equal(order);
    const beside = [...text.matchAll(/class="fault" id="(\w+)-error"/g)].map(([, name]) => name);
    expect(beside, 'the practice has one location').to.deep.equal(order.filter((name) => name !== 'locationId'));
    expect(text, 'a browser would name the first fault only').to.include(' novalidate');
  });

  it('the button that sends emails a new link once, and only where the patient has an address', async () => {
    const link = await openForm();
    const sent = { link, ...ENTRIES, email: 'ada@example.com', language: 'es', send: 'yes' };
    for (const _ of [1, 2])
      expect((await desk.post(`${path}/new`, sent)).location).to.equal(`${path}/${link}?done=created_sent`);
    expect((await acts(link)).map(({ action, after }) => [action, after])).to.deep.include([
      'link.sent',
      { language: 'es' },
    ]);
    expect(await acts(link)).to.have.length(2);
    for (const [name, value] of [
      ['send', 'yes'],
      ['email', 'ada@example.com'],
    ] as const) {
      const created = await create({ [name]: value });
      expect(created.location).to.match(name === 'send' ? /\?done=created_unaddressed$/ : /\?done=created$/);
      if (name === 'send') expect((await desk.get(created.location ?? '')).text).to.include('it has no email address');
      expect(await acts(idOf(created))).to.have.length(1);
    }
  });

  it('the form has the focus at the search for a patient, the location of the last link, and usual purposes of own locations', async () => {
    const { own, browser, at } = await fresh();
    const north = await service.location(own.practiceId, 'North');
    const first = await browser.get(`${at}/new`);
    expect(first.text)
      .to.match(/id="patient"[^>]* autofocus/)
      .and.not.match(/selected[^>]*>(?:North|Downtown)/);
    await create({ locationId: north, description: 'Night guard' }, browser, at);
    await create({ locationId: north, description: 'Night guard', firstName: 'Grace' }, browser, at);
    await create({ locationId: north, description: 'For Ada alone' }, browser, at);
    const { text } = await browser.get(`${at}/new`);
    expect(text).to.include(`<option value="${north}" selected>North`);
    expect([...text.matchAll(/<option value="([^"]+)"><\/option>/g)].map(([, value]) => value)).to.deep.equal([
      'Night guard',
    ]);
    const limited = await signedInAs(service, own.practiceId, 'front_desk', { locationIds: [own.locationId] });
    expect((await limited.get(`${at}/new`)).text).to.not.include('Night guard');
  });

  it('a card number is refused in every field of words', async () => {
    for (const field of ['description', 'firstName', 'lastName', 'externalId', 'externalReference']) {
      await expectRefused(create({ [field]: `Paid by ${CARD}` }), 'looks like a card number', field);
    }
  });

  it('staff create test links in test mode', async () => {
    const id = idOf(await create({}, desk, path.replace('/live/', '/test/')));
    expect((await rowsOf(id))[0]).to.include({ test: true });
  });

  it('live links wait until the practice can take payments, and the form says so', async () => {
    const { own, browser, at } = await fresh();
    await service.query('update practices set payments_enabled = false where id = $1', [own.practiceId]);
    await expectRefused(create({}, browser, at), 'not finished setting up payments');
    expect((await create({}, browser, at.replace('/live/', '/test/'))).status).to.equal(303);
  });

  it('people who are limited to locations see, find and create links of these only', async () => {
    const { own, at } = await fresh();
    const second = await service.location(own.practiceId, 'Uptown');
    const limited = await signedInAs(service, own.practiceId, 'front_desk', { locationIds: [second] });
    await createLink(own.live, { locationId: second, patient: { firstName: 'Mine', lastName: 'Byron' } });
    const hidden = await createLink(own.live, {
      locationId: own.locationId,
      patient: { firstName: 'Hidden', lastName: 'Byron' },
      externalReference: 'ref-1',
    });
    for (const filter of [
      '',
      '?status=waiting',
      '?q=byron',
      '?q=ref-1',
      `?q=${hidden.id}`,
      '?q=125.50',
      `?location=${own.locationId}`,
    ]) {
      const { status, text } = await limited.get(`${at}${filter}`);
      expect([status, text.includes('Hidden')], filter).to.deep.equal([200, false]);
    }
    const list = await limited.get(at);
    expect(list.text).to.include('Mine');
    await expectRefused(create({ locationId: own.locationId }, limited, at), 'Choose a location');
    const here = idOf(await create({}, limited, at));
    expect((await rowsOf(here))[0]).to.include({ location_id: second });
    expect((await limited.get(`${at}/new?from=${hidden.id}`)).text).to.not.include('Hidden');
    // No page leads to this act, which refuses it by itself.
    const viewer = { practiceId: own.practiceId, test: false, locationIds: [second] };
    const actor = { kind: 'person', id: 'usr_1', address: '203.0.113.7' } as const;
    const act = changeLinkAsStaff(service.scope(), { actor, viewer }, service.processor(), hidden.id, {
      reason: 'other',
    });
    expect(await act.catch(({ code }) => code)).to.equal('not_found');
  });

  it('the list finds links by name, reference, chart number, phone, mail address, amount, status and day', async () => {
    const { own, browser, at } = await fresh();
    await createLink(own.live, {
      amount: 77.5,
      externalReference: 'INV-7',
      patient: {
        firstName: 'María José',
        lastName: 'Núñez',
        phone: '+12025550199',
        email: 'Maria.N@example.com',
        externalId: 'MRN 7',
      },
    });
    await createLink(own.live, { amount: 20, patient: { firstName: 'Grace', lastName: 'Hopper' } });
    const found = async (filter: Record<string, string>) => {
      const { text } = await browser.get(`${at}?${new URLSearchParams(filter)}`);
      return [text.includes('Núñez'), text.includes('Hopper')];
    };
    for (const q of [
      'nun',
      'NÚÑEZ',
      'maria jose nunez',
      'Núñez, María',
      'nunez mar',
      'INV-7',
      'MRN 7',
      '(202) 555-0199',
      '+12025550199',
      'maria.n@',
      '77.50',
      '$77.5',
    ]) {
      expect(await found({ q }), q).to.deep.equal([true, false]);
    }
    for (const q of ['20', '$20', '20.00']) expect(await found({ q }), q).to.deep.equal([false, true]);
    expect(await found({ q: '20', status: 'waiting' })).to.deep.equal([false, true]);
    expect(await found({ q: '20', status: 'paid' })).to.deep.equal([false, false]);
    // A whole number is an amount only if it is nobody's number.
    await createLink(own.live, { patient: { firstName: 'Ann', lastName: 'Lee', externalId: '20' } });
    expect(await found({ q: '20' })).to.deep.equal([false, false]);
    expect(await found({ q: '$20' })).to.deep.equal([false, true]);
    expect(await found({ q: 'hop', status: 'paid' })).to.deep.equal([false, false]);
    for (const q of ["'; drop table payment_links; --", '%', '\\', '\u0000', '🦷'.repeat(60), 'nun%']) {
      expect((await browser.get(`${at}?${new URLSearchParams({ q })}`)).status, q).to.equal(200);
    }
    const today = service.clock.now().toISOString().slice(0, 10);
    expect(await found({ from: '2001-01-01', until: '2002-01-01' })).to.deep.equal([false, false]);
    expect(await found({ from: '2001-01-01' })).to.deep.equal([true, true]);
    expect(await found({ from: '2001-02-31', until: today.replace(/^\d{4}/, '9998') })).to.deep.equal([true, true]);
  });

  it('pages follow each other without gaps and repetitions, for every way to list', async () => {
    const { own, browser, at } = await fresh();
    const ids: string[] = [];
    for (let number = 0; number < 60; number++) ids.push((await createLink(own.live, { amount: 5 })).id);
    for (const filter of ['', '?status=waiting', '?q=byron', '?q=5']) {
      const texts = await pagesFrom(browser, `${at}${filter}`);
      expect(texts.flatMap(linkIds), filter).to.deep.equal(ids.toReversed());
    }
    expect((await browser.get(`${at}?start=nonsense`)).status).to.equal(200);
  });

  it('a search reads a bounded number of links, and says when some may be missing', async () => {
    const { own, browser, at } = await fresh();
    const { id } = await createLink(own.live, { amount: 5, patient: { firstName: 'Ann', lastName: 'Many' } });
    await service.query(
      `insert into payment_links select (json_populate_record(l, json_build_object('id', 'plink_' || lpad(n::text, 26, '0'),
         'token', n, 'created_at', l.created_at - n * interval '1 second'))).*
       from payment_links l, generate_series(1, 600) as n where l.id = $1`,
      [id],
    );
    const missing = 'some may be missing';
    for (const [filter, isCut] of [
      ['', false],
      ['?q=many', true],
      ['?q=many&status=paid', true],
      ['?q=ann+many', true],
      ['?q=nobody', false],
      ['?q=5', true],
      ['?q=5&status=paid', true],
    ] as const) {
      expect((await browser.get(`${at}${filter}`)).text.includes(missing), filter).to.equal(isCut);
    }
  });

  it('every link is in the list of one status, which its page shows', async () => {
    const { own, browser } = await fresh();
    const at = `/console/${own.practiceId}/test/links`;
    const make = async () => (await createLink(own.test)).id;
    const expected = new Map([['waiting', await make()]]);
    for (const [status, act, body] of [
      ['under_way', 'simulate', { outcome: 'processing' }],
      ['paid', 'simulate', { outcome: 'paid' }],
      ['returned', 'simulate', { outcome: 'failed' }],
      ['expired', 'simulate', { outcome: 'expired' }],
      ['cancelled', 'cancel', undefined],
    ] as const) {
      const id = await make();
      await own.test.post(`/api/v1/payment-links/${id}/${act}`, body);
      expected.set(status, id);
    }
    const { text: all } = await browser.get(at);
    for (const [status, id] of expected) {
      expect(all).to.include(`href="${at}?status=${status}"`);
      const { text } = await browser.get(`${at}?status=${status}`);
      expect(linkIds(text), status).to.deep.equal([id]);
      expect((await browser.get(`${at}/${id}`)).text, status).to.include(`class="badge is-${status}"`);
    }
  });

  it('a link whose patient is paying counts as under way, until a new amount ends that payment', async () => {
    const { own, browser, at } = await fresh();
    const payments = new Payments(service);
    const link = await payments.link(own);
    await payments.pay(link, 'card_challenge');
    const list = await browser.get(`${at}?status=under_way`);
    expect(list.text).to.include(link.id);
    expect((await browser.get(`${at}?status=waiting`)).text).to.not.include(link.id);
    expect((await browser.get(`${at}/${link.id}`)).text).to.include('class="badge is-under_way"');
    const done = await browser.post(`${at}/${link.id}/change`, { amount: '11', description: 'Cleaning' });
    expect(done.status, done.text).to.equal(303);
    expect((await browser.get(`${at}/${link.id}`)).text).to.include('class="badge is-waiting"');
    expect(await payments.charges(link)).to.equal(0);
  });

  it('an overdue link counts as expired before the worker has closed it', async () => {
    const { own, browser, at } = await fresh();
    const soon = new Date(service.clock.now().getTime() + 60_000).toISOString();
    const { id } = await createLink(own.live, { expiresAt: soon });
    service.clock.advance({ minutes: 2 });
    const list = await browser.get(`${at}?status=expired`);
    expect(list.text).to.include(id);
    expect((await browser.get(`${at}?status=waiting`)).text).to.not.include(id);
  });

  it('a list without links teaches how to begin, and a search without matches says what to try', async () => {
    const { browser, at } = await fresh();
    expect((await browser.get(at)).text).to.include('Press “New link”');
    expect((await browser.get(`${at}?q=nobody`)).text).to.include('Nothing matches the filter');
  });

  it('a list that is limited leads to the whole list, also if only a search limits it', async () => {
    const { browser, at } = await fresh();
    const all = `href="${at}">Show all</a>`;
    for (const filter of ['?q=nobody', '?q=nobody&status=paid', '?from=2030-01-01'])
      expect((await browser.get(`${at}${filter}`)).text, filter).to.include(all);
    expect((await browser.get(`${at}?status=paid`)).text).to.not.include('Show all');
  });

  it('a cancellation needs a reason, and the link’s page says who did it and why', async () => {
    const id = idOf(await create());
    const post = (fields: Record<string, string>) => desk.post(`${path}/${id}/cancel`, fields);
    for (const [fields, sentence] of [
      [{ confirmed: 'on' }, 'Choose a reason'],
      [{ reason: 'Ada Byron owes nothing', confirmed: 'on' }, 'Choose a reason'],
    ] as const) {
      await expectRefused(post(fields), sentence);
    }
    const done = await post({ reason: 'wrong', confirmed: 'on' });
    expect(done.location).to.equal(`${path}/${id}?done=cancelled`);
    await post({ reason: 'other', confirmed: 'on' });
    const entries = (await acts(id)).slice(1);
    expect(entries).to.deep.equal([
      {
        action: 'link.cancelled',
        actor_kind: 'person',
        before: { status: 'active' },
        after: { status: 'cancelled', reason: 'wrong' },
      },
    ]);
    expect((await rowsOf(id))[0]).to.include({ status: 'cancelled', closed_by: 'staff' });
    const page = await desk.get(`${path}/${id}`);
    expect(page.text)
      .to.include('The link was wrong')
      .and.to.match(/front-desk-\d+@elm\.example/);
    expect(page.text).to.not.include('class="qr-code"');
    const again = await desk.get(`${path}/new?from=${id}`);
    expect(again.text).to.include('value="Byron"').and.to.include('value="1250.50"');
  });

  it('the page of a link says in words for which reason 2.0.0 canceled it', async () => {
    const id = idOf(await create());
    await desk.post(`${path}/${id}/cancel`, { reason: 'other', confirmed: 'on' });
    await service.query(
      `insert into audit_log select (json_populate_record(a, json_build_object('id', a.id || '0', 'after', $2::json))).*
       from audit_log a where target_id = $1 and action = 'link.cancelled'`,
      [id, JSON.stringify({ status: 'cancelled', reason: 'wrong_patient' })],
    );
    expect((await desk.get(`${path}/${id}`)).text)
      .to.include('wrong patient')
      .and.to.not.include('wrong_patient');
  });

  it('a change keeps the name and the address, and its entry names personal fields without their values', async () => {
    const id = idOf(await create());
    const [before] = await rowsOf(id);
    const fields = {
      amount: '99',
      description: 'Crown, corrected',
      email: 'ada@example.com',
      phone: '',
      externalReference: '',
    };
    await expectRefused(desk.post(`${path}/${id}/change`, { ...fields, email: 'nobody' }), 'value="99"');
    const changed = await desk.post(`${path}/${id}/change`, { ...fields, firstName: 'Eve' });
    expect(changed.location).to.equal(`${path}/${id}?done=saved`);
    await desk.post(`${path}/${id}/change`, fields);
    const [row] = await rowsOf(id);
    expect(row).to.include({ amount_cents: 9_900, patient_first_name: 'Ada', token: before?.token });
    expect((await acts(id)).slice(1).map(({ action, before, after }) => ({ action, before, after }))).to.deep.equal([
      {
        action: 'link.changed',
        before: { amountCents: 125_050 },
        after: { amountCents: 9_900, changedFields: ['description', 'patientEmail'] },
      },
    ]);
  });

  it('an expiry is extended to one of the days that are offered, and at most to a year after the creation', async () => {
    const id = idOf(await create({ days: '7' }));
    const extend = (days: string) => desk.post(`${path}/${id}/change`, { ...ENTRIES, days });
    await expectRefused(extend('4000'), 'Choose one of the days');
    expect((await extend('60')).location).to.equal(`${path}/${id}?done=saved`);
    const until = endOfDay(addDays(dayIn(service.clock.now(), 'America/Chicago'), 60), 'America/Chicago');
    expect((await rowsOf(id))[0]?.expires_at).to.deep.equal(until);
    expect((await acts(id)).at(-1)?.action).to.equal('link.extended');
  });

  it('a change writes what the person changed alone, so that a change by the API since the form was opened stays', async () => {
    const reference = '4242 4242 4242 4242';
    const { id } = await createLink(practice.live, { externalReference: reference });
    const hidden = hiddenFields((await desk.get(`${path}/${id}/change`)).text, `${path}/${id}/change`);
    const shown = Object.entries(hidden).map(([name, value]) => [name.replace('shown_', ''), value]);
    const form = { ...Object.fromEntries(shown), ...hidden };
    await practice.live.patch(`/api/v1/payment-links/${id}`, { amount: 50, description: 'Crown' });
    await expectRefused(desk.post(`${path}/${id}/change`, { ...form, days: '7' }), 'Choose one of the days');
    const answer = await desk.post(`${path}/${id}/change`, { ...form, days: '60', email: 'ada@example.com' });
    expect(answer.location, answer.text).to.equal(`${path}/${id}?done=saved`);
    expect((await rowsOf(id))[0]).to.include({
      ...{ amount_cents: 5_000, description: 'Crown', external_reference: reference, patient_email: 'ada@example.com' },
    });
    await desk.post(`${path}/${id}/change`, { ...form, ...hidden, days: '90' });
    expect((await acts(id)).at(-1)?.action).to.equal('link.extended');
  });

  it('a link that is no longer active is neither changed nor cancelled, and the form says so', async () => {
    const at = path.replace('/live/', '/test/');
    const id = idOf(await create({}, desk, at));
    await practice.test.post(`/api/v1/payment-links/${id}/simulate`, { outcome: 'paid' });
    for (const [act, fields] of [
      ['change', { amount: '1', description: 'x' }],
      ['cancel', { reason: 'other', confirmed: 'on' }],
    ] as const) {
      await expectRefused(desk.post(`${at}/${id}/${act}`, fields), 'the link is not active', act);
    }
    const own = (await acts(id)).filter(({ actor_kind }) => actor_kind === 'person');
    expect(own).to.have.length(1);
  });

  it('a link’s page offers what the role may do, and leads to the payment only roles that see payments', async () => {
    const at = path.replace('/live/', '/test/');
    const email = 'ada@example.com';
    const [active, paid] = [idOf(await create({ email }, desk, at)), idOf(await create({ email }, desk, at))];
    await practice.test.post(`/api/v1/payment-links/${paid}/simulate`, { outcome: 'paid' });
    const viewer = await signedInAs(service, practice.practiceId, 'viewer');
    const offered = async (browser: ConsoleBrowser, id: string) => {
      const { text } = await browser.get(`${at}/${id}`);
      return [...text.matchAll(/"button(?: quiet)?" href="[^"]*?\/test\/([^"?]+)/g)].map(([, to = '']) =>
        to.replace(id, 'ID'),
      );
    };
    const acts = ['send', 'slip', 'change', 'cancel'].map((act) => `links/ID/${act}`);
    expect(await offered(desk, active)).to.deep.equal(acts);
    expect(await offered(viewer, active)).to.deep.equal(['links/ID/slip']);
    expect(await offered(desk, paid)).to.deep.equal(['links/new', 'links/ID/slip']);
    expect(await offered(viewer, paid)).to.deep.equal(['links/ID/slip', 'payments/ID']);
  });

  it('a slip has the amount, what it is for, the address and its code, but no name of the patient', async () => {
    const id = idOf(await create({ email: 'ada@example.com', externalReference: 'inv-9' }));
    const { text } = await desk.get(`${path}/${id}/slip?patient=es`);
    for (const part of ['Elm Street Dental', '$1,250.50', 'Crown', '/pay/', 'class="qr-code"', 'Pague en línea']) {
      expect(text).to.include(part);
    }
    expect(text).to.not.match(/Byron|ada@example|inv-9/);
  });

  it('a mail to the patient has the amount, but neither reason nor name, and its job has neither address nor name', async () => {
    await service.query('delete from graphile_worker._private_jobs');
    const id = idOf(await create({ email: 'old@example.com' }));
    const sent = await desk.post(`${path}/${id}/send`, { sent: '0', language: 'es' });
    expect(sent.location).to.equal(`${path}/${id}?done=sent`);
    const repeated = await desk.post(`${path}/${id}/send`, { sent: '0', language: 'es' });
    expect(repeated.location).to.equal(`${path}/${id}?done=sent`);
    const jobs = await service.query<{ payload: object; queued: boolean }>(
      'select payload, job_queue_id is not null as queued from graphile_worker._private_jobs',
    );
    expect(jobs).to.deep.equal([{ payload: { paymentLinkId: id, language: 'es', number: 1 }, queued: true }]);
    // The job reads the address when it sends.
    await desk.post(`${path}/${id}/change`, { amount: '10', description: 'Crown', email: 'new@example.com' });
    const mailer = new KeptMails();
    await runJobs(service, mailer);
    const [mail] = mailer.mails;
    expect(mailer.mails.map(({ to }) => to)).to.deep.equal(['new@example.com']);
    expect(mail?.text).to.include('/pay/').and.to.include('?lang=es').and.to.include('Elm Street Dental');
    expect(mail?.text).to.include('$10.00');
    expect(`${mail?.subject} ${mail?.text} ${mail?.html}`).to.not.match(/Ada|Byron|Crown|1,250/);
    expect((await acts(id)).map(({ action }) => action)).to.include('link.sent');
    expect((await desk.get(`${path}/${id}`)).text).to.include('Emailed a payment link');
  });

  it('a link is mailed at most three times a day, and not at all when it is cancelled in the meantime', async () => {
    const id = idOf(await create({ email: 'ada@example.com' }));
    await service.query('delete from graphile_worker._private_jobs');
    for (const sent of ['0', '1', '2']) await desk.post(`${path}/${id}/send`, { sent, language: 'en' });
    const jobs = await service.query<{ priority: number }>(
      'select priority from graphile_worker._private_jobs order by id',
    );
    const [first = 0] = jobs.map(({ priority }) => priority);
    const places = jobs.map(({ priority }) => priority - first);
    expect(places, 'mails of a practice that sends many come after those of others').to.deep.equal([0, 1, 2]);
    await expectRefused(desk.post(`${path}/${id}/send`, { sent: '3', language: 'en' }), 'emailed three times');
    await desk.post(`${path}/${id}/cancel`, { reason: 'other', confirmed: 'on' });
    const mailer = new KeptMails();
    await runJobs(service, mailer);
    expect(mailer.mails.filter(({ to }) => to === 'ada@example.com')).to.deep.equal([]);
  });

  it('a practice mails 500 links a day, also if the last requests come at the same time', async () => {
    const links: string[] = [];
    for (let i = 0; i < 2; i++) links.push(idOf(await create({ email: 'ada@example.com' })));
    const { practiceId } = practice;
    const sent = `select from audit_log where practice_id = $1 and action = 'link.sent'`;
    const before = (await service.query(sent, [practiceId])).length;
    await inTransaction(service.scope(), async (scope) => {
      for (let i = before; i < 499; i++) {
        const target = { kind: 'payment_link', id: `plink_earlier${i}` };
        audit(scope, { kind: 'operator' }, { practiceId, action: 'link.sent', target });
      }
    });
    // Nobody can queue a mail until all of them have got as far as they can.
    const locked = ['lock table graphile_worker._private_jobs in share mode'];
    const answers = await whileLocked(service, locked, [], () =>
      links.map((id) => desk.post(`${path}/${id}/send`, { sent: '0', language: 'en' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([303, 422]);
  });

  it('the first page has what is owed for the front desk, what was received for roles that see payments, and neither for developers', async () => {
    const home = `/console/${practice.practiceId}`;
    await create();
    const page = await desk.get(home);
    expect(page.text).to.include(`href="${path}/new"`).and.to.include('name="q"');
    expect(page.text)
      .to.match(/<span>Waiting<\/span> <strong>\$[1-9]/)
      .and.to.not.match(/Received|\/payments/);
    const viewer = await signedInAs(service, practice.practiceId, 'viewer');
    expect((await viewer.get(home)).text)
      .to.include('name="q"')
      .and.to.match(/<span>Waiting<\/span> <strong>\$[1-9]/)
      .and.to.include('Received')
      .and.to.not.include(`${path}/new`);
    const developer = await signedInAs(service, practice.practiceId, 'developer');
    expect((await developer.get(home)).text).to.not.include(path);
  });
});

describe('payment links in the console without a mail server', () => {
  const sandbox = useService();
  const stripe = useStripe();

  it('staff email patients in the sandbox, whose mails are files, and with Stripe the console says that they cannot', async () => {
    const offers = async (service: TestService) => {
      const practice = await service.practice();
      const { id } = await createLink(practice.live, {
        patient: { firstName: 'Ada', lastName: 'Byron', email: 'ada@mail.example' },
      });
      const desk = await signedInAs(service, practice.practiceId, 'front_desk');
      const path = `/console/${practice.practiceId}/live/links`;
      const { text } = await desk.get(`${path}/new`);
      const { status } = await desk.post(`${path}/${id}/send`, { sent: '0', language: 'en' });
      return [text.includes('Create and send'), (await desk.get(`${path}/${id}`)).text.includes('Send'), status];
    };
    expect(await offers(sandbox)).to.deep.equal([true, true, 303]);
    expect(await offers(stripe.service)).to.deep.equal([false, false, 422]);
  });
});

/** Ids of the links that a page lists. */
function linkIds(text: string): string[] {
  return [...text.matchAll(/href="[^"]*\/(plink_\w+)"/g)].map(([, id = '']) => id);
}
