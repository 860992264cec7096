import { expect } from 'chai';
import { createOpenings } from '../../src/payment-links/checkout/service.ts';
import { PageOpenings } from '../../src/payment-links/model/payment-link.entity.ts';
import { COOKIE } from '../console/console.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { Payments } from '../harness/payments.ts';
import { until } from '../harness/processes.ts';
import { sendRaw } from '../harness/raw.ts';
import { linkPage } from './fixtures/scripted-pages.ts';
import { usePages } from './fixtures/started-pages.ts';

/** Headers of a browser whose person opens an address from outside. */
const FROM_OUTSIDE = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': 'none' };

/** Opens an address. `fetch` would send the mode of a program. */
async function open(baseUrl: string, path: string, headers: Record<string, string> = FROM_OUTSIDE, method = 'GET') {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const answer = await sendRaw(
    baseUrl,
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join('')}\r\n`,
  );
  return answer.status;
}

describe('openings of a hosted page', () => {
  const started = usePages();

  it('a page that a person opens from outside is an opening, in every state of the link', async () => {
    for (const state of ['payable', 'paid', 'expired'] as const) {
      const page = linkPage({ state });
      const path = started.pages.put(page);
      expect(await open(started.baseUrl, path)).to.equal(200);
      expect(await open(started.baseUrl, path, { ...FROM_OUTSIDE, 'Sec-Fetch-Site': 'cross-site' })).to.equal(200);
      expect(started.pages.openings.splice(0), state).to.deep.equal([page.token, page.token]);
    }
  });

  it('neither HEAD nor programs, prefetches, the page itself, returns from a bank and people of the console are openings', async () => {
    const path = started.pages.put(linkPage());
    expect(await open(started.baseUrl, path, FROM_OUTSIDE, 'HEAD')).to.equal(200);
    expect(await open(started.baseUrl, `${path}?redirect_status=succeeded`)).to.equal(200);
    const others: Record<string, string>[] = [
      { 'Sec-Fetch-Mode': '' },
      { 'Sec-Fetch-Mode': 'cors' },
      { 'Sec-Purpose': 'prefetch' },
      { 'Sec-Fetch-Site': 'same-origin' },
      { Cookie: `${COOKIE}=token` },
      { Cookie: 'a=b; paylinks_console=token' },
    ];
    for (const headers of others) {
      expect(await open(started.baseUrl, path, { ...FROM_OUTSIDE, ...headers })).to.equal(200);
    }
    expect(await open(started.baseUrl, '/pay/token-of-no-page-at-all-000000')).to.equal(404);
    expect(started.pages.openings).to.deep.equal([]);
  });
});

describe('the count of openings', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  const payments = new Payments(service);
  const stored = (paymentLinkId: string) => service.scope().em.findOne(PageOpenings, { paymentLinkId });

  it('the first and the last opening and their number are stored, and the link keeps its version', async () => {
    const link = await payments.link(practice);
    const first = service.clock.now();
    expect(await open(service.baseUrl, `/pay/${link.token}`)).to.equal(200);
    await until(async () => (await stored(link.id)) !== null, 'the opening was not written');
    // Two processes: the later opening is written first.
    const [one, other] = [createOpenings(() => service.scope()), createOpenings(() => service.scope())];
    const later = (minutes: number) => new Date(first.getTime() + minutes * 60_000);
    for (const minutes of [3, 9]) one.add({ paymentLinkId: link.id, at: later(minutes) });
    await one.close();
    other.add({ paymentLinkId: link.id, at: later(-1) });
    await other.close();
    const { practiceId } = practice;
    expect(await stored(link.id)).to.include({ practiceId, openCount: 4 });
    expect(await stored(link.id)).to.deep.include({ firstOpenedAt: later(-1), lastOpenedAt: later(9) });
    const [row] = await service.query('select version from payment_links where id = $1', [link.id]);
    expect(row).to.deep.equal({ version: 1 });
  });

  it('a page is shown while its openings cannot be written', async () => {
    const link = await payments.link(practice);
    await service.query('alter table page_openings rename to page_openings_away');
    const openings = createOpenings(() => service.scope());
    openings.add({ paymentLinkId: link.id, at: service.clock.now() });
    await openings.close();
    expect(await open(service.baseUrl, `/pay/${link.token}`)).to.equal(200);
    await service.query('alter table page_openings_away rename to page_openings');
    expect(await open(service.baseUrl, `/pay/${link.token}`)).to.equal(200);
    await until(async () => (await stored(link.id)) !== null, 'the opening was not written');
  });
});
