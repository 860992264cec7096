import { expect } from 'chai';
import fc from 'fast-check';
import { foldListChanges } from '../../src/database/query/kept-counts.ts';
import { inTransaction } from '../../src/database/query/transaction.ts';
import { closeDispute, openDispute } from '../../src/payment-links/dispute/apply-dispute.ts';
import { lockLink } from '../../src/payment-links/link/lock.ts';
import { foldPaymentTotals } from '../../src/payment-links/read/payment-totals.ts';
import { createRefund } from '../../src/payment-links/refund/create-refund.ts';
import { addUser, type ConsoleBrowser, signedIn } from '../console/console.ts';
import { type BillingPractice, billingPractice } from '../console/payments-setup.ts';
import { archive, archivedIds, expectAgreement, rowsOfLinks } from '../harness/archive.ts';
import { SETTLE_SECONDS } from '../harness/payments.ts';
import { createLink, TestService } from '../harness/service.ts';

/** Lives of links before they are archived. */
const LIVES = [
  ...['active', 'expired', 'cancelled', 'declined', 'card', 'debit', 'returned'],
  ...['refunded', 'partly refunded', 'disputed', 'dispute won', 'test card', 'test failed', 'test cancelled'],
] as const;

/** Every life once, and two that begin when the others are archived, in any order. */
const lives = fc
  .tuple(
    fc.shuffledSubarray([...LIVES], { minLength: LIVES.length }),
    fc.subarray([...LIVES], { minLength: 2, maxLength: 2 }),
  )
  .chain(([old, young]) =>
    fc.tuple(
      ...[...old, ...young].map((life) =>
        fc.record({
          life: fc.constant(life),
          north: fc.boolean(),
          reference: fc.constantFrom(undefined, 'visit-1', 'visit-2'),
          lastName: fc.constantFrom('Byron', 'Núñez', 'Hopper'),
        }),
      ),
    ),
  );

type Life = typeof lives extends fc.Arbitrary<infer All extends unknown[]> ? All[number] : never;

/** Filters of the API's list. */
const FILTERS = [
  ...['', 'status=active', 'status=paid', 'status=expired', 'status=cancelled', 'externalReference=visit-1'],
  ...['status=paid&externalReference=visit-2', 'paidAfter=2030-06-16T00:00:00Z', 'createdBefore=2030-06-20T00:00:00Z'],
  ...['createdAfter=2030-06-16T00:00:00Z&createdBefore=2030-12-01T00:00:00Z', 'createdAfter=2030-12-01T00:00:00Z'],
];

/** Compares answer by answer, so that a failure names the first one that differs. */
function expectSame(now: Record<string, unknown>, before: Record<string, unknown>): void {
  expect(Object.keys(now)).to.deep.equal(Object.keys(before));
  for (const [asked, answer] of Object.entries(now)) expect(answer, asked).to.deep.equal(before[asked]);
}

describe('the archive', function () {
  this.timeout(300_000);
  let service: TestService;

  /** Makes a link and lets all of that happen to it. Returns its id. */
  async function live({ practice, payments, northId }: BillingPractice, story: Life): Promise<string> {
    const { life, north, reference, lastName } = story;
    const body = {
      ...{ locationId: north ? northId : practice.locationId, patient: { firstName: 'Ada', lastName } },
      ...(reference === undefined ? {} : { externalReference: reference }),
      ...(life === 'expired'
        ? { expiresAt: new Date(service.clock.now().getTime() + 2 * 86_400_000).toISOString() }
        : {}),
    };
    if (life.startsWith('test')) {
      const { id } = await createLink(practice.test, body);
      const path = `/api/v1/payment-links/${id}`;
      if (life === 'test cancelled') await practice.test.post(`${path}/cancel`);
      else await practice.test.post(`${path}/simulate`, { outcome: life === 'test card' ? 'paid' : 'failed' });
      return id;
    }
    const link = await payments.link(practice, body);
    const { id, amountCents } = link;
    if (life === 'cancelled') await practice.live.post(`/api/v1/payment-links/${id}/cancel`);
    if (['active', 'expired', 'cancelled'].includes(life)) return id;
    const methods: Record<string, string> = {
      ...{ declined: 'card_declined', debit: 'bank_settles', returned: 'bank_returns' },
    };
    await payments.pay(link, methods[life] ?? 'card_success');
    const scope = () => service.scope();
    const refunded = life === 'refunded' ? amountCents : 1_000;
    if (life.endsWith('refunded')) await createRefund(scope(), payments.sandbox, id, refunded, null);
    if (life.startsWith('dispute')) {
      const evidenceDueBy = new Date(service.clock.now().getTime() + 86_400_000);
      await openDispute(scope(), id, { reason: 'fraudulent', amountCents, evidenceDueBy });
      if (life === 'dispute won') await closeDispute(scope(), id, 'won');
    }
    return id;
  }

  /** Returns what the API, the hosted pages and the console say of the practice's links. */
  async function answers({ practice, path }: BillingPractice, browser: ConsoleBrowser, ids: readonly string[]) {
    const said: Record<string, unknown> = {};
    const shownIn: Record<string, string[]> = { live: [], test: [] };
    for (const client of [practice.live, practice.test]) {
      const mode = client === practice.live ? 'live' : 'test';
      for (const id of ids) {
        const { status, body } = await client.get(`/api/v1/payment-links/${id}`);
        // An error names its request.
        said[`${mode} ${id}`] = status === 200 ? body : status;
        if (status === 200) shownIn[mode]?.push(id);
      }
      for (const filter of FILTERS) {
        for (let page = 1, more = true; more; page++) {
          const { status, body } = await client.get(`/api/v1/payment-links?${filter}&pageSize=7&page=${page}`);
          said[`${mode} ${filter} ${page}`] = [status, body];
          more = body.hasMore;
        }
      }
    }
    const tokens = await service.orm.em
      .fork()
      .execute('select token from payment_links where practice_id = ? order by id', [practice.practiceId]);
    for (const { token } of tokens as { token: string }[])
      said[token] = await pageOf(await fetch(`${service.baseUrl}/pay/${token}`));
    const disputes = await service.orm.em.fork().execute('select id, payment_link_id from disputes order by id');
    for (const mode of ['live', 'test']) {
      const own = path.replace('live', mode);
      const present = shownIn[mode] ?? [];
      const pages = [
        ...['', '?status=paid', '?status=expired', '?q=nunez', '?q=visit-1', '?q=byron', '?amount=125.50'].map(
          (query) => `/links${query}`,
        ),
        ...['', '?state=refunded', '?state=disputed', '?state=returned', '?method=us_bank_account'].map(
          (query) => `/payments${query}`,
        ),
        ...['/payments/export?from=2030-06-01&to=2031-04-01', '/reconciliation?from=2030-06-01&to=2030-08-01'],
        ...disputes
          .filter(({ payment_link_id: link }) => present.includes(link))
          .map(({ id, payment_link_id: link }) => `/payments/${link}/disputes/${id}`),
        ...present.flatMap((id) => [`/links/${id}`, `/links/${id}/slip`, `/payments/${id}`]),
      ];
      for (const page of pages) {
        const [target = '', query = ''] = page.split('?');
        const { status, text } = target.endsWith('/export')
          ? await browser.post(`${own}${target}`, Object.fromEntries(new URLSearchParams(query)))
          : await browser.get(`${own}${page}`);
        said[`${mode}${page}`] = [status, plain(text)];
      }
    }
    const shown = [
      `live/payments/export?from=2030-06-01&to=2031-04-01`,
      'live/links',
      `live/payments/${disputes[0]?.payment_link_id}/disputes/${disputes[0]?.id}`,
    ];
    for (const page of shown) expect(said[page], page).to.include(200);
    const home = await browser.get(path);
    said.home = [home.status, plain(home.text)];
    return said;
  }

  const pageOf = async (reply: Response) => [reply.status, plain(await reply.text())];

  /** Leaves out what differs from request to request. */
  const plain = (text: string) =>
    text.replaceAll(/(nonce|name="csrf" value|value)="[\w.-]{20,}"/g, '').replaceAll(/nonce-[\w+/=-]+/g, '');

  it('the archive changes no answer of the API, the pages and the console, neither to it nor back, whatever happened to the links', async () => {
    await fc.assert(
      fc.asyncProperty(lives, fc.boolean(), async (stories, isFolded) => {
        service = await TestService.start();
        try {
          const billing = await billingPractice(service);
          const { practiceId } = billing.practice;
          const user = await addUser(service, practiceId, 'owner', { email: `${practiceId}@elm.example` });
          const ids: string[] = [];
          for (const story of stories.slice(0, -2)) {
            ids.push(await live(billing, story));
            service.clock.advance({ hours: 9 });
          }
          service.clock.advance({ seconds: SETTLE_SECONDS });
          await billing.payments.sweep();
          service.clock.set('2030-12-20T12:00:00.000Z');
          for (const story of stories.slice(-2)) ids.push(await live(billing, story));
          service.clock.set('2030-12-25T12:00:00.000Z');
          // The processor is asked about each payment, until nothing is expected any more.
          await billing.payments.sweep();
          const fold = async () => {
            while (
              isFolded &&
              ((await foldListChanges(service.scope())) || (await foldPaymentTotals(service.scope())))
            );
          };
          await fold();
          const browser = await signedIn(service, user);
          const look = async () => ({ ...(await answers(billing, browser, ids)), rows: await rowsOfLinks(service) });
          const before = await look();
          await archive(service);
          const archived = await archivedIds(service);
          // Links without an outcome expire later than half a year ago, and open disputes stay open.
          const stays = ['active', 'declined', 'disputed'];
          const final = ids.slice(0, -2).filter((_, index) => !stays.includes(stories[index]?.life ?? ''));
          expect(archived).to.deep.equal(final.toSorted());
          await fold();
          expectSame(await look(), before);
          await expectAgreement(service);
          for (const id of archived.slice(0, 3)) await inTransaction(service.scope(), (scope) => lockLink(scope, id));
          expect(await archivedIds(service)).to.deep.equal(archived.slice(3));
          expectSame(await look(), before);
          await expectAgreement(service);
          expect(await archive(service)).to.equal(archived.slice(0, 3).length);
          expect(await rowsOfLinks(service)).to.deep.equal(before.rows);
        } finally {
          await service.close();
        }
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });
});
