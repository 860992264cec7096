import { expect } from 'chai';
import { useService } from '../harness/fixtures.ts';
import { createLink } from '../harness/service.ts';
import { createEndpoint, listDeliveries, ping } from '../harness/webhooks.ts';
import { addMember, type ConsoleBrowser, signedIn, signedInAs } from './console.ts';
import { type BillingPractice, billingPractice, paid } from './payments-setup.ts';

describe('views of patient data', () => {
  const service = useService();
  let billing: BillingPractice;
  let browser: ConsoleBrowser;
  let path: string;
  let linkId: string;
  let personId: string;

  beforeEach(async () => {
    billing = await billingPractice(service);
    path = billing.path;
    const user = await addMember(service, billing.practice.practiceId, 'billing');
    personId = user.personId;
    browser = await signedIn(service, user);
    linkId = (await paid(billing, 'CANARY')).id;
  });

  /** Returns the views of records by a person. */
  const entries = () =>
    service.query<{ action: string; target: string; address: string; after: null }>(
      `select action, target_kind || ' ' || target_id as target, address, after from audit_log
       where actor_id = $1 and action like '%.viewed' order by id`,
      [personId],
    );

  it('a page of one patient’s record leaves an entry with person, address and the id of the link alone', async () => {
    for (const page of ['links', 'payments'])
      expect((await browser.get(`${path}/${page}/${linkId}`)).status).to.equal(200);
    const view = { target: `payment_link ${linkId}`, address: '127.0.0.1', after: null };
    expect(await entries()).to.deep.equal([
      { action: 'link.viewed', ...view },
      { action: 'payment.viewed', ...view },
    ]);
  });

  it('repeated views of one link by one person within 15 minutes are one entry', async () => {
    const link = `${path}/links/${linkId}`;
    const view = () => browser.get(link);
    const { practiceId } = billing.practice;
    const colleague = await signedInAs(service, practiceId, 'viewer');
    await colleague.get(link);
    await view();
    service.clock.advance({ minutes: 14, seconds: 59 });
    await view();
    expect(await entries()).to.have.length(1);
    await browser.get(`${path}/links/${(await paid(billing, 'Second')).id}`);
    expect(await entries()).to.have.length(2);
    service.clock.advance({ seconds: 2 });
    await view();
    expect(await entries()).to.have.length(3);
  });

  it('a record in a refused form, in a copy of a link or in a payload is a view, and a masked payload or a ping is none', async () => {
    const { practiceId, live, locationId } = billing.practice;
    const endpoint = await createEndpoint(live, 'https://127.0.0.1:1/hook');
    const { id: sentId } = await paid(billing, 'Sent');
    const [delivery] = await listDeliveries(live);
    const { id: copiedId } = await createLink(live, { locationId });
    const enter = async (role: 'developer' | 'owner') => {
      const user = await addMember(service, practiceId, role);
      personId = user.personId;
      return signedIn(service, user);
    };
    await (await enter('developer')).get(`${path}/deliveries/${delivery?.id}`);
    expect(await entries()).to.deep.equal([]);
    browser = await enter('owner');
    await browser.get(`${path}/deliveries/${(await ping(live, endpoint.id)).id}`);
    await browser.get(`${path}/deliveries/${delivery?.id}`);
    expect((await browser.post(`${path}/links/${linkId}/change`, { amount: 'much' })).status).to.equal(422);
    expect((await browser.get(`${path}/links/new?from=${copiedId}`)).text).to.include('value="Ada"');
    await browser.post(`${path}/payments/${linkId}/refund`, { choice: 'part', amount: '1' });
    const seen = (await entries()).map(({ action, target }) => `${action} ${target.replace('payment_link ', '')}`);
    expect(seen).to.deep.equal([
      `link.viewed ${sentId}`,
      `link.viewed ${linkId}`,
      `link.viewed ${copiedId}`,
      `payment.viewed ${linkId}`,
    ]);
  });

  it('an answer without a record leaves no entry: another page, a problem, a redirect', async () => {
    const { live, locationId } = billing.practice;
    const { id } = await createLink(live, { locationId });
    expect((await browser.get(`${path}/links`)).status).to.equal(200);
    expect((await browser.get(`${path}/links/plink_unknown`)).status).to.equal(404);
    const fields = { amount: '10', description: 'Cleaning' };
    expect((await browser.post(`${path}/links/${id}/change`, fields)).status).to.equal(303);
    expect(await entries()).to.deep.equal([]);
  });

  it('a view that cannot be recorded is an error, so the page is not sent', async () => {
    await service.query(`create function refuse_view() returns trigger language plpgsql
      as $$ begin raise exception 'no view is recorded'; end $$`);
    await service.query(`create trigger refuse_view before insert on audit_log
      for each row when (new.action = 'link.viewed') execute function refuse_view()`);
    const { status, text } = await browser.get(`${path}/links/${linkId}`);
    await service.query('drop trigger refuse_view on audit_log');
    expect([status, text.includes('CANARY')]).to.deep.equal([500, false]);
  });

  /** Returns the entries of lists, without their type and mode, which are the same in all of them. */
  const listed = async (action: string) => {
    const rows = await service.query<{ after: object }>(
      'select after from audit_log where actor_id = $1 and action = $2 order by id',
      [personId, action],
    );
    return rows.map(({ after }) => after);
  };

  it('each list and search of links is an entry with the kind of the text, filters, rows and locations', async () => {
    for (const [query, after] of [
      ['', { filters: [], term: null, rows: 1 }],
      ['', { filters: [], term: null, rows: 1 }],
      ['?q=canary&status=paid', { filters: ['q', 'status'], term: 'name_or_reference', rows: 1 }],
      ['?q=canary%40elm.example', { filters: ['q'], term: 'email', rows: 0 }],
      ['?q=(202)+555-0143', { filters: ['q'], term: 'phone', rows: 0 }],
      ['?q=202555014', { filters: ['q'], term: 'payment_number', rows: 0 }],
      ['?location=canary', { filters: [], term: null, rows: 1 }],
    ] as const) {
      expect((await browser.get(`${path}/links${query}`)).status).to.equal(200);
      const entry = (await listed('links.listed')).at(-1);
      expect(entry, query).to.deep.equal({ ...after, mode: 'live', locationIds: null });
    }
    const entries = await listed('links.listed');
    expect(entries).to.have.length(7);
    expect(JSON.stringify(entries)).to.not.match(/canary|555/i);
  });

  it('each page of payments is an entry, also one that refuses an export, and shows in the audit log', async () => {
    const [, practiceId = ''] = /(prac_\w+)/.exec(path) ?? [];
    await browser.get(`${path}/payments?state=refunded&location=CANARY`);
    expect(await listed('payments.listed')).to.deep.equal([
      { mode: 'live', filters: ['state'], term: null, rows: 0, locationIds: null },
    ]);
    const owner = await signedInAs(service, practiceId, 'owner');
    const { text } = await owner.get(`/console/${practiceId}/audit-log?action=payments.listed`);
    expect(text).to.include('Viewed a list of payments').and.include('state').and.not.include('CANARY');
  });
});
