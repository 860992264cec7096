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

  /** Returns the ids of links and payments that the page of a search lists. */
  const found = async (q: string, browser = billingClerk) => {
    const { status, text } = await browser.get(at(q));
    expect(status, q).to.equal(200);
    const ids = (kind: string) => [...text.matchAll(new RegExp(`href="[^"]*/${kind}/(plink_\\w+)"`, 'g'))];
    return { links: ids('links').map(([, id]) => id), payments: ids('payments').map(([, id]) => id) };
  };

  // The test of the list of links searches by everything else, with the same service.
  it('a search finds links by name, and payments by name, amount, receipt number and the last four digits of the card', async () => {
    expect(await found('nuñ')).to.deep.equal({ links: [linkId], payments: [] });
    for (const q of ['hopper', '$1,250', '1250.00']) {
      expect(await found(q), q).to.deep.equal({ links: [paidId], payments: [paidId] });
    }
    expect(await found('8431')).to.deep.equal({ links: [], payments: [paidId] });
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
      for (const q of searches) expect((await found(q)).links, `${lastName} by ${q}`).to.include(id);
      for (const q of others) expect((await found(q)).links, `${lastName} by ${q}`).to.not.include(id);
    }
  });

  it('references and chart numbers are found as a whole, whatever their case, accents, blanks and hyphens', async () => {
    const patient = { firstName: 'Ada', lastName: 'Blankson   ', externalId: 'Pe\u0301rez\u00a07' };
    const owed = { externalReference: 'FAC‑Ñ-12', patient, locationId: billing.northId };
    const { id } = await createLink(billing.practice.live, owed);
    for (const q of ['fac-ñ-12', 'FAC N 12', 'FACN\u030312', 'pérez 7', 'PEREZ-7', 'Blankson   ', 'blankson']) {
      expect((await found(q)).links, q).to.include(id);
    }
    for (const q of ['fac', 'fac-ñ-1', 'perez']) expect((await found(q)).links, q).to.not.include(id);
  });

  it('a text of signs alone finds nothing, and signs of the query language are text', async () => {
    for (const q of ["'", '-', '\u0301', '&', "a:* | 'b", '\\', '!', '( )', ':*', '\u200b']) {
      expect(await found(q), q).to.deep.equal({ links: [], payments: [] });
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

  it('people without the right to see payments find links alone, and developers have no search', async () => {
    expect(await found('hopper', frontDesk)).to.deep.equal({ links: [paidId], payments: [] });
    expect(await found('8431', frontDesk)).to.deep.equal({ links: [], payments: [] });
    expect((await frontDesk.get(at('hopper'))).text).to.not.match(/>Payments<|8431|last four/);
    const developer = await as('developer');
    expect((await developer.get(at('hopper'))).status).to.equal(403);
    const home = `/console/${billing.practice.practiceId}`;
    expect((await developer.get(home)).text).to.not.include('role="search"');
    expect((await frontDesk.get(home)).text).to.include(`role="search" method="get" action="${billing.path}/search"`);
  });

  it('a search finds nothing of other locations, practices and modes', async () => {
    const limited = await as('billing', [billing.northId]);
    for (const q of ['hopper', '8431', '$1,250', receipt, paidId]) {
      expect(await found(q, limited), q).to.deep.equal({ links: [], payments: [] });
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

  it('a long result leads to the lists, which keep the search on all their pages and with a further filter', async () => {
    const copied = await paid(billing, 'Many', { amount: 31 });
    await copyPayment(billing, copied, 70);
    const { links, payments } = await found('$31');
    expect([links.length, payments.length]).to.deep.equal([8, 8]);
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
    const common = { mode: 'live', filters: ['q'], rows: 2, locationIds: null };
    expect(entries.map(({ after }) => after)).to.deep.equal([
      { ...common, term: 'amount' },
      { ...common, term: 'name_or_reference' },
    ]);
  });
});
