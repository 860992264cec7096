import { expect } from 'chai';
import type { Member } from '../../src/console/identity/people/members.ts';
import { simulateDisputeOpening } from '../../src/payment-links/api/sandbox-dispute.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { useService } from '../harness/fixtures.ts';
import { until } from '../harness/processes.ts';
import { createLink } from '../harness/service.ts';
import { type Answer, addMember, COOKIE, type ConsoleBrowser, hiddenFields, signedIn, whileLocked } from './console.ts';
import { type BillingPractice, billingPractice, paid } from './payments-setup.ts';

const URL = 'https://billing.example.com/hooks';

describe('rights that change during a request', () => {
  const service = useService();
  let billing: BillingPractice;
  let home: string;
  let viewer: Member;

  before(async () => {
    billing = await billingPractice(service);
    home = `/console/${billing.practice.practiceId}`;
    viewer = await addMember(service, billing.practice.practiceId, 'viewer');
  });

  beforeEach(() => service.clock.advance({ minutes: 2 }));

  /** Prepares a form in a browser, and returns the function that sends it. */
  type Act = (browser: ConsoleBrowser) => Promise<() => Promise<Answer>>;

  const ACTS: Readonly<Record<string, Act>> = {
    'settings of the practice': async (browser) => () =>
      browser.post(`${home}/settings`, { name: 'Renamed', phone: '', postalAddress: '' }),
    'a new payment link': async (browser) => {
      const { link = '' } = hiddenFields((await browser.get(`${home}/live/links/new`)).text);
      const fields = { firstName: 'Late', lastName: 'Byron', amount: '10', description: 'Cleaning' };
      return () => browser.post(`${home}/live/links/new`, { link, ...fields, locationId: billing.practice.locationId });
    },
    'the cancellation of a link': async (browser) => {
      const { id } = await createLink(billing.practice.live, { locationId: billing.practice.locationId });
      return () => browser.post(`${home}/live/links/${id}/cancel`, { reason: 'other', confirmed: 'on' });
    },
    'a refund': async (browser) => {
      const { id } = await paid(billing, 'Refunded');
      const path = `${home}/live/payments/${id}/refund`;
      const form = hiddenFields((await browser.post(path, { choice: 'part', amount: '25' })).text);
      return () => browser.post(`${path}/confirm`, { ...form, confirmed: 'on' });
    },
    'the answer to a dispute': async (browser) => {
      const { id, amountCents } = await paid(billing, 'Disputed');
      const input = { reason: 'fraudulent', amountCents, evidenceDueBy: null };
      const dispute = await simulateDisputeOpening(
        { ...service.scope(), processor: billing.payments.sandbox, ...separately },
        id,
        input,
      );
      return () => browser.post(`${home}/live/payments/${id}/disputes/${dispute.id}`, { sent: 'yes' });
    },
    'a new key': async (browser) => {
      const { form = '' } = hiddenFields((await browser.get(`${home}/test/developers/keys/new`)).text);
      return () =>
        browser.post(`${home}/test/developers/keys`, { form, name: 'Desk', 'scope.payment_links:read': 'on' });
    },
    'a new webhook endpoint': async (browser) => {
      const { form = '' } = hiddenFields((await browser.get(`${home}/test/developers/webhooks/new`)).text);
      return () => browser.post(`${home}/test/developers/webhooks`, { form, url: URL, reach: 'all' });
    },
    'an invitation': async (browser) => () =>
      browser.post(`${home}/people`, { email: 'crony@elm.example', role: 'billing', reach: 'all' }),
    'the change of a person': async (browser) => () =>
      browser.post(`${home}/people/${viewer.id}`, { role: 'billing', reach: 'all' }),
    'the removal of a person': async (browser) => () =>
      browser.post(`${home}/people/${viewer.id}/remove`, { confirmed: 'on' }),
  };

  const traces = async () => {
    const [row] = await service.query(
      `select (select name from practices where id = $1) as name,
         (select count(*)::integer from payment_links where practice_id = $1 and patient_first_name = 'Late') as links,
         (select count(*)::integer from payment_links where practice_id = $1 and status = 'cancelled') as cancelled,
         (select count(*)::integer from refunds where practice_id = $1) as refunds,
         (select count(*)::integer from disputes where practice_id = $1 and answered_at is not null) as answers,
         (select count(*)::integer from api_keys where practice_id = $1) as keys,
         (select count(*)::integer from webhook_endpoints where practice_id = $1) as endpoints,
         (select count(*)::integer from invitations where practice_id = $1) as invitations,
         (select role from memberships where id = $2) as role`,
      [billing.practice.practiceId, viewer.id],
    );
    return row;
  };

  for (const [name, prepare] of Object.entries(ACTS)) {
    it(`${name}: nothing happens if the role ended while the request waited`, async () => {
      const administrator = await addMember(service, billing.practice.practiceId, 'administrator');
      const send = await prepare(await signedIn(service, administrator));
      const before = await traces();
      const demoted = `update memberships set role = 'viewer' where id = $1`;
      const [answer] = await whileLocked(service, [demoted], [administrator.id], () => [send()]);
      expect([answer?.status, answer?.title]).to.deep.equal([403, 'Not allowed']);
      expect(await traces()).to.deep.equal(before);
    });
  }

  it('a request goes through if the person keeps role and locations, and not if the locations change', async () => {
    const { practiceId, locationId } = billing.practice;
    const desk = await addMember(service, practiceId, 'front_desk', { locationIds: [locationId] });
    const prepare = ACTS['a new payment link'];
    const same = await prepare?.(await signedIn(service, desk));
    expect((await same?.())?.location).to.include('?done=created');
    const moved = await prepare?.(await signedIn(service, desk));
    const locked = [
      'select from memberships where id = $1 and $2::text is not null for update',
      'update membership_locations set location_id = $2 where membership_id = $1',
    ];
    const [answer] = await whileLocked(service, locked, [desk.id, billing.northId], () =>
      moved === undefined ? [] : [moved()],
    );
    expect(answer?.status).to.equal(403);
  });

  /** Sends the beginning of a form, ends the right when the service has admitted the request, and sends the rest. */
  async function sendSlowly(browser: ConsoleBrowser, path: string, fields: object, end: () => Promise<unknown>) {
    service.clock.advance({ seconds: 1 });
    const { readable, writable } = new TransformStream<string, string>();
    const writer = writable.getWriter();
    const answer = fetch(`${service.baseUrl}${path}`, {
      method: 'POST',
      body: readable.pipeThrough(new TextEncoderStream()),
      duplex: 'half',
      redirect: 'manual',
      headers: {
        cookie: `${COOKIE}=${browser.cookie}`,
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      },
    });
    await writer.write(`csrf=${browser.csrf}`);
    const isAdmitted = async () =>
      (await service.query('select from console_sessions where last_used_at = $1', [service.clock.now()])).length > 0;
    await until(isAdmitted, 'the request is not admitted');
    await end();
    await writer.write(`&${new URLSearchParams({ ...fields })}`);
    await writer.close();
    return answer;
  }

  it('a form does nothing if its session ends while it arrives', async () => {
    const browser = await signedIn(service, viewer);
    const name = { 'person-name': 'Late' };
    const { status, headers } = await sendSlowly(browser, '/console/account/name', name, () =>
      service.query('delete from console_sessions where person_id = $1', [viewer.personId]),
    );
    expect([status, headers.get('location')]).to.deep.equal([303, '/console/sign-in?to=%2Fconsole%2Faccount']);
    expect(await service.query(`select from people where name = 'Late'`)).to.deep.equal([]);
  });

  it('a form that only reads is refused if the role ends while it arrives', async () => {
    const clerk = await addMember(service, billing.practice.practiceId, 'billing');
    const browser = await signedIn(service, clerk);
    const { status } = await sendSlowly(browser, `${home}/test/payments/export`, {}, () =>
      service.query(`update memberships set role = 'front_desk' where id = $1`, [clerk.id]),
    );
    expect(status).to.equal(403);
  });
});
