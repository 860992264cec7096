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

  /** Figures that were not zero, and movements. */
  const kinds = new Set<string>();

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
    const lists = await pagesFrom(browser, href);
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

  /** Returns the numbers in the tabs of links that are not finished. A tab without a number leads to an empty list. */
  const tabsOf = (text: string): Figure[] =>
    [
      ...text.matchAll(/<a [^>]*href="([^"]+status=(?:waiting|under_way|returned))"[^>]*>([^<·]+?)(?: · (\d+))?<\/a>/g),
    ].map(([, href = '', name = '', value = '0']) => ({ name, href: decoded(href), value }));

  /** Expects that each figure is the number of its list, or the sum of its amounts. */
  async function expectFigures(browser: ConsoleBrowser, figures: readonly Figure[]) {
    for (const { name, href, value } of figures) {
      const { ids, cents } = await listOf(browser, href);
      expect(value.startsWith('$') ? cents : ids.length, `${name}: ${href}`).to.equal(centsIn(value));
    }
  }

  /** Sums of movements in cents, by the columns of totals. */
  const sumsOf = (movements: readonly { kind: string; cents: number }[]) => {
    const sum = (...kinds: string[]) =>
      movements.filter(({ kind }) => kinds.includes(kind)).reduce((all, { cents }) => all + cents, 0);
    return {
      Payments: movements.filter(({ kind }) => kind === 'Payment').length,
      Received: sum('Payment'),
      Fees: 0 - sum('Fee'),
      Refunds: 0 - sum('Refund'),
      'Taken back': 0 - sum('Debit taken back', 'Dispute lost'),
      Net: movements.reduce((all, { cents }) => all + cents, 0),
    };
  };

  /** Returns amounts such as `-$1,250.00` and `1250.00` in cents. */
  const signedCents = (text: string) => (/^[-−]/.test(text) ? -1 : 1) * Number(text.replaceAll(/\D/g, ''));

  const wordsOf = (row: string) =>
    [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = '']) =>
      cell.replaceAll(/<[^>]+>/g, '').trim(),
    );

  /** Returns the lines of the table of days, each with the address of its movements and its sums; the last line has all days. */
  function listDays(text: string): { href: string; sums: ReturnType<typeof sumsOf> }[] {
    const [, head = '', body = ''] =
      /<thead>((?:(?!<\/thead>)[\s\S])*>Received<(?:(?!<\/thead>)[\s\S])*)<\/thead>([\s\S]*?)<\/table>/.exec(
        text.replaceAll(/>\s+</g, '><'),
      ) ?? [];
    const titles = wordsOf(head);
    return [...body.matchAll(/<tr>[\s\S]*?<\/tr>/g)].map(([row]) => {
      const cells = wordsOf(row);
      const sums = Object.fromEntries(
        titles.slice(1).map((title, place) => [title, signedCents(cells[place + 1] ?? '')]),
      );
      return { href: decoded(/href="([^"]+)"/.exec(row)?.[1] ?? ''), sums: { ...sumsOf([]), ...sums } };
    });
  }

  /** Expects that the sums of each day are those of its movements. */
  async function expectDays(browser: ConsoleBrowser, text: string) {
    const days = listDays(text);
    for (const { href, sums } of days.slice(0, -1)) {
      const page = await get(browser, href);
      const [, list = ''] = /<h2>Movements<\/h2>([\s\S]*?)<\/table>/.exec(page) ?? [];
      const movements = [...list.matchAll(/<tr>\s*<td[\s\S]*?<\/tr>/g)].map(([row]) => {
        const [, kind = '', amount = ''] = wordsOf(row);
        return { kind, cents: signedCents(amount) };
      });
      expect(sumsOf(movements), href).to.deep.equal(sums);
      for (const { kind } of movements) kinds.add(kind);
    }
  }

  /** Returns the sums of the file with all movements. */
  async function sumsOfFile(browser: ConsoleBrowser, path: string, range: { from: string; to: string }) {
    const { text } = await browser.post(`${path}/payments/export?${new URLSearchParams(range)}`);
    const movements = text
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => {
        const [, , kind = '', amount = ''] = [...line.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell]) => cell);
        return { kind, cents: signedCents(amount) };
      });
    return sumsOf(movements);
  }

  it('each figure of the overview and each total agrees with the list to which it leads, in both modes, for each practice and location', async () => {
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
            const path = `/console/${practiceId}/${mode}`;
            const tabs = tabsOf(await get(browser, `${path}/links`));
            expect(tabs.map(({ name }) => name)).to.deep.equal(['Waiting', 'Under way', 'Returned']);
            for (const { name, value } of tabs) if (value !== '0') kinds.add(`tab ${name}`);
            await expectFigures(browser, tabs);
            await expectDays(browser, role === 'viewer' ? home : await get(browser, `${path}/reconciliation`));
            if (role === 'viewer') continue;
            const range = { from: addDays(today(), -89), to: today() };
            const all = await get(browser, `${path}/reconciliation?from=${range.from}&to=${range.to}`);
            const [file, page] = [await sumsOfFile(browser, path, range), listDays(all).at(-1)?.sums ?? sumsOf([])];
            expect(file, 'file and totals').to.deep.equal(page);
          }
        }
      }),
      // A run takes seconds, so a fault is not made smaller.
      { seed, numRuns: 3, endOnFailure: true },
    );
    expect([...kinds], 'most figures were not zero').to.have.length.above(10);
    expect(kinds).to.include.keys('Payment', 'Fee', 'Refund', 'Debit taken back', 'Dispute lost');
    expect(kinds).to.include.keys('tab Waiting', 'tab Under way', 'tab Returned');
  });
});
