import { expect } from 'chai';
import { acceptInvitation } from '../../src/console/identity/people/accept.ts';
import { removeMember, renamePerson } from '../../src/console/identity/people/members.ts';
import { inTransaction } from '../../src/platform/database/query/transaction.ts';
import { audit } from '../../src/practices/audit/audit.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { idempotent, linkBody } from '../harness/service.ts';
import { addMember, type ConsoleBrowser, pagesFrom, signedInAs } from './console.ts';

describe('the audit log', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  let path: string;
  let browser: ConsoleBrowser;

  before(async () => {
    path = `/console/${practice.practiceId}/audit-log`;
    browser = await signedInAs(service, practice.practiceId, 'owner', { email: 'ada@elm.example' });
    await browser.post(`/console/${practice.practiceId}/people`, {
      email: 'eve@elm.example',
      role: 'viewer',
      reach: 'all',
    });
  });

  /** Returns the acts that a page lists, as "actor: act". */
  const rows = (text: string) =>
    [
      ...text.matchAll(
        /<\/time><\/td>\s*<td class="named"[^>]*><bdi>([^<]*)<\/bdi>[\s\S]*?<\/td>\s*<td[^>]*>([^<]*)</g,
      ),
    ].map(([, who, act]) => `${who}: ${act}`);

  /** Writes entries of the operator about tests with ascending numbers. */
  const addEntries = (count: number, act: { action: string; before?: object; after?: object }) =>
    inTransaction(service.scope(), async (scope) => {
      for (let i = 0; i < count; i++) {
        const target = { kind: 'test', id: `${i}` };
        audit(scope, { kind: 'operator' }, { practiceId: practice.practiceId, target, ...act });
      }
    });

  it('the audit log shows the acts of people and of the operator, newest first, with what they changed', async () => {
    const { text } = await browser.get(path);
    expect(rows(text)).to.deep.equal([
      'ada@elm.example: Invited a person',
      'ada@elm.example: Signed in',
      'ada@elm.example: Accepted an invitation',
      'Operator of the service: Invited a person',
    ]);
    expect(text)
      .to.include('127.0.0.1')
      .and.to.match(/role: <bdi>viewer<\/bdi>/);
  });

  it('the audit log shows a name that looks like a time as it is', async () => {
    const other = await service.practice();
    const owner = await signedInAs(service, other.practiceId, 'owner');
    await owner.post('/console/account/name', { 'person-name': '2030-99-99T9Z' });
    const log = `/console/${other.practiceId}/audit-log`;
    expect((await owner.get(log)).text).to.include('2030-99-99T9Z');
    expect((await owner.post(`${log}/export`)).text).to.include('2030-99-99T9Z');
  });

  it('the audit log shows no name that a person has elsewhere only, and goes on showing that of the day of the removal', async () => {
    const practiceId = (await service.practice()).practiceId;
    const elsewhere = await addMember(service, practiceId, 'owner', { email: 'known@elm.example' });
    await renamePerson(service.scope(), { kind: 'person', id: elsewhere.personId, address: null }, 'Knox Elsewhere');
    const other = await service.practice();
    const owner = await signedInAs(service, other.practiceId, 'owner');
    const people = `/console/${other.practiceId}/people`;
    await owner.post(people, { email: 'known@elm.example', role: 'viewer', reach: 'all' });
    const log = async () => (await owner.get(`/console/${other.practiceId}/audit-log`)).text;
    expect(await log())
      .to.include('known@elm.example')
      .and.to.not.include('Knox');
    const [invitation] = await service.query<{ id: string }>('select id from invitations where practice_id = $1', [
      other.practiceId,
    ]);
    const member = await acceptInvitation(service.scope(), invitation ?? { refusals: [] });
    expect(await log()).to.include('Knox');
    await removeMember(service.scope(), { kind: 'operator' }, member);
    await renamePerson(service.scope(), { kind: 'person', id: elsewhere.personId, address: null }, 'Newname');
    const { text } = await owner.get(`/console/${other.practiceId}/audit-log`);
    expect(rows(text), 'as the one who acted').to.include('Knox Elsewhere (known@elm.example): Accepted an invitation');
    expect(text, 'as the object of the removal').to.match(
      /Removed a person<br>.*<bdi>Knox Elsewhere \(known@elm.example\)/,
    );
    expect(text, 'a name that was given elsewhere since').to.not.include('Newname');
  });

  it('a person whose removal recorded no name is shown by the mail address', async () => {
    const { practiceId } = await service.practice();
    const person = await addMember(service, practiceId, 'viewer', { email: 'early@elm.example' });
    await service.query('delete from memberships where practice_id = $1 and person_id = $2', [
      practiceId,
      person.personId,
    ]);
    const owner = await signedInAs(service, practiceId, 'owner');
    const { text } = await owner.get(`/console/${practiceId}/audit-log`);
    expect(rows(text)).to.include('early@elm.example: Accepted an invitation');
  });

  it('views and searches are shown by the filter only, so that they hide no act, also in the file', async () => {
    const { practiceId } = await service.practice();
    const owner = await signedInAs(service, practiceId, 'owner', { email: 'v@elm.example' });
    const log = `/console/${practiceId}/audit-log`;
    await owner.get(`/console/${practiceId}/live/links`);
    await owner.get(`/console/${practiceId}/live/payments`);
    const list = async (filter = '') =>
      rows((await owner.get(`${log}${filter}`)).text).map((row) => row.split(': ')[1]);
    const acts = ['Signed in', 'Accepted an invitation', 'Invited a person'];
    const views = ['Viewed a list of payments', 'Viewed a list of payment links'];
    expect(await list()).to.deep.equal(acts);
    expect(await list('?action=views')).to.deep.equal(views);
    expect(await list('?action=all')).to.deep.equal([...views, ...acts]);
    expect(await list('?action=links.listed')).to.deep.equal(views.slice(1));
    expect(await list('?action=views&actor=operator')).to.deep.equal([]);
    const file = async (filter = '') => (await owner.post(`${log}/export${filter}`)).text;
    expect(await file())
      .to.include('Signed in')
      .and.not.include('Viewed');
    expect(await file('?action=views'))
      .to.include('Viewed a list of payments')
      .and.not.include('Signed in');
  });

  it('the audit log is filtered by actor, act and day', async () => {
    const list = async (filter: string) => rows((await browser.get(`${path}?${filter}`)).text).length;
    expect(await list('actor=ada@elm.example')).to.equal(3);
    expect(await list('actor=operator')).to.equal(1);
    expect(await list('actor=nobody@elm.example')).to.equal(0);
    expect(await list('action=member.invited')).to.equal(2);
    expect(await list('action=member.removed')).to.equal(0);
    expect(await list('day=2030-06-15')).to.equal(4);
    expect(await list('day=2030-06-16&actor=operator')).to.equal(0);
    for (const nonsense of ['day=yesterday', 'day=9999-99-99', 'start=1%27', 'actor=a&actor=b']) {
      expect(await list(nonsense), nonsense).to.equal(4);
    }
  });

  it('the audit log shows what a key did by the name of the key, in the file by its id, and is filtered by the id', async () => {
    const { body } = await practice.test.post(
      '/api/v1/payment-links',
      linkBody({ amount: 12, locationId: practice.locationId }),
      idempotent(),
    );
    const [key] = await service.query<{ id: string; end: string }>(
      `update api_keys set name = 'Recall' where practice_id = $1 and test returning id, last_four as end`,
      [practice.practiceId],
    );
    const { text } = await browser.get(`${path}?actor=${key?.id}`);
    expect(rows(text)).to.deep.equal([`API key Recall (…${key?.end}): Created a payment link`]);
    expect(text).to.include(`Payment link ${body.id}`).and.not.include('Byron');
    // Two keys may have one name.
    const file = await browser.post(`${path}/export?actor=${key?.id}`);
    expect(file.text).to.include(`"API key ${key?.id}"`);
  });

  it('the audit log has pages, which together show each entry once, with the filter kept', async () => {
    await addEntries(120, { action: 'test.made' });
    const texts = await pagesFrom(browser, `${path}?actor=operator`);
    const seen = texts.flatMap((text) => [...text.matchAll(/<bdi>test (\d+)<\/bdi>/g)].map(([, id]) => id));
    expect(seen).to.deep.equal(Array.from({ length: 120 }, (_, i) => `${119 - i}`));
    expect(texts[1], 'the link to the newest entries').to.include(`href="${path}?actor=operator"`);
  });

  it('the audit log is exported as CSV with the filter, whole, and without a formula in any cell', async () => {
    await addEntries(1_500, { action: '=HYPERLINK("x")', after: { email: '@evil' } });
    const { headers, text } = await browser.post(`${path}/export?actor=operator`);
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).to.equal('attachment; filename="audit-log-2030-06-15.csv"');
    const lines = text.trimEnd().split('\r\n');
    expect(lines.filter((line) => line.includes('HYPERLINK'))).to.have.length(1_500);
    expect(lines.at(-1)).to.include('Invited a person');
    expect(lines[1]).to.include(`,"'=HYPERLINK(""x"")","'@evil",`);
    const own = await browser.post(`${path}/export?actor=ada@elm.example`);
    expect(own.text.trimEnd().split('\r\n')).to.have.length(4);
  });

  it('the audit log of another practice has none of these entries', async () => {
    const other = await service.practice();
    const stranger = await signedInAs(service, other.practiceId, 'owner', { email: 'z@oak.example' });
    const { text } = await stranger.get(`/console/${other.practiceId}/audit-log?actor=ada@elm.example`);
    expect(rows(text)).to.deep.equal([]);
    const own = await stranger.get(`/console/${other.practiceId}/audit-log`);
    expect(rows(own.text)).to.deep.equal([
      'z@oak.example: Signed in',
      'z@oak.example: Accepted an invitation',
      'Operator of the service: Invited a person',
    ]);
  });

  it('entries can be neither changed, deleted nor emptied, not even by a statement in the database', async () => {
    for (const statement of [
      `update audit_log set action = 'x'`,
      'delete from audit_log',
      'truncate audit_log',
      'truncate audit_log cascade',
    ]) {
      const failed = await service.query(statement).catch((error: Error) => error.message);
      expect(failed, statement).to.equal('audit entries are never changed or deleted');
    }
  });

  it('a change has its fields with the values before and after, as programs know them', async () => {
    const before = { enabledEvents: ['ping'], state: { a: 1 }, name: 'Same' };
    const after = {
      enabledEvents: [],
      state: null,
      name: 'Same',
      amountCents: 12_550,
      walletsEnabled: false,
      by: '<b>',
    };
    await addEntries(1, { action: 'endpoint.changed', before, after });
    await addEntries(1, {
      action: 'key.created',

      after: { scopes: ['payment_links:read', 'events:read'] },
    });
    const { text } = await browser.get(`${path}?actor=operator`);
    const shown = [...text.matchAll(/class="change">(.*?)<\/p>/g)].map(([, change = '']) =>
      change.replaceAll(/<\/?bdi>/g, ''),
    );
    expect(shown.slice(0, 6)).to.deep.equal([
      'scopes: payment_links:read, events:read',
      'enabledEvents: ping → –',
      'state: {&quot;a&quot;:1} → –',
      'amountCents: – → 12550',
      'walletsEnabled: – → false',
      'by: – → &lt;b&gt;',
    ]);
  });
});
