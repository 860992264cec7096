import { expect } from 'chai';
import type { Role } from '../../src/console/model/roles.ts';
import { useService } from '../harness/fixtures.ts';
import { createLink } from '../harness/service.ts';
import { type ConsoleBrowser, pagesFrom, signedInAs } from './console.ts';
import { type BillingPractice, billingPractice, copyPayment, paid } from './payments-setup.ts';

describe('the search in the header of the console', () => {
  const service = useService();
  let billing: BillingPractice;
  let billingClerk: ConsoleBrowser;
  let frontDesk: ConsoleBrowser;
  let linkId: string;
  let paidId: string;
  let receipt: string;

  const as = (role: Role, locationIds: string[] | null = null) =>
    signedInAs(service, billing.practice.practiceId, role, { locationIds });

  before(async () => {
    billing = await billingPractice(service);
    const { practice, northId } = billing;
    const patient = {
      ...{ firstName: 'María', lastName: 'Núñez', phone: '+12025550199', email: 'maria.n@example.com' },
      externalId: 'MRN 7',
    };
    const owed = { amount: 77.5, externalReference: 'INV-7', patient, locationId: northId };
    linkId = (await createLink(practice.live, owed)).id;
    paidId = (await paid(billing, 'Hopper', { amount: 1_250 })).id;
    const [row] = await service.query<{ number: string }>(
      `update transactions set payment_method_last4 = '8431' where payment_link_id = $1 returning payment_number as number`,
      [paidId],
    );
    receipt = row?.number ?? '';
    [billingClerk, frontDesk] = [await as('billing'), await as('front_desk')];
  });

  const at = (q: string) => `${billing.path}/search?${new URLSearchParams({ q })}`;

  /** Returns the ids of the links that the page of a search lists. */
  const found = async (q: string, browser = billingClerk) => {
    const { status, text } = await browser.get(at(q));
    expect(status, q).to.equal(200);
    return [...text.matchAll(/href="[^"]*\/links\/(plink_\w+)"/g)].map(([, id]) => id);
  };

  // The test of the list of links searches by everything else, with the same service.
  it('a search finds links by name, amount, and the last four digits of the card that paid them', async () => {
    expect(await found('nuñ')).to.deep.equal([linkId]);
    for (const q of ['hopper', '$1,250', '1250.00', '8431']) expect(await found(q), q).to.deep.equal([paidId]);
  });

  it('each typed word is the beginning of a word of the name, however it is spelled on either side', async () => {
    const names: [firstName: string, lastName: string, searches: string[], others: string[]][] = [
      [
        'Ana María',
        'García López',
        ['Ana García', 'garcia ana', 'lop mar', 'GARCÍA LÓPEZ, ANA'],
        ['Anabel García', 'ana arcia'],
      ],
      [
        'Mary-Kate',
        'Smith-Jones',
        ['Mary-Kate Smith', 'jones', 'Smith Jones', 'smithjones', 'Smith\u2011Jones', 'kate'],
        ['ones'],
      ],
      ['Ann', 'Doe\u2010Ray', ['Doe-Ray', 'doe ray', 'doeray', 'Doe\u2011Ray', 'ray ann'], ['oeray']],
      ['Jan', 'van den Berg', ['van Berg', 'berg', 'Jan Berg', 'den'], ['vandenberg']],
      ['Zoe\u0308', 'Le\u0301vesque', ['levesque', 'Lévesque', 'Le\u0301vesque', 'ZOË'], []],
      ['Inés', 'Nun\u0303ez', ['nunez', 'Núñez', 'Nu\u0301n\u0303ez'], []],
      ['Scarlett', "O'Hara", ['O’Hara', 'OHara', 'o\u02bchara', 'O‘Hara'], ['Hara']],
      ['Anh', 'Đặng Nguyễn', ['dang', 'Nguyen', 'Đặng'], []],
      ['Antonín', 'Dvořák', ['Dvorak', 'dvořák'], []],
      ['Ângela', 'Gonçalves Côté', ['Goncalves', 'cote', 'angela gon'], []],
      [
        'Inge\u00adborg',
        'De\u00a0La\u3000Cruz',
        ['De La Cruz', 'De\u00a0La\u00a0Cruz', 'ingeborg', '\u202ade  la cruz\u202c'],
        [],
      ],
    ];
    for (const [firstName, lastName, searches, others] of names) {
      const { id } = await createLink(billing.practice.live, {
        patient: { firstName, lastName },
        locationId: billing.northId,
      });
      for (const q of searches) expect(await found(q), `${lastName} by ${q}`).to.include(id);
      for (const q of others) expect(await found(q), `${lastName} by ${q}`).to.not.include(id);
    }
  });

  it('references and chart numbers are found as a whole, whatever their case, accents, blanks and hyphens', async () => {
    const patient = { firstName: 'Ada', lastName: 'Blankson   ', externalId: 'Pe\u0301rez\u00a07' };
    const owed = { externalReference: 'FAC‑Ñ-12', patient, locationId: billing.northId };
    const { id } = await createLink(billing.practice.live, owed);
    for (const q of ['fac-ñ-12', 'FAC N 12', 'FACN\u030312', 'pérez 7', 'PEREZ-7', 'Blankson   ', 'blankson']) {
      expect(await found(q), q).to.include(id);
    }
    for (const q of ['fac', 'fac-ñ-1', 'perez']) expect(await found(q), q).to.not.include(id);
  });

  it('a text of signs alone finds nothing, and signs of the query language are text', async () => {
    for (const q of ["'", '-', '\u0301', '&', "a:* | 'b", '\\', '!', '( )', ':*', '\u200b']) {
      expect(await found(q), q).to.deep.equal([]);
    }
  });

  it('the id of a link and the number of a receipt lead straight to the record, and no other text does', async () => {
    const [read, spoken] = [receipt, receipt.replaceAll(/\d{3}(?=\d)/g, '$&-')];
    for (const [q, browser, path] of [
      [linkId, billingClerk, `links/${linkId}`],
      [read, billingClerk, `payments/${paidId}`],
      [spoken, billingClerk, `payments/${paidId}`],
      [spoken, frontDesk, `links/${paidId}`],
    ] as const) {
      const { status, location } = await browser.get(at(q));
      expect([status, location], q).to.deep.equal([303, `${billing.path}/${path}`]);
    }
    for (const q of ['INV-7', 'hopper', '']) expect((await billingClerk.get(at(q))).status, q).to.equal(200);
  });

  it('the front desk finds a link by the last four digits of the card, without what was received; developers have no search', async () => {
    for (const q of ['hopper', '8431']) expect(await found(q, frontDesk), q).to.deep.equal([paidId]);
    expect((await frontDesk.get(at('8431'))).text).to.not.match(/\/payments|Fee|Net|Received/);
    expect((await billingClerk.get(at('8431'))).text).to.include(`href="${billing.path}/payments?q=8431"`);
    const developer = await as('developer');
    expect((await developer.get(at('hopper'))).status).to.equal(403);
    const home = `/console/${billing.practice.practiceId}`;
    expect((await developer.get(home)).text).to.not.include('role="search"');
    expect((await frontDesk.get(home)).text).to.include(`role="search" method="get" action="${billing.path}/search"`);
  });

  it('the links of one patient stand together, and those of another of the same name apart', async () => {
    const of = (externalId: string) => ({ patient: { firstName: 'Twin', lastName: 'Moreau', externalId } });
    const here = { locationId: billing.northId };
    for (const chart of ['A-1', 'A-2', 'A-1']) await createLink(billing.practice.live, { ...of(chart), ...here });
    const { text } = await frontDesk.get(at('moreau'));
    const cards = text.split('<section class="card">').slice(1);
    const counts = cards.map((card) => [/Chart number (A-\d)/.exec(card)?.[1], card.match(/\/links\/plink_/g)?.length]);
    expect(counts).to.deep.equal([
      ['A-1', 2],
      ['A-2', 1],
    ]);
  });

  it('a link under the chart number of a patient of another name says its own name', async () => {
    const { practice, northId, path } = billing;
    const of = (firstName: string, locationId: string) =>
      createLink(practice.live, { patient: { firstName, lastName: 'Same', externalId: '77-A' }, locationId });
    const older = await of('Ben', northId);
    await of('Ana', practice.locationId);
    const { text } = await frontDesk.get(at('77-A'));
    expect(text).to.match(/<h2><bdi>Ana Same</);
    expect(text).to.match(new RegExp(`href="${path}/links/${older.id}"[^]*?</a> <bdi>Ben Same</bdi>`));
    expect(text.match(/<bdi>Ana Same</g)).to.have.length(1);
  });

  it('a search says in which data and locations it looked, and if there are more matches than it reads', async () => {
    const limited = await as('front_desk', [billing.northId]);
    expect((await limited.get(at('nuñ'))).text).to.include('Matches for “nuñ” in live data, at North only.');
    expect((await frontDesk.get(at('nuñ'))).text).to.include('Matches for “nuñ” in live data.');
    const many = await createLink(billing.practice.live, { amount: 41, locationId: billing.northId });
    await service.query(
      `insert into payment_links select (jsonb_populate_record(l, jsonb_build_object('id', left(l.id, -5) || 'z' || lpad(n::text, 4, '0'),
         'token', l.token || n))).* from payment_links l, generate_series(1, 500) as n where l.id = $1`,
      [many.id],
    );
    expect((await frontDesk.get(at('$41'))).text).to.include('more matches than a search reads');
  });

  it('suggestions name the patients of the own locations, lead to them, and are searches of the audit log', async () => {
    const suggest = async (q: string, browser: ConsoleBrowser, rest: Record<string, string> = {}) => {
      const { text } = await browser.get(`${billing.path}/search?${new URLSearchParams({ q, suggest: '1', ...rest })}`);
      return JSON.parse(text).patients;
    };
    const patient = { name: 'María Núñez', detail: '(202) 555-0199 · Chart number MRN 7 · Waiting', q: linkId };
    for (const q of ['maría nuñ', 'MRN 7', '2025550199'])
      expect(await suggest(q, frontDesk), q).to.deep.equal([patient]);
    const [entry] = await service.query<{ after: object }>(
      `select after from audit_log where practice_id = $1 and action = 'search.listed' order by id desc limit 1`,
      [billing.practice.practiceId],
    );
    expect(entry?.after).to.deep.include({ rows: 1, term: 'phone' });
    expect(await suggest('nuñ', await as('front_desk', [billing.practice.locationId]))).to.deep.equal([]);
    expect(await suggest('hopper', frontDesk, { to: 'new' })).to.deep.include({
      ...{ name: 'Ada Hopper', detail: 'Paid', q: paidId },
    });
  });

  it('a search for a new link leads to its form with the entries about the only patient, and else offers each patient', async () => {
    const toNew = (q: string) => `${at(q)}&to=new`;
    const form = `${billing.path}/links/new?patient=${linkId}`;
    expect((await frontDesk.get(toNew('MRN 7'))).location).to.equal(form);
    const { text } = await frontDesk.get(form);
    for (const value of ['María', 'Núñez', '+12025550199', 'maria.n@example.com', 'MRN 7'])
      expect(text).to.include(`value="${value}"`);
    expect(text).to.not.match(/77\.50|INV-7|name="replaces"/);
    const many = await frontDesk.get(toNew('a'));
    expect(many.location, 'others are further down').to.equal(null);
    expect(many.text).to.include(`href="${billing.path}/links/new?patient=`);
    const elsewhere = await as('front_desk', [billing.practice.locationId]);
    expect((await elsewhere.get(form)).text).to.not.include('Núñez');
    const viewer = await as('viewer');
    expect((await viewer.get(toNew('MRN 7'))).text).to.not.include('/links/new');
  });

  it('a search finds nothing of other locations, practices and modes', async () => {
    const limited = await as('billing', [billing.northId]);
    for (const q of ['hopper', '8431', '$1,250', receipt, paidId]) {
      expect(await found(q, limited), q).to.deep.equal([]);
    }
    const other = await billingPractice(service);
    const stranger = await signedInAs(service, other.practice.practiceId, 'owner');
    for (const path of [other.path, billing.path.replace('/live', '/test')]) {
      const browser = path === other.path ? stranger : billingClerk;
      for (const q of ['hopper', '8431', '$77.50', receipt, linkId]) {
        const { status, text } = await browser.get(`${path}/search?${new URLSearchParams({ q })}`);
        expect([status, text.includes('Nothing matches')], q).to.deep.equal([200, true]);
      }
    }
  });

  it('a number that belongs to a patient of another location hides no amount', async () => {
    const { practice, northId } = billing;
    const patient = { firstName: 'Ada', lastName: 'Chart', externalId: '6413' };
    await createLink(practice.live, { patient, locationId: northId });
    const { id } = await createLink(practice.live, { amount: 6_413, locationId: practice.locationId });
    expect(await found('6413', await as('front_desk', [practice.locationId]))).to.deep.equal([id]);
  });

  it('a long result leads to the lists, which keep the search on all their pages and with a further filter', async () => {
    const copied = await paid(billing, 'Many', { amount: 31 });
    await copyPayment(billing, copied, 70);
    expect(await found('$31')).to.have.length(25);
    for (const kind of ['links', 'payments']) {
      expect((await billingClerk.get(at('$31'))).text).to.include(`href="${billing.path}/${kind}?q=%2431"`);
      const texts = await pagesFrom(billingClerk, `${billing.path}/${kind}?q=%2431`);
      const rows = texts.flatMap((text) => [...text.matchAll(new RegExp(`/${kind}/(plink_\\w+)"`, 'g'))]);
      expect(new Set(rows.map(([, id]) => id)).size, kind).to.equal(71);
    }
    const settled = await billingClerk.get(`${billing.path}/payments?q=%2431&state=refunded`);
    expect(settled.text).to.include('type="hidden" name="q" value="$31"').and.include('Nothing matches the filter');
  });

  it('each search is one entry of the audit log with the kind of its text, and without the text', async () => {
    await billingClerk.get(at('hopper'));
    await billingClerk.get(at('$1,250'));
    const entries = await service.query<{ after: object }>(
      `select after from audit_log where practice_id = $1 and action = 'search.listed' order by id desc limit 2`,
      [billing.practice.practiceId],
    );
    const common = { mode: 'live', filters: ['q'], rows: 1, locationIds: null };
    expect(entries.map(({ after }) => after)).to.deep.equal([
      { ...common, term: 'amount' },
      { ...common, term: 'name_or_reference' },
    ]);
  });
});
