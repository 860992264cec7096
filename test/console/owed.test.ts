import { expect } from 'chai';
import { useService } from '../harness/fixtures.ts';
import { SETTLE_SECONDS } from '../harness/payments.ts';
import { addMember, type ConsoleBrowser, expectRefused, pagesFrom, signedIn, signedInAs } from './console.ts';
import { type BillingPractice, billingPractice } from './payments-setup.ts';

const DAY_MS = 86_400_000;

describe('the owed amounts of the console', () => {
  const service = useService({ env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'pay@example.com' } });
  let billing: BillingPractice;
  let desk: ConsoleBrowser;
  let path: string;

  before(async () => {
    billing = await billingPractice(service);
    const { practice, payments, northId } = billing;
    path = `${billing.path}/owed`;
    const link = (lastName: string, amount: number, rest: object = {}, contact: object = {}) =>
      payments.link(practice, {
        ...{ amount, locationId: practice.locationId, patient: { firstName: 'Ada', lastName, ...contact } },
        ...rest,
      });
    const until = (days: number) => ({
      expiresAt: new Date(service.clock.now().getTime() + days * DAY_MS).toISOString(),
    });
    await link('Expired', 20, until(2), { phone: '+13125550143' });
    const debit = await link('Returned', 400);
    await payments.pay(debit, 'bank_returns');
    service.clock.advance({ days: 25 });
    await payments.sweep();
    const declined = await link('Declined', 30, { locationId: northId });
    await payments.pay(declined, 'card_insufficient_funds');
    await link('Waiting', 50);
    const paid = await link('Paid', 70);
    await payments.pay(paid, 'card_success');
    const underWay = await link('Underway', 80);
    await payments.pay(underWay, 'bank_settles');
    service.clock.advance({ seconds: SETTLE_SECONDS / 3 });
    desk = await signedInAs(service, practice.practiceId, 'front_desk');
  });

  /** Returns the cells of the rows, as texts. */
  const rowsOf = (text: string) =>
    [...(/<tbody>([\s\S]*?)<\/tbody>/.exec(text)?.[1] ?? '').matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
      [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell = '']) =>
        cell
          .replaceAll(/<[^>]+>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      ),
    );

  const listed = async (filter = '', browser = desk) =>
    rowsOf((await browser.get(`${path}?${filter}`)).text).map(([patient = '']) => patient.replace('Ada ', ''));

  it('each row has patient, amount, phone number to call, time and what happened last, the oldest first', async () => {
    const { text } = await desk.get(path);
    expect(rowsOf(text).map((row) => row.slice(0, 6))).to.deep.equal([
      ['Ada Expired', '$20.00', '(312) 555-0143', 'Jun 15, 2030', 'Expired Never opened', 'Downtown'],
      ['Ada Returned', '$400.00', '', 'Jul 10, 2030', 'Returned Taken back: not enough money', 'Downtown'],
      ['Ada Declined', '$30.00', '', 'Jul 10, 2030', 'Waiting Declined: not enough money', 'North'],
      ['Ada Waiting', '$50.00', '', 'Jul 10, 2030', 'Waiting Never opened', 'Downtown'],
    ]);
    expect(text).to.include('href="tel:+13125550143"');
  });

  it('the list is filtered by what happened, age and location, ordered by amount, and ignores values that are none', async () => {
    expect(await listed('order=amount')).to.deep.equal(['Returned', 'Waiting', 'Declined', 'Expired']);
    expect(await listed('show=waiting')).to.deep.equal(['Declined', 'Waiting']);
    expect(await listed('show=returned')).to.deep.equal(['Returned']);
    expect(await listed('show=expired')).to.deep.equal(['Expired']);
    expect(await listed('show=declined')).to.deep.equal(['Declined']);
    expect(await listed('show=never_opened')).to.deep.equal(['Expired', 'Declined', 'Waiting']);
    expect(await listed('age=0')).to.deep.equal(['Returned', 'Declined', 'Waiting']);
    expect(await listed('age=1')).to.deep.equal(['Expired']);
    expect(await listed('age=2')).to.deep.equal([]);
    expect(await listed(`location=${billing.northId}`)).to.deep.equal(['Declined']);
    for (const nonsense of ['show=constructor', 'age=3', 'order=name', 'start=x_plink_1', 'start=-99999999999999_x']) {
      expect(await listed(nonsense), nonsense).to.have.length(4);
    }
    for (const order of ['age', 'amount']) {
      for (const start of ['-99999999999999_plink_1', '99999999999999_plink_1']) {
        expect((await desk.get(`${path}?order=${order}&start=${start}`)).status, `${order} ${start}`).to.equal(200);
      }
    }
  });

  it('a person who is limited to locations sees rows and sums of these alone', async () => {
    const { practice, northId } = billing;
    const user = await addMember(service, practice.practiceId, 'viewer', { locationIds: [northId] });
    const limited = await signedIn(service, user);
    for (const filter of ['', `location=${practice.locationId}`]) {
      const { text } = await limited.get(`${path}?${filter}`);
      expect(text).to.not.match(/Downtown|\$400|\$500/);
    }
    expect(await listed('', limited)).to.deep.equal(['Declined']);
  });

  it('the form that settles a row has the same name and reasons for a link that waits, which is canceled for that reason', async () => {
    const { practice, payments } = billing;
    const link = await payments.link(practice, { locationId: billing.northId });
    const form = `${billing.path}/links/${link.id}/cancel`;
    const formOfOwed = `${form}?to=${encodeURIComponent(path)}`;
    const { text } = await desk.get(formOfOwed);
    expect(text).to.include('<h1>Settled elsewhere</h1>').and.include('This cannot be undone');
    for (const reason of ['Paid at the desk', 'Written off', 'The link was wrong']) expect(text).to.include(reason);
    expect((await desk.get(form)).text).to.include('<h1>Cancel the link</h1>');
    const settled = await desk.post(formOfOwed, { reason: 'paid_at_desk', confirmed: 'on' });
    expect(settled.location).to.equal(`${path}?done=saved`);
    const [act] = await service.query<{ after: object }>(
      `select after from audit_log where target_id = $1 and action = 'link.cancelled'`,
      [link.id],
    );
    expect(act?.after).to.deep.equal({ status: 'cancelled', reason: 'paid_at_desk' });
    expect((await desk.get(`${billing.path}/links/${link.id}`)).text).to.include('Paid at the desk');
  });

  it('an act that ends an owed amount leads back to the list with its filter, and to no other site', async () => {
    const { text } = await desk.get(`${path}?show=expired`);
    const href = (/href="([^"]+\/cancel[^"]*)"/.exec(text)?.[1] ?? '').replaceAll('&amp;', '&');
    const form = new URL(href, 'https://localhost');
    const to = form.searchParams.get('to') ?? '';
    const settle = (back: string) =>
      desk.post(`${form.pathname}?${new URLSearchParams({ to: back })}`, { reason: 'written_off', confirmed: 'on' });
    const action = `${form.pathname}?${new URLSearchParams({ to })}`;
    expect((await desk.get(href)).text).to.include(`action="${action}"`);
    const settled = await settle(to);
    expect(settled.location).to.equal(`${path}?show=expired&done=saved`);
    expect((await desk.get(settled.location ?? '')).text).to.include('The change is saved.');
    await desk.post(`${form.pathname}/undo`);
    const own = form.pathname.replace('/cancel', '');
    for (const foreign of ['https://evil.example/', '//evil.example', '/console/sign-out', '']) {
      expect((await settle(foreign)).location, foreign).to.equal(own);
      await desk.post(`${form.pathname}/undo`);
    }
  });

  it('the rows offer only what the link and the role allow', async () => {
    const acts = async (browser: ConsoleBrowser) =>
      rowsOf((await browser.get(path)).text).map((row) => row.slice(6).join());
    const [waiting, ended] = ['Settled elsewhere', 'New link Settled elsewhere'];
    expect(await acts(desk)).to.deep.equal([ended, ended, waiting, waiting]);
    const viewer = await signedInAs(service, billing.practice.practiceId, 'viewer');
    expect(await acts(viewer)).to.deep.equal(['', '', '', '']);
  });

  describe('sent again', () => {
    let ids: string[];
    let mails: ConsoleBrowser;

    /** Makes three waiting links with a mail address, in a practice of their own. */
    beforeEach(async () => {
      const other = await billingPractice(service);
      mails = await signedInAs(service, other.practice.practiceId, 'front_desk');
      path = `${other.path}/owed`;
      ids = [];
      for (const lastName of ['First', 'Second', 'Third']) {
        const patient = { firstName: 'Ada', lastName, email: 'ada@example.com' };
        const { practice } = other;
        ids.push((await other.payments.link(practice, { patient, locationId: practice.locationId })).id);
      }
    });

    /** Returns the boxes of a page, as a browser sends them. */
    const boxes = (text: string) =>
      Object.fromEntries(
        [...text.matchAll(/<input type="checkbox" name="(send\.\w+)" value="(\d+)"/g)].map(
          ([, name = '', value = '']) => [name, value],
        ),
      );

    const jobs = () =>
      service.query<{ id: string; language: string }>(
        `select payload ->> 'paymentLinkId' as id, payload ->> 'language' as language from graphile_worker._private_jobs
         where payload ->> 'paymentLinkId' = any ($1) order by 1`,
        [ids],
      );

    /** Returns the results of the page, as texts. */
    const results = (text: string) =>
      [...(/<h2>Sent again<\/h2>\s*<ul>(.*?)<\/ul>/s.exec(text)?.[1] ?? '').matchAll(/<li>(.*?)<\/li>/gs)].map(
        ([, result = '']) => result.replaceAll(/<[^>]+>/g, ''),
      );

    it('several ticked links are emailed again at once, each in the language of its last email, and the page says what came of each', async () => {
      const [first, second, third] = ids;
      await mails.post(`${path.replace('owed', 'links')}/${first}/send`, { sent: '0', language: 'es' });
      const { text } = await mails.get(path);
      expect(Object.keys(boxes(text))).to.have.members(ids.map((id) => `send.${id}`));
      await service.query(`update payment_links set patient_email = null where id = $1`, [second]);
      const answer = await mails.post(`${path}/send`, { ...boxes(text), 'send.plink_unknown': '0' });
      expect([answer.status, ...results(answer.text)]).to.deep.equal([
        200,
        'Ada First · The email is on its way.',
        'Ada Second · Add an email address with “Change”.',
        'Ada Third · The email is on its way.',
        'Not sent: nothing is owed any more.',
      ]);
      expect(await jobs()).to.have.deep.members([
        { id: first, language: 'es' },
        { id: first, language: 'es' },
        { id: third, language: 'en' },
      ]);
    });

    it('the button of a row keeps the ticks of the others, and a form of an ended session comes back with them', async () => {
      const [first, second] = ids.map((id) => `send.${id}`);
      const ticked = { [`${first}`]: '0', [`${second}`]: '0' };
      const tickedIn = (text: string) => [...text.matchAll(/name="(send\.\w+)"[^>]* checked/g)].map(([, name]) => name);
      const answer = await mails.post(`${path}/send`, { ...ticked, only: `${ids[0]}.0` });
      expect(tickedIn(answer.text)).to.deep.equal([second]);
      expect(tickedIn((await mails.get(path)).text)).to.deep.equal([]);
      await mails.post(`${path}/send`, { ...ticked, keep_only: 'on' });
      expect(tickedIn((await mails.get(path)).text)).to.deep.equal([second]);
    });

    it('a list with a filter comes back with it and its order, after an act and after a session ended', async () => {
      const filter = '?show=waiting&age=0&order=amount';
      const action = `${path}/send${filter}`;
      const isKept = (answer: string) => {
        expect(answer)
          .to.include('aria-current="page">Waiting<')
          .and.match(/value="amount" selected/)
          .and.include(`action="${action.replaceAll('&', '&amp;')}"`);
      };
      isKept((await mails.get(`${path}${filter}`)).text);
      isKept((await mails.post(action, { only: `${ids[0]}.0` })).text);
      await mails.post(action, { [`send.${ids[1]}`]: '0', keep_only: 'on' });
      isKept((await mails.get(path)).text);
    });

    it('a form that is sent twice, and the button of a row, send one email each, and the limits of emails hold', async () => {
      const [first] = ids;
      for (const sent of [0, 0, 1, 2]) {
        const { text } = await mails.post(`${path}/send`, { only: `${first}.${sent}` });
        expect(results(text)).to.deep.equal(['Ada First · The email is on its way.']);
      }
      expect(await jobs()).to.have.length(3);
      const { text } = await mails.post(`${path}/send`, { only: `${first}.3` });
      expect(results(text)[0]).to.include('three times in the last 24 hours');
      await expectRefused(mails.post(`${path}/send`), 'Tick the links');
    });
  });

  it('the button that sends ticked links stands before the link to the next page, which drops the ticks', async () => {
    const { practice, payments } = await billingPractice(service);
    const patient = { firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com' };
    const { locationId } = practice;
    for (let i = 0; i < 51; i++) await payments.link(practice, { locationId, patient });
    const clerk = await signedInAs(service, practice.practiceId, 'front_desk');
    const { text } = await clerk.get(`/console/${practice.practiceId}/live/owed`);
    expect(text).to.match(/<input type="checkbox"[\s\S]*Send the ticked links again[\s\S]*<\/form>[\s\S]*>Next page</);
  });

  it('the file has exactly the rows of the list with the same filter, is in the audit log, and no text of its sender reaches that', async () => {
    const { practice, payments, northId } = billing;
    path = `${billing.path}/owed`;
    for (let i = 0; i < 60; i++) await payments.link(practice, { locationId: northId, amount: 1 + i });
    const user = await addMember(service, practice.practiceId, 'billing', { locationIds: [northId] });
    const reader = await signedIn(service, user);
    for (const filter of ['', '?show=waiting&age=0&order=amount', '?show=declined', '?age=CANARY&show=CANARY']) {
      const file = await reader.post(`${path}/export${filter}`);
      expect(file.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
      const pages = await pagesFrom(reader, `${path}${filter}`);
      const listed = pages.flatMap((text) => [...text.matchAll(/\/links\/(plink_\w+)">/g)].map(([, id]) => id));
      expect(
        [...file.text.matchAll(/"(plink_\w+)"/g)].map(([, id]) => id),
        filter,
      ).to.deep.equal(listed);
    }
    for (const location of [practice.locationId, 'CANARY']) {
      const file = await reader.post(`${path}/export?location=${location}`);
      expect(file.status, 'a location that the person does not see').to.equal(400);
    }
    const acts = await service.query<{ after: object }>(
      `select after from audit_log where action = 'owed.exported' and actor_id = $1 order by id`,
      [user.personId],
    );
    const [, act] = acts;
    expect(acts).to.have.length(4);
    expect(act?.after).to.deep.equal({
      ...{ show: 'waiting', age: '0', location: '', order: 'amount', mode: 'live', locationIds: [northId] },
    });
    expect(JSON.stringify(acts)).to.not.include('CANARY');
    expect((await desk.get(path)).text).to.not.include('/owed/export');
  });
});
