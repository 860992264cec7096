import { expect } from 'chai';
import fc from 'fast-check';
import { addDays } from '../../src/platform/base/time/zoned-time.ts';
import { useService } from '../harness/fixtures.ts';
import type { TestPractice } from '../harness/service.ts';
import { type ConsoleBrowser, pagesFrom, signedInAs } from './console.ts';
import { insertHistories, LINK_HISTORY } from './link-histories.ts';

const seed = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);

/** A figure of a page, and the address of its list. */
interface Figure {
  name: string;
  href: string;
  /** Such as `$12.50` or `3`. */
  value: string;
}

describe(`figures and their lists in the console (FC_SEED=${seed})`, function () {
  this.timeout(240_000);
  const service = useService();

  const today = () => service.clock.now().toLocaleDateString('en-CA', { timeZone: 'America/Chicago' });

  const decoded = (text: string) => text.replaceAll('&amp;', '&');

  const get = async (browser: ConsoleBrowser, path: string): Promise<string> => {
    // So that the limit of the client address is never met.
    service.clock.advance({ ms: 200 });
    const { status, text } = await browser.get(path);
    expect(status, path).to.equal(200);
    return text;
  };

  const centsIn = (money: string) => Number(money.replaceAll(/[$,.]/g, ''));

  /** Returns the ids and the sum of the whole list. */
  const listOf = async (browser: ConsoleBrowser, href: string) => {
    service.clock.advance({ ms: 500 });
    const lists = (await pagesFrom(browser, href)).map((text) =>
      text.replace(/<section class="to-act-on"[\s\S]*?<\/section>/, ''),
    );
    const rows = lists.flatMap((text) => [
      ...text.matchAll(/<a [^>]*\/(plink_\w+)"[\s\S]*?<td class="amount"[^>]*>(\$[\d,.]+)/g),
    ]);
    return {
      ids: rows.map(([, id = '']) => id),
      cents: rows.reduce((sum, [, , money = '']) => sum + centsIn(money), 0),
    };
  };

  /** Returns the figures of an overview, also those in their notes. */
  const figuresOf = (text: string): Figure[] =>
    [
      ...text.matchAll(
        /<li><a class="figure" href="([^"]+)"><span>([^<]+)<\/span> <strong>([^<]+)<\/strong><\/a>(.*?)<\/li>/gs,
      ),
    ].flatMap(([, address = '', name = '', value = '', note = '']) => {
      const href = decoded(address);
      const [, count] = /: ([\d,]+)<\/p>/.exec(note) ?? [];
      const [, formerAddress = '', former] = /<a href="([^"]+)">([^<]+)<\/a>/.exec(note) ?? [];
      return [
        { name, href, value },
        ...(count === undefined ? [] : [{ name: `${name}, number`, href, value: count }]),
        ...(former === undefined ? [] : [{ name: `${name}, former`, href: decoded(formerAddress), value: former }]),
      ];
    });

  /** Expects that each figure is the number of its list, or the sum of its amounts. */
  async function expectFigures(browser: ConsoleBrowser, figures: readonly Figure[]) {
    for (const { name, href, value } of figures) {
      const { ids, cents } = await listOf(browser, href);
      expect(value.startsWith('$') ? cents : ids.length, `${name}: ${href}`).to.equal(centsIn(value));
    }
  }

  /** Returns the totals of a page that lead to their payments. */
  const totalsOf = (text: string): Figure[] =>
    [...text.matchAll(/<td class="amount"[^>]*><a [^>]*href="([^"]+\/payments[^"]*)">([^<]+)<\/a>/g)].map(
      ([, href = '', value = '']) => ({ name: 'total', href: decoded(href), value }),
    );

  /** Expects that each total is the sum of its payments. What was given back is compared with the rows of its own days. */
  async function expectTotals(browser: ConsoleBrowser, totals: readonly Figure[]) {
    for (const { href, value } of totals) {
      const { ids, cents } = await listOf(browser, href);
      const { searchParams } = new URL(href, service.baseUrl);
      const state = searchParams.get('state') ?? '';
      const [given] = await service.query<{ cents: string; links: number }>(
        `select coalesce(sum(amount_cents), 0) as cents, count(distinct payment_link_id)::integer as links from (
           select payment_link_id, amount_cents, created_at as at,
             'refunded_then' as state
           from refunds where status <> 'failed' and bank_reversal_id is null
           union all
           select payment_link_id, amount_cents, created_at, 'taken_back_then' from bank_reversals
           union all
           select payment_link_id, amount_cents, closed_at, 'taken_back_then' from disputes where status = 'lost'
         ) as given
         where payment_link_id = any ($1) and state = $2
           and (at at time zone 'America/Chicago')::date between $3::date and $4::date`,
        [ids, state, searchParams.get('from'), searchParams.get('to')],
      );
      const isGiven = state.endsWith('_then');
      const sum = state === '' ? ids.length : isGiven ? Number(given?.cents) : cents;
      expect(sum, href).to.equal(centsIn(value));
      if (isGiven) expect(given?.links, `only these payments: ${href}`).to.equal(ids.length);
    }
  }

  /** Columns of the file with the totals that they add up to. */
  const SUMS = [
    ['Received (USD)', 'Received'],
    ['Refunded (USD)', 'Refunds'],
    ['Taken back (USD)', 'Taken back'],
    ['Fee (USD)', 'Fees'],
    ['Net (USD)', 'Net'],
  ] as const;

  /** Returns the sums in cents of the columns of the file with all payments. Each row adds up to its own net. */
  async function sumsOfFile(browser: ConsoleBrowser, path: string, range: { from: string; to: string }) {
    const { text } = await browser.post(`${path}/payments/export`, range);
    const [header = [], ...rows] = text
      .replace('\uFEFF', '')
      .trim()
      .split(/\r?\n/)
      .map((line) =>
        [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) => cell.replaceAll('"', '')),
      );
    const cents = (row: readonly string[], title: string) => {
      expect(header).to.include(title);
      return Math.round(Number(row[header.indexOf(title)]) * 100);
    };
    for (const row of rows) {
      const [received = 0, refunded = 0, taken = 0, fee = 0, net] = SUMS.map(([title]) => cents(row, title));
      expect(net, row.join()).to.equal(received - refunded - taken - fee);
    }
    return SUMS.map(([title]) => rows.reduce((sum, row) => sum + cents(row, title), 0));
  }

  /** Returns the totals in cents of the reconciliation, in the order of `SUMS`. */
  function totalRow(text: string): number[] {
    if (text.includes('Nothing was paid or refunded in these days.')) return SUMS.map(() => 0);
    const [, head = ''] = /<h2>By day<[\s\S]*?<thead>([\s\S]*?)<\/thead>/.exec(text) ?? [];
    const [, foot = ''] = /<h2>By day<[\s\S]*?<tfoot>([\s\S]*?)<\/tfoot>/.exec(text) ?? [];
    const wordsOf = (row: string) =>
      [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = '']) =>
        cell.replaceAll(/<[^>]+>/g, '').trim(),
      );
    const [titles, values] = [wordsOf(head), wordsOf(foot)];
    return SUMS.map(([, title]) => {
      expect(titles).to.include(title);
      const value = values[titles.indexOf(title)] ?? '';
      return (/^[-−(]/.test(value) ? -1 : 1) * Number(value.replaceAll(/[^\d]/g, ''));
    });
  }

  it('each figure of the overview and each total agrees with the list to which it leads, in both modes, for each practice and location', async () => {
    const withoutDays = (text: string) => text.replace(/<h2>By day<[\s\S]*?<tfoot>/, '');
    const kinds = new Set<string>();
    const world = fc.record({
      hours: fc.integer({ min: 24, max: 2_000 }),
      links: fc.array(LINK_HISTORY, { minLength: 25, maxLength: 45 }),
    });
    await fc.assert(
      fc.asyncProperty(world, async ({ hours, links }) => {
        service.clock.advance({ hours });
        const now = service.clock.now();
        service.clock.set(`${now.toISOString().slice(0, 13)}:00:00.000Z`);
        const practices: (TestPractice & { locationIds: string[]; id: string })[] = [];
        for (const _ of [0, 1]) {
          const practice = await service.practice();
          const north = await service.location(practice.practiceId, 'North');
          practices.push({ ...practice, id: practice.practiceId, locationIds: [practice.locationId, north] });
        }
        await insertHistories(service, practices, links);
        for (const { practiceId, locationIds } of practices) {
          const people = [
            { role: 'owner', seenIds: null, mode: 'live' },
            { role: 'viewer', seenIds: null, mode: 'test' },
            { role: 'billing', seenIds: locationIds.slice(1), mode: 'live' },
          ] as const;
          for (const { role, seenIds, mode } of people) {
            const email = `${role}-${practiceId}@elm.example`;
            const browser = await signedInAs(service, practiceId, role, { email, locationIds: seenIds });
            const home = await get(browser, `/console/${practiceId}/${mode}`);
            const figures = figuresOf(home);
            for (const { name, value } of figures) if (centsIn(value) > 0) kinds.add(name);
            await expectFigures(browser, figures);
            for (const filter of ['', '?show=declined', `?age=1&location=${locationIds[1]}`]) {
              const owed = figuresOf(await get(browser, `/console/${practiceId}/${mode}/owed${filter}`));
              expect(owed, filter).to.have.length.above(3);
              await expectFigures(browser, owed);
            }
            const reconciliation = await get(browser, `/console/${practiceId}/${mode}/reconciliation`);
            await expectTotals(browser, totalsOf(role === 'viewer' ? home : withoutDays(reconciliation)));
            if (role === 'viewer') continue;
            const range = { from: addDays(today(), -89), to: today() };
            const path = `/console/${practiceId}/${mode}`;
            const all = await get(browser, `${path}/reconciliation?from=${range.from}&to=${range.to}`);
            expect(await sumsOfFile(browser, path, range), 'file and totals').to.deep.equal(totalRow(all));
          }
        }
      }),
      // A run takes seconds, so a fault is not made smaller.
      { seed, numRuns: 3, endOnFailure: true },
    );
    expect([...kinds], 'most figures were not zero').to.have.length.above(10);
  });
});
