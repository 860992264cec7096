import { expect } from 'chai';
import { simulateDisputeClosing, simulateDisputeOpening } from '../../src/payment-links/api/sandbox-dispute.ts';
import { createRefund } from '../../src/payment-links/payments/create-refund.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { writeCsv } from '../../src/web/csv.ts';
import { useService } from '../harness/fixtures.ts';
import { until } from '../harness/processes.ts';
import { addMember, type ConsoleBrowser, expectRefused, signedIn, signedInAs } from './console.ts';
import { type BillingPractice, billingPractice, copyPayment, paid } from './payments-setup.ts';

describe('daily totals and exports in the console', () => {
  const service = useService();
  let billing: BillingPractice;
  let browser: ConsoleBrowser;
  let limited: ConsoleBrowser;
  let personId: string;

  before(async () => {
    billing = await billingPractice(service);
    const { practice, northId } = billing;
    const processor = service.processor();
    // June 14 in Chicago, June 15 in UTC.
    service.clock.set('2030-06-15T03:00:00.000Z');
    await paid(billing, 'Evening', { amount: 100 });
    service.clock.set('2030-06-15T15:00:00.000Z');
    const refunded = await paid(billing, 'Refunded', { amount: 200 });
    await paid(billing, 'North', { amount: 300, locationId: northId, description: '=HYPERLINK("http://x")' });
    await paid(billing, 'Debit', { amount: 50, method: 'bank_settles' });
    const disputed = await paid(billing, 'Lost', { amount: 80 });
    service.clock.set('2030-06-16T15:00:00.000Z');
    await createRefund({ ...service.scope(), processor, ...separately }, { linkId: refunded.id, amountCents: 3_000 });
    const input = { reason: 'fraudulent', amountCents: 8_000, evidenceDueBy: null };
    await simulateDisputeOpening({ ...service.scope(), processor, ...separately }, disputed.id, input);
    await simulateDisputeClosing({ ...service.scope(), processor, ...separately }, disputed.id, 'lost');
    const { practiceId } = practice;
    const user = await addMember(service, practiceId, 'billing');
    ({ personId } = user);
    browser = await signedIn(service, user);
    limited = await signedInAs(service, practiceId, 'billing', { locationIds: [northId] });
  });

  /** Returns the lines of a table, each as its cells. */
  const table = (text: string, title: string): string[][] => {
    const [, section = ''] = new RegExp(`<h2>${title}</h2>([\\s\\S]*?)</table>`).exec(text) ?? [];
    return [...section.matchAll(/<th scope="row"[^>]*>([\s\S]*?)<\/tr>/g)].map(([, line = '']) =>
      line
        .replaceAll(/<td[^>]*>/g, '|')
        .replaceAll(/<[^>]+>|\n/g, '')
        .split('|'),
    );
  };

  it('the totals count payments, refunds and lost disputes on their own days in the time zone of the practice', async () => {
    const { text } = await browser.get(`${billing.path}/reconciliation?from=2030-06-01&to=2030-06-30`);
    expect(table(text, 'By day')).to.deep.equal([
      ['June 14, 2030', '1', '$100.00', '$3.20', '', '', '$96.80'],
      ['June 15, 2030', '3', '$580.00', '$17.72', '', '', '$562.28'],
      ['June 16, 2030', '', '', '', '$30.00', '$80.00', '-$110.00'],
      ['Total', '4', '$680.00', '$20.92', '$30.00', '$80.00', '$549.08'],
    ]);
    expect(table(text, 'By location').slice(0, -1)).to.deep.equal([
      ['Downtown', '3', '$380.00', '$11.92', '$30.00', '$80.00', '$258.08'],
      ['North', '1', '$300.00', '$9.00', '', '', '$291.00'],
    ]);
    expect(text, 'all that moved money were cards').to.not.include('By method');
  });

  it('a day leads to its movements, which add up to its totals and are those of its file', async () => {
    const month = await browser.get(`${billing.path}/reconciliation?from=2030-06-01&to=2030-06-30`);
    const [, address = ''] =
      /href="([^"]+from=2030-06-16&amp;to=2030-06-16[^"]*)"[^>]*><bdi>June 16/.exec(month.text) ?? [];
    const { text } = await browser.get(address.replaceAll('&amp;', '&'));
    const [, section = ''] = /<h2>Movements<\/h2>([\s\S]*?)<\/table>/.exec(text) ?? [];
    const rows = [...section.matchAll(/<tr><td[\s\S]*?<\/tr>/g)].map(([row]) =>
      [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell = '']) => cell.replaceAll(/<[^>]+>/g, '')),
    );
    expect(rows.map((cells) => cells.slice(0, 3))).to.deep.equal([
      ['Ada Lost', 'Dispute lost', '-$80.00'],
      ['Ada Refunded', 'Refund', '-$30.00'],
    ]);
    expect(table(text, 'By day').at(-1)).to.deep.equal(['Total', '', '', '', '$30.00', '$80.00', '-$110.00']);
    const file = await exported(browser, { from: '2030-06-16', to: '2030-06-16' });
    expect([...file.text.matchAll(/"(Dispute lost|Refund)","(-[\d.]+)"/g)].map(([line]) => line)).to.deep.equal([
      '"Dispute lost","-80.00"',
      '"Refund","-30.00"',
    ]);
    const viewed = await service.query<{ rows: number }>(
      `select (after ->> 'rows')::integer as rows from audit_log where action = 'payments.listed' and actor_id = $1
       order by id desc limit 1`,
      [personId],
    );
    expect(viewed, 'the movements name patients').to.deep.equal([{ rows: 2 }]);
  });

  it('the reconciliation of a location or a method has its movements only, and its file has the same', async () => {
    const { text } = await browser.get(
      `${billing.path}/reconciliation?from=2030-06-15&to=2030-06-15&location=${billing.northId}`,
    );
    expect(table(text, 'By day')).to.deep.equal([
      ['June 15, 2030', '1', '$300.00', '$9.00', '', '', '$291.00'],
      ['Total', '1', '$300.00', '$9.00', '', '', '$291.00'],
    ]);
    expect(text).to.include('Ada North').and.not.include('Ada Refunded');
    expect(text).to.match(/<form[^>]*payments\/export\?[^"]*location=loc_/);
    const debits = await browser.get(
      `${billing.path}/reconciliation?from=2030-06-15&to=2030-06-15&method=us_bank_account`,
    );
    expect(debits.text, 'the debit has not settled').to.include('No money moved in these days.');
  });

  it('the file of a state has the movements of its payments', async () => {
    const { text } = await exported(browser, { from: '2030-06-01', to: '2030-06-30', state: 'dispute_lost' });
    const movements = [...text.matchAll(/"(Payment|Fee|Refund|Dispute lost)","([-\d.]+)"/g)].map(([line]) => line);
    expect(movements).to.deep.equal(['"Dispute lost","-80.00"', '"Payment","80.00"', '"Fee","-2.62"']);
  });

  it('the chart has a bar for each day with received or returned money, beside a scale of round dollars', async () => {
    const { text } = await browser.get(`${billing.path}/reconciliation?from=2030-06-01&to=2030-06-30`);
    const [, received = ''] = /<path class="received" d="([^"]*)"/.exec(text) ?? [];
    // The scale ends at 600 dollars: 100 of them are a sixth of the height of 120.
    expect(received).to.equal('M156 120v-20h5v20zM168 120v-116h5v116z');
    expect(text).to.include('<path class="returned" d="M185 120v-22h5v22z"');
    const [, scale = ''] = /<div class="scale"[^>]*>(.*?)<\/div>/s.exec(text) ?? [];
    expect(
      scale
        .replaceAll(/<[^>]+>/g, ' ')
        .split(/\s+/)
        .filter(Boolean),
    ).to.deep.equal(['$600', '$400', '$200', '$0']);
    expect(text).to.include('<span>Jun 1</span><span>Jun 16</span><span>Jun 30</span>');
    expect(text, 'the pointer shows the values').to.match(
      /<title>Jun 14\nReceived: \$[1-9][\d.]+\nRefunds[^:]*: \$[\d.]+</,
    );
  });

  it('the overview has what came in by days of the practice, beside the same days before, and what is under way', async () => {
    const home = billing.path.replace('/live', '');
    const { text } = await browser.get(home);
    const [, ...figures] = text.split('<li><a class="figure"');
    const words = figures.map((figure) =>
      figure
        .replace(/^[^>]*>/, '')
        .replace(/<\/li>[\s\S]*/, '')
        .replaceAll(/<[^>]+>|\n/g, ' ')
        .trim()
        .replaceAll(/\s+/g, ' '),
    );
    // It is Sunday, June 16.
    expect(words.slice(0, 2)).to.deep.equal(['Owed in all $0.00 Links: 0', 'Waiting $0.00 Links: 0']);
    expect(words.slice(7, 9)).to.deep.equal(['Downtown $0.00 Links: 0', 'North $0.00 Links: 0']);
    expect(words.slice(9)).to.deep.equal([
      'Today $0.00 Yesterday: $580.00',
      'This week $680.00 Same days last week: $0.00',
      'This month $680.00 Same days last month: $0.00',
      'Bank debits under way $50.00 Payments: 1',
    ]);
    expect(text)
      .to.include('Nothing: no open dispute')
      .and.include('Times: Central (Chicago).')
      .and.include('<path class="received"');
    expect(text).to.include('from=2030-06-10&amp;to=2030-06-16').and.include('from=2030-05-01&amp;to=2030-05-16');
    const test = await browser.get(`${home}/test`);
    expect(test.text).to.include('Test data.').and.not.include('$580.00');
  });

  it('the totals of a person who is limited to locations contain only those', async () => {
    const { text } = await limited.get(`${billing.path}/reconciliation`);
    expect(table(text, 'By day').at(-1)).to.deep.equal(['Total', '1', '$300.00', '$9.00', '', '', '$291.00']);
    expect(text).to.not.include('Downtown');
  });

  it('the present month is shown first, other months by its links, and a range that is none is refused in words', async () => {
    const { text } = await browser.get(`${billing.path}/reconciliation`);
    expect(text).to.include('value="2030-06-01"').and.include('value="2030-06-30"');
    expect(text).to.include('<strong>June 1, 2030 to June 30, 2030</strong>');
    expect(text).to.include('from=2030-05-01&amp;to=2030-05-31').and.include('from=2030-07-01&amp;to=2030-07-31');
    const empty = await browser.get(`${billing.path}/reconciliation?from=2030-05-01&to=2030-05-31`);
    expect(empty.text).to.include('No money moved in these days.');
    for (const range of [
      'from=2030-06-30&to=2030-06-01',
      'from=2030-01-01&to=2030-12-31',
      'from=x&to=y',
      'from=2030-06-01',
    ]) {
      await expectRefused(browser.get(`${billing.path}/reconciliation?${range}`), 'at most 92 days', range);
    }
    const test = await browser.get(`${billing.path.replace('/live', '/test')}/reconciliation`);
    expect(test.text).to.include('No money moved in these days.');
  });

  const exported = (person: ConsoleBrowser, fields: Record<string, string> = {}) =>
    person.post(`${billing.path}/payments/export?${new URLSearchParams(fields)}`);

  it('the file has every movement with times in the practice’s zone and in UTC, signed amounts, and no formula in any cell', async () => {
    const { status, headers, text } = await exported(browser, { from: '2030-06-01', to: '2030-06-30' });
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/csv; charset=utf-8']);
    expect(headers.get('content-disposition')).to.include('payments-live-2030-06-01-2030-06-30.csv');
    const lines = text.replace('\ufeff', '').trimEnd().split('\r\n');
    expect(lines[0])
      .to.include('"Time (America/Chicago)","Time (UTC)","Movement","Amount (USD)","Movement id"')
      .and.include('"Paid (America/Chicago)","Paid (UTC)"');
    expect(lines.at(-2)).to.match(/^"2030-06-14 22:00:00","2030-06-15T03:00:00.000Z","Payment","100.00","txn_/);
    expect(lines.at(-1)).to.match(/^"2030-06-14 22:00:00","2030-06-15T03:00:00.000Z","Fee","-3.20","txn_/);
    // Four payments with their fees, a refund and a lost dispute. The debit has not settled.
    expect(lines).to.have.length(11);
    expect(text).to.include(`"'=HYPERLINK(""http://x"")"`);
  });

  it('no cell of a CSV file begins like a formula, also behind blanks and invisible marks or in full width', async () => {
    const hostile = ['=1', '+1', '-1', '@a', '\t=1', '\r=1', '\n=1', ' =1', '\ufeff=1', '\u200f=1', '\u202e+1'];
    const wide = ['\uff1d1', '\uff0b1', '\uff0d1', '\uff201'];
    const write = (titles: string[], rows: number[] = []) =>
      Array.fromAsync(
        writeCsv<number>(
          titles.map((title) => [title, (amount) => amount]),
          rows,
        ),
      );
    for (const text of [...hostile, ...wide]) {
      const [line] = await write([text]);
      expect(line, JSON.stringify(text)).to.equal(`\ufeff"'${text}"\r\n`);
    }
    const [harmless] = await write(['Ada - crown', ' 1=1', '(+1)', 'a@b.example', '']);
    expect(harmless).to.equal('\ufeff"Ada - crown"," 1=1","(+1)","a@b.example",""\r\n');
    const amounts = (await write([''], [-0.3, 1250.5])).join('');
    expect(amounts, 'spreadsheets add amounts up').to.equal('\ufeff""\r\n"-0.30"\r\n"1250.50"\r\n');
  });

  it('the export of a person who is limited to locations contains only those, whatever the form asks for', async () => {
    const range = { from: '2030-06-01', to: '2030-06-30' };
    const { text } = await exported(limited, range);
    const lines = text.trimEnd().split('\r\n').slice(1);
    expect(lines.filter((line) => !line.includes('"North"'))).to.deep.equal([]);
    expect(lines, 'payment and fee').to.have.length(2);
    const other = await exported(limited, { ...range, location: billing.practice.locationId });
    expect(other.status, 'a location that the person does not see').to.equal(400);
  });

  it('the totals of a month lead to the file with its payments, and stand below "Payments" in the menu', async () => {
    const range = 'from=2030-06-01&to=2030-06-30';
    const { text } = await browser.get(`${billing.path}/reconciliation?${range}`);
    expect(text).to.include(`action="${billing.path}/payments/export?${range.replace('&', '&amp;')}"`);
    expect(text).to.include(`<a href="${billing.path}/payments" aria-current="page">Payments</a>`);
    const empty = await browser.get(`${billing.path}/reconciliation?from=2030-01-01&to=2030-01-31`);
    expect(empty.text).to.not.include('payments/export');
  });

  it('a viewer sees payments and totals, but no address of an export or a refund, and gets no export', async () => {
    const viewer = await signedInAs(service, billing.practice.practiceId, 'viewer');
    const list = await viewer.get(`${billing.path}/payments`);
    expect([list.status, list.text.includes('payments/export')]).to.deep.equal([200, false]);
    const [, id = ''] = /payments\/(plink_\w+)"/.exec(list.text) ?? [];
    expect((await viewer.get(`${billing.path}/payments/${id}`)).text).to.not.include('/refund"');
    expect((await viewer.get(`${billing.path}/reconciliation`)).status).to.equal(200);
    const refused = await exported(viewer);
    expect([refused.status, refused.headers.get('content-disposition')]).to.deep.equal([403, null]);
  });

  it('an export is in the audit log with its range, and one of more than 366 days is refused in words', async () => {
    const acts = () =>
      service.query<{ after: { from: string; to: string } }>(
        `select after from audit_log where action = 'payments.exported' and actor_id = $1 order by id`,
        [personId],
      );
    const before = (await acts()).length;
    await exported(browser, { state: 'paid' });
    const [act, ...more] = (await acts()).slice(before);
    expect(act?.after).to.include({
      from: '2029-06-17',
      to: '2030-06-16',
      mode: 'live',
      state: 'paid',
      locationIds: null,
    });
    expect(more).to.deep.equal([]);
    await expectRefused(exported(browser, { from: '2029-06-15', to: '2030-06-16' }), 'at most 366 days');
    expect(await acts()).to.have.length(before + 1);
  });

  it('no text of the sender of an export reaches the audit log: an unknown location is refused, other values are left out', async () => {
    expect((await exported(browser, { location: 'CANARY' })).status).to.equal(400);
    await exported(browser, { state: 'CANARY', method: 'CANARY', from: 'CANARY', to: 'CANARY', other: 'CANARY' });
    const found = await service.query(`select after from audit_log where after::text ~ 'CANARY'`);
    expect(found).to.deep.equal([]);
  });

  it('an export of many payments has each once, in pages, and its reader may be slow or leave', async () => {
    const other = await billingPractice(service);
    const link = await paid(other, 'Many');
    await copyPayment(other, link, 3_500);
    const reader = await signedInAs(service, other.practice.practiceId, 'owner');
    const path = `${other.path}/payments/export`;
    const { text } = await reader.post(path);
    const ids = [...text.matchAll(/"Payment","[\d.]+","txn_\w+","txn_\w+","(plink_\w+)"/g)].map(([, id]) => id);
    expect([ids.length, new Set(ids).size]).to.deep.equal([3_501, 3_501]);
    // A client that reads nothing keeps no transaction open between two statements.
    const headers = { cookie: `__Host-paylinks_console=${reader.cookie}` };
    const body = new URLSearchParams({ csrf: reader.csrf });
    const slow = await fetch(`${service.baseUrl}${path}`, { method: 'POST', headers, body });
    // Between two statements of a page, a transaction is open for a moment.
    const open = `select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
    await until(async () => (await service.query(open)).length === 0, 'a transaction stays open');
    await slow.body?.cancel();
    expect((await reader.get(`${other.path}/payments`)).status).to.equal(200);
  });
});
