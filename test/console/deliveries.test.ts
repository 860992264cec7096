import { expect } from 'chai';
import type { Role } from '../../src/console/model/roles.ts';
import { formTimeIn } from '../../src/platform/base/time/zoned-time.ts';
import { madeForEach, useReceiver, useService } from '../harness/fixtures.ts';
import { accept, refuse } from '../harness/receiver.ts';
import {
  createEndpoint,
  deliver,
  ENDPOINTS,
  followRetrySchedule,
  listDeliveries,
  paidLink,
  ping,
} from '../harness/webhooks.ts';
import { addMember, type ConsoleBrowser, expectRefused, signedIn, signedInAs } from './console.ts';

describe('deliveries in the console', () => {
  const service = useService();
  const receiver = useReceiver();
  const practice = madeForEach(() => service.practice());
  const endpoint = madeForEach(() => createEndpoint(practice.test, receiver.url));
  const administrator = madeForEach(() => addMember(service, practice.practiceId, 'administrator'));
  let browser: ConsoleBrowser;
  let path: string;

  beforeEach(async () => {
    receiver.answer = refuse(503);
    browser = await signedIn(service, administrator);
    path = `/console/${practice.practiceId}/test/deliveries`;
  });

  const as = async (role: Role) => signedInAs(service, practice.practiceId, role);

  /** Ids of the deliveries that a page lists. */
  const ids = (text: string) => [...text.matchAll(/deliveries\/(evt_\w+)"/g)].map(([, id]) => id);

  /** Returns the words of the counts of failing endpoints, with the deliveries to which they lead. */
  const failing = (text: string) => {
    const [, section = ''] = /aria-label="Failing webhooks">([\s\S]*?)<\/section>/.exec(text) ?? [];
    const links = [...section.matchAll(/href="([^"]+)"[^>]*>([^<]+)</g)];
    return Promise.all(
      links.map(async ([, href = '', words]) => [words, ids((await browser.get(href.replaceAll('&amp;', '&'))).text)]),
    );
  };

  const acts = () =>
    service.query(
      'select action, target_id, before, after from audit_log where practice_id = $1 and action like $2 order by id',
      [practice.practiceId, 'deliver%'],
    );

  const deliveryOf = async (id: string) => (await practice.test.get(`/api/v1/webhook-deliveries/${id}`)).body;

  /** Creates an event whose attempts all fail, which takes three days. So it signs in again. */
  const failOne = async (overrides: Record<string, unknown> = {}) => {
    const link = await paidLink(practice.test, overrides);
    await followRetrySchedule(service, service.deliverer(), endpoint.id);
    const [delivery] = await listDeliveries(practice.test, `paymentLinkId=${link.id}`);
    if (delivery === undefined) throw new Error('a paid link has a delivery');
    browser = await signedIn(service, administrator);
    return { link, delivery };
  };

  describe('the list', () => {
    it('the list shows deliveries newest first, and each filter selects what the API selects', async () => {
      const { link, delivery } = await failOne();
      const second = await createEndpoint(practice.test, receiver.url, { enabledEvents: ['payment_link.cancelled'] });
      service.clock.advance({ minutes: 1 });
      const since = formTimeIn(service.clock.now(), 'America/Chicago');
      const { id: waiting } = await ping(practice.test, second.id);
      const all = await browser.get(path);
      expect([all.status, ids(all.text)]).to.deep.equal([200, [waiting, delivery.id]]);
      expect(all.text).to.include('Deliveries: 2').and.include('The endpoint answered 503 instead of 2xx');
      for (const [filter, found] of [
        [`endpointId=${second.id}`, [waiting]],
        ['status=exhausted', [delivery.id]],
        ['type=ping', [waiting]],
        [`paymentLinkId=${link.id}`, [delivery.id]],
        [`since=${since}`, [waiting]],
        [`endpointId=${second.id}&status=exhausted`, []],
        ['start=2', []],
      ] as const) {
        expect(ids((await browser.get(`${path}?${filter}`)).text), filter).to.deep.equal(found);
      }
    });

    it('an empty list leads those who may add an endpoint to its form, and others not', async () => {
      const empty = path.replace('/test/', '/live/');
      const form = `/console/${practice.practiceId}/live/developers/webhooks/new`;
      expect((await browser.get(empty)).text).to.include(`href="${form}"`);
      expect((await browser.get(`${empty}?status=exhausted`)).text).to.not.include(form);
      const present = await browser.get(path);
      expect(present.text).to.include('No event was sent yet').and.not.include('webhooks/new');
    });

    it('the list refuses values of the filter that it does not know, NUL bytes included, and keeps what was typed', async () => {
      for (const filter of ['status=lost', 'type=x', 'paymentLinkId=plink_%00', 'since=yesterday']) {
        await expectRefused(browser.get(`${path}?${filter}`), 'A value of the filter is not valid', filter);
      }
      expect((await browser.get(`${path}?paymentLinkId=%3Cb%3E`)).text).to.include('value="&lt;b&gt;"');
      expect((await browser.get(`${path}?endpointId=we_%00`)).status).to.equal(200);
    });

    it('the list has the deliveries of its own mode and practice only, with pages of fifty', async () => {
      for (let i = 0; i < 51; i++) await ping(practice.test, endpoint.id);
      const first = await browser.get(path);
      const second = await browser.get(`${path}?start=2`);
      expect([ids(first.text).length, ids(second.text).length]).to.deep.equal([50, 1]);
      expect(ids((await browser.get(path.replace('/test/', '/live/'))).text)).to.deep.equal([]);
      const other = await service.practice();
      const stranger = await signedInAs(service, other.practiceId, 'owner');
      const own = await stranger.get(`/console/${other.practiceId}/test/deliveries?endpointId=${endpoint.id}`);
      expect([own.status, ids(own.text)]).to.deep.equal([200, []]);
    });

    it('the list, and the home page of administrators, lead to failed deliveries of endpoints, until seven days have passed', async () => {
      const { delivery } = await failOne();
      const { text } = await browser.get(path);
      expect(text).to.include('Failing webhooks');
      expect(await failing(text)).to.deep.equal([['1 failed', [delivery.id]]]);
      const home = `/console/${practice.practiceId}`;
      expect((await browser.get(`${home}/test`)).text)
        .to.include('Failing webhooks')
        .and.include(`${path}?endpointId=${endpoint.id}&amp;status=exhausted`);
      expect((await browser.get(home)).text, 'live data').to.not.include('Failing webhooks');
      expect((await (await as('front_desk')).get(`${home}/test`)).text).to.not.include('Failing webhooks');
      service.clock.advance({ days: 8 });
      browser = await signedIn(service, administrator);
      expect((await browser.get(path)).text).to.not.include('Failing webhooks');
    });

    it('the home page names no endpoint whose events are still being retried, but the list of deliveries does', async () => {
      receiver.answer = refuse(500);
      await ping(practice.test, endpoint.id);
      await deliver(service.deliverer(), endpoint.id);
      expect((await browser.get(path)).text)
        .to.include('Failing webhooks')
        .and.include('1 being retried');
      const home = await browser.get(`/console/${practice.practiceId}/test`);
      expect(home.text).to.not.include('Failing webhooks');
    });

    it('each count of a failing endpoint leads to exactly these deliveries, whatever their status', async () => {
      const { delivery } = await failOne();
      const disabled = await createEndpoint(practice.test, receiver.url);
      await practice.test.patch(`${ENDPOINTS}/${disabled.id}`, { enabled: false });
      const { id } = await paidLink(practice.test);
      await deliver(service.deliverer(), endpoint.id);
      const [retried, skipped] = (await listDeliveries(practice.test, `paymentLinkId=${id}`)).toSorted((one, other) =>
        one.status < other.status ? -1 : 1,
      );
      expect([retried?.status, skipped?.status]).to.deep.equal(['retrying', 'skipped']);
      expect(await failing((await browser.get(path)).text)).to.deep.equal([
        ['1 skipped', [skipped?.id]],
        ['1 failed', [delivery.id]],
        ['1 being retried', [retried?.id]],
      ]);
    });
  });

  describe('one delivery', () => {
    it('the page says why, with attempts, headers without a signature, and the exact payload', async () => {
      const { delivery } = await failOne();
      const { status, text } = await browser.get(`${path}/${delivery.id}`);
      expect(status).to.equal(200);
      expect(text).to.include('All attempts failed').and.include('Nothing happens by itself');
      expect(text.match(/<tr><td[^>]*>\d<\/td>/g)).to.have.length(8);
      expect(text).to.include(`service-event-id: ${delivery.id}\n`);
      expect(text).to.include('service-signature: t=&lt;Unix seconds').and.not.include(endpoint.secret);
      const { payload } = await deliveryOf(delivery.id);
      const shown = /aria-label="Body">([^<]*)<\/pre>/.exec(text)?.[1] ?? '';
      const unescaped = shown.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
      expect(unescaped).to.equal(payload);
    });

    it('a developer sees the payload without any data of the patient, and reads that values are replaced', async () => {
      const planted = {
        description: 'Root canal CANARY1',
        externalReference: 'CANARY2',
        metadata: { CANARY3: 'CANARY4' },
        patient: { firstName: 'CANARY5', lastName: 'CANARY6', email: 'canary7@x.example', externalId: 'CANARY8' },
      };
      const { link, delivery } = await failOne(planted);
      const { url } = (await practice.test.get(`/api/v1/payment-links/${link.id}`)).body;
      const developer = await as('developer');
      const { status, text } = await developer.get(`${path}/${delivery.id}`);
      expect(status).to.equal(200);
      expect(text).to.include('Your role sees no data of patients').and.include('•••').and.include('125.5');
      expect(text).to.not.match(/canary/i);
      expect(text).to.not.include(new URL(url).pathname);
      expect((await browser.get(`${path}/${delivery.id}`)).text).to.match(/CANARY8/);
    });

    it('deliveries of a deleted endpoint are unknown', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      expect((await browser.get(`${path}/${id}`)).status).to.equal(200);
      await practice.test.delete(`${ENDPOINTS}/${endpoint.id}`);
      expect((await browser.get(`${path}/${id}`)).status).to.equal(404);
    });

    it('a failed delivery is queued again once, however often the button is pressed, and the act is in the log', async () => {
      const { delivery } = await failOne();
      const again = `${path}/${delivery.id}/redeliver`;
      const answers = await Promise.all([browser.post(again), browser.post(again), browser.post(again)]);
      expect(answers.map(({ status }) => status)).to.deep.equal([303, 303, 303]);
      const done = answers.map(({ location }) => location?.split('?done=')[1]).toSorted();
      expect(done).to.deep.equal(['left_alone', 'left_alone', 'redelivered']);
      expect((await deliveryOf(delivery.id)).status).to.equal('pending');
      expect(await acts()).to.deep.equal([
        {
          action: 'delivery.redelivered',
          target_id: delivery.id,
          before: { status: 'exhausted' },
          after: { status: 'pending' },
        },
      ]);
      expect((await browser.get(`/console/${practice.practiceId}/audit-log`)).text).to.include('Sent a webhook again');
    });

    it('a delivery that waits for its retry is sent at once, within its eight attempts, and the act is in the log', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      await deliver(service.deliverer(), endpoint.id);
      const { text } = await browser.get(`${path}/${id}`);
      expect(text).to.include(`action="${path}/${id}/retry"`).and.include('one of the eight attempts');
      const answers = await Promise.all([1, 2].map(() => browser.post(`${path}/${id}/retry`)));
      const done = answers.map(({ location }) => location?.split('?done=')[1]).toSorted();
      expect(done).to.deep.equal(['left_alone', 'retried']);
      receiver.answer = accept;
      await deliver(service.deliverer(), endpoint.id);
      expect(await deliveryOf(id)).to.include({ status: 'delivered', attemptCount: 2 });
      const recorded = await acts();
      expect(recorded.map(({ action, target_id }) => [action, target_id])).to.deep.equal([['delivery.retried', id]]);
      const late = await browser.post(`${path}/${id}/retry`);
      expect(late.location).to.equal(`${path}/${id}?done=left_alone`);
    });

    it('a delivery whose endpoint asked to wait is not sent before that moment, and may be sent now from then on', async () => {
      receiver.answer = refuse(429, { 'retry-after': '20' });
      const { id } = await ping(practice.test, endpoint.id);
      await deliver(service.deliverer(), endpoint.id);
      const shown = await browser.get(`${path}/${id}`);
      expect(shown.text).to.include('The endpoint asked to wait').and.not.include(`action="${path}/${id}/retry"`);
      const { nextAttemptAt } = await deliveryOf(id);
      const early = await browser.post(`${path}/${id}/retry`);
      expect(early.location).to.equal(`${path}/${id}?done=left_alone`);
      expect(await deliveryOf(id)).to.include({ nextAttemptAt, attemptCount: 1 });
      expect(await acts()).to.deep.equal([]);
      // The schedule waits for 27 seconds at least.
      service.clock.advance({ seconds: 25 });
      const later = await browser.get(`${path}/${id}`);
      expect(later.text).to.include('It waits for its next attempt').and.include(`action="${path}/${id}/retry"`);
      expect((await browser.post(`${path}/${id}/retry`)).location).to.equal(`${path}/${id}?done=retried`);
      expect((await browser.get(`${path}/${id}?done=retried`)).text).to.include('The next attempt is due now');
    });

    it('a delivery of a disabled endpoint is sent neither at once nor again, and the page says what to do', async () => {
      const { delivery } = await failOne();
      const { id } = await ping(practice.test, endpoint.id);
      await deliver(service.deliverer(), endpoint.id);
      await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: false });
      for (const act of [`${delivery.id}/redeliver`, `${id}/retry`]) {
        await expectRefused(browser.post(`${path}/${act}`), 'The endpoint is disabled. Enable it first.', act);
      }
      expect((await deliveryOf(id)).attemptCount).to.equal(1);
      expect(await acts()).to.deep.equal([]);
    });
  });
});
