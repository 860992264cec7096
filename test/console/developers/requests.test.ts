import { expect } from 'chai';
import { purgeApiRequests } from '../../../src/access/request-log.ts';
import { listOwnedKeys } from '../../../src/access/service.ts';
import { useService } from '../../harness/fixtures.ts';
import { until } from '../../harness/processes.ts';
import { createLink, type TestPractice } from '../../harness/service.ts';
import { type ConsoleBrowser, signedInAs } from '../console.ts';

const LINKS = '/api/v1/payment-links';

describe('the log of API requests in the console', () => {
  const service = useService();
  let practice: TestPractice;
  let browser: ConsoleBrowser;
  let home: string;

  beforeEach(async () => {
    // Each test has minutes of its own.
    service.clock.advance({ minutes: 10 });
    practice = await service.practice();
    browser = await signedInAs(service, practice.practiceId, 'developer');
    home = `/console/${practice.practiceId}/test/developers`;
  });

  const rowsOf = ({ practiceId }: TestPractice) =>
    service.query<{ operation: string; status: number; error_code: string | null; row: string }>(
      `select operation, status, error_code, row_to_json(api_requests)::text as row from api_requests
       where practice_id = $1 order by id`,
      [practiceId],
    );
  /** Waits until the log has written this many requests of the practice. */
  const written = async (count: number, of = practice) => {
    let rows = await rowsOf(of);
    await until(
      async () => {
        rows = await rowsOf(of);
        return rows.length >= count;
      },
      () => `the log has ${rows.length} requests instead of ${count}`,
    );
    return rows;
  };
  const shown = (text: string) =>
    [...text.matchAll(/<strong>(\w+)<\/strong> <code>([^<]+)<\/code>/g)].map((m) => `${m[1]} ${m[2]}`);

  it('requests appear with operation, status, code and key, and without ids, queries and bodies', async () => {
    const other = await service.practice();
    await other.test.get('/api/v1/locations');
    await written(1, other);
    const link = await createLink(practice.test, {
      description: 'Root canal',
      patient: { firstName: 'Canary', lastName: 'Byron' },
    });
    const found = await practice.test.get(`${LINKS}?search=Canary&pageSize=1`);
    const missing = await practice.test.get(`${LINKS}/plink_canary`);
    await practice.test.get(`${LINKS}/${link.id}`);
    const rows = await written(4);
    expect(rows.map(({ operation, status, error_code }) => [operation, status, error_code])).to.deep.equal([
      ['createPaymentLink', 201, null],
      ['listPaymentLinks', found.status, found.body.error?.code ?? null],
      ['getPaymentLink', 404, 'not_found'],
      ['getPaymentLink', 200, null],
    ]);
    expect(JSON.stringify(rows)).to.not.match(/canary|byron|root canal|plink_/i);
    const { text } = await browser.get(`${home}/requests`);
    expect(shown(text)).to.deep.equal([`GET ${LINKS}/{id}`, `GET ${LINKS}/{id}`, `GET ${LINKS}`, `POST ${LINKS}`]);
    expect(text).to.include(`${missing.headers['request-id']}`).and.include('Times: Central (Chicago)');
    expect(text).to.not.match(/canary|byron|root canal|plink_/i);
    const [key] = await listOwnedKeys(service.scope(), { practiceId: practice.practiceId, test: true });
    const page = await browser.get(`${home}/keys/${key?.id}`);
    expect(page.text).to.include(`href="${home}/requests?key=${key?.id}"`);
  });

  it('refusals of a known key are logged with their operation, and requests without a key are not', async () => {
    await service.query('update practices set api_access_enabled = false where id = $1', [practice.practiceId]);
    await practice.test.get(LINKS);
    await service.query('update practices set api_access_enabled = true where id = $1', [practice.practiceId]);
    await service.client(null).get(LINKS);
    await service.client('pp_test_unknownunknownunknown').get(LINKS);
    await practice.test.get('/api/v1/locations');
    const rows = await written(2);
    expect(rows.map(({ operation, error_code }) => [operation, error_code])).to.deep.equal([
      ['listPaymentLinks', 'api_access_disabled'],
      ['listLocations', null],
    ]);
  });

  it('the filters of status and key and the pages hold every request once', async () => {
    const second = await service.key({ practiceId: practice.practiceId, test: true });
    for (let i = 0; i < 55; i++) await practice.test.get(LINKS);
    for (let i = 0; i < 3; i++) await second.get(`${LINKS}/plink_none`);
    await second.post(LINKS, {});
    await practice.live.get(LINKS);
    await written(60);
    const list = async (filter: string) => shown((await browser.get(`${home}/requests?${filter}`)).text);
    const first = await browser.get(`${home}/requests?status=2`);
    expect(shown(first.text)).to.have.length(50);
    const older = /href="([^"]+)" rel="next"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(older).to.include('status=2');
    expect(shown((await browser.get(older)).text)).to.have.length(5);
    expect(await list('status=refused')).to.have.length(4);
    expect(await list('status=4')).to.have.length(4);
    expect(await list('status=5')).to.have.length(0);
    expect(await list('status=404')).to.have.length(3);
    expect(await list('status=400')).to.deep.equal([`POST ${LINKS}`]);
    expect(await list('status=422')).to.have.length(0);
    const keys = await listOwnedKeys(service.scope(), { practiceId: practice.practiceId, test: true });
    expect(await list(`key=${keys[0]?.id}&status=404`)).to.have.length(3);
    expect(await list('key=key_unknown')).to.have.length(0);
    expect(await list('key=%27%3B--')).to.have.length(0);
    expect(await list('status=9&start=x')).to.have.length(50);
    const live = await browser.get(`/console/${practice.practiceId}/live/developers/requests`);
    expect(shown(live.text), 'of the other mode').to.deep.equal([`GET ${LINKS}`]);
    const stranger = await signedInAs(service, (await service.practice()).practiceId, 'developer');
    expect((await stranger.get(`${home}/requests`)).status).to.equal(404);
  });

  it('a busy key is logged up to a limit per minute, and does not hide its errors or other practices', async () => {
    const other = await service.practice();
    await Promise.all(Array.from({ length: 80 }, () => practice.test.get(LINKS)));
    for (let i = 0; i < 2; i++) await practice.test.get(`${LINKS}/plink_none`);
    await other.test.get(LINKS);
    await written(1, other);
    expect((await written(62)).map(({ status }) => status).filter((status) => status === 200)).to.have.length(60);
    service.clock.advance({ minutes: 1 });
    await practice.test.get(LINKS);
    expect(await written(63)).to.have.length(63);
    expect((await browser.get(`${home}/requests`)).text).to.include('at most 60 requests with an error and 60 without');
  });

  it('requests disappear after three days', async () => {
    await practice.test.get(LINKS);
    await written(1);
    service.clock.advance({ days: 2, hours: 23 });
    await practice.test.get(LINKS);
    await written(2);
    const present = async () => {
      const own = await signedInAs(service, practice.practiceId, 'owner');
      return shown((await own.get(`${home}/requests`)).text).length;
    };
    expect(await present()).to.equal(2);
    service.clock.advance({ hours: 2 });
    expect(await present(), 'before the retention').to.equal(1);
    while (await purgeApiRequests(service.scope()));
    expect(await rowsOf(practice)).to.have.length(1);
  });
});
