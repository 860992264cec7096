import { expect } from 'chai';
import { ALL_OWED, listOwed } from '../../src/payment-links/billing/list-owed.ts';
import { requestReceipt } from '../../src/payment-links/checkout/receipt.ts';
import { stateEvent } from '../../src/payment-links/state/events.ts';
import { linkRef } from '../../src/payment-links/store/port.ts';
import { postgres } from '../../src/payment-links/store/postgres.ts';
import { decideWrite } from '../../src/payment-links/store/writes.ts';
import { erasePatient } from '../../src/payment-links/upkeep/erase-patient.ts';
import { OperatorError } from '../../src/platform/base/errors.ts';
import { MIGRATIONS } from '../../src/platform/database/schema-files.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { type PayableLink, Payments } from '../harness/payments.ts';
import { runPaylinks } from '../harness/processes.ts';
import { createLink, idempotent, linkBody, SECRETS_KEY, type TestPractice } from '../harness/service.ts';
import { personalLink } from '../secrets/canaries.ts';

/** Details of the patient, and words of the links, each with a value that occurs nowhere else. */
const { externalReference: _, patient: PATIENT, ...WORDS } = personalLink();
const RECEIPT = 'receipt@aviary.example';
const CANARIES = [...Object.values(PATIENT), WORDS.description, WORDS.metadata.note, RECEIPT];

/** The only table that keeps the bytes that receivers got. */
const PAYLOADS = 'webhook_deliveries';

describe('paylinks patients erase', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const payments = new Payments(service);

  beforeEach(async () => {
    for (const client of [practice.live, practice.test])
      await client.post('/api/v1/webhook-endpoints', { url: 'https://receiver.example/hook' });
  });

  const rows = <Row extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
    service.query<Row>(text, values);

  const paylinks = (...args: string[]) =>
    runPaylinks(['patients', 'erase', ...args], {
      ...process.env,
      ...{ DATABASE_URL: service.config.databaseUrl, PROCESSOR: 'sandbox', SECRETS_KEY },
    });

  const erase = (subject: Parameters<typeof erasePatient>[1]) =>
    erasePatient({ ...service.scope(), actor: { kind: 'operator' } }, subject);

  const cancel = ({ id }: { id: string }) => practice.live.post(`/api/v1/payment-links/${id}/cancel`, {});

  /** Returns the tables of the practice in which a canary stands. */
  async function tablesWithCanaries(canaries: readonly string[] = CANARIES): Promise<string[]> {
    const tables = await rows<{ name: string }>(
      `select table_schema || '.' || quote_ident(table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const hits = await rows(`select from ${name} t where row_to_json(t)::text ilike any ($1) limit 1`, [
        canaries.map((canary) => `%${canary}%`),
      ]);
      if (hits.length > 0) found.push(name.replace('public.', ''));
    }
    return found.toSorted();
  }

  async function paid(overrides: Record<string, unknown> = {}): Promise<PayableLink> {
    const link = await payments.link(practice, { patient: PATIENT, ...WORDS, ...overrides });
    await payments.pay(link, 'card_success');
    return link;
  }

  it('the words about a patient are in no table afterwards, but for bytes that receivers got; money, events and numbers stay', async () => {
    const link = await paid({ externalReference: 'invoice-7' });
    await payments.refund(link, 2_000);
    const order = { email: RECEIPT, language: 'en', limitAddress: '203.0.113.9' } as const;
    expect(await requestReceipt(service.scope(), link.token, order)).to.equal('queued');
    // A reader of test events, and a link of the test mode.
    await practice.test.get('/api/v1/test-helpers/events');
    const test = await createLink(practice.test, { patient: PATIENT, ...WORDS });
    await practice.test.post(`/api/v1/payment-links/${test.id}/simulate`, { outcome: 'paid' });
    const body = linkBody({ patient: PATIENT, ...WORDS });
    const headers = idempotent();
    const created = await practice.live.post('/api/v1/payment-links', body, headers);
    await cancel(created.body);
    const facts = () =>
      rows(
        `select l.id, l.status, l.amount_cents, l.external_reference, l.created_at, l.paid_at, l.closed_at, t.payment_number, t.fee_cents,
           t.payment_method_last4, (select json_agg(r order by r.id) from refunds r where r.payment_link_id = l.id) as refunds,
           (select json_agg(json_build_array(d.id, d.payload) order by d.id) from ${PAYLOADS} d where d.payment_link_id = l.id) as events
         from payment_links l left join transactions t on t.payment_link_id = l.id where l.practice_id = $1 order by l.id`,
        [practice.practiceId],
      );
    const before = await facts();
    expect(await tablesWithCanaries()).to.include.members([
      ...['idempotent_replies', 'patients', 'payment_links', 'receipt_requests', 'test_events', PAYLOADS],
    ]);
    const { code, stdout, stderr } = await paylinks(
      ...['--practice', practice.practiceId, '--external-id', PATIENT.externalId, '--json'],
    );
    expect([code, stderr]).to.deep.equal([0, '']);
    const { practiceId } = practice;
    expect(JSON.parse(stdout)).to.deep.equal({
      practiceId,
      links: 3,
      records: 1,
      replies: 3,
      receipts: 1,
      payloads: 4,
    });
    expect(await tablesWithCanaries()).to.deep.equal([PAYLOADS]);
    expect(await facts()).to.deep.equal(before);
    const seen = (await practice.live.get(`/api/v1/payment-links/${link.id}`)).body;
    expect(seen.patient).to.deep.equal({
      ...{ firstName: 'Erased', lastName: 'Patient', phone: null, email: null, externalId: null },
    });
    expect([seen.description, seen.metadata, seen.status]).to.deep.equal(['Erased', null, 'paid']);
    // The repetition finds its link, and makes no second one.
    const replayed = await practice.live.post('/api/v1/payment-links', body, headers);
    expect([replayed.status, replayed.body.id, replayed.body.patient]).to.deep.equal([
      ...[201, created.body.id, seen.patient],
    ]);
    const acts = await rows<{ actor: string; target: string; values: string | null }>(
      `select actor_kind as actor, target_id as target, coalesce(before, after)::text as values from audit_log
       where practice_id = $1 and action = 'patient.erased' order by target_id`,
      [practiceId],
    );
    expect(acts).to.deep.equal(
      [link.id, test.id, created.body.id].toSorted().map((target) => ({ actor: 'operator', target, values: null })),
    );
  });

  it('a repeated test helper and the reason of a refund have no word about the patient', async () => {
    const canaries = { patient: { ...PATIENT, firstName: 'Redpoll' }, description: 'Crown for a redpoll' };
    const test = await createLink(practice.test, canaries);
    await practice.test.post(`/api/v1/payment-links/${test.id}/simulate`, { outcome: 'paid' });
    const headers = idempotent();
    const refund = () =>
      practice.test.post(`/api/v1/test-helpers/payment-links/${test.id}/refund`, { amount: 5 }, headers);
    expect((await refund()).body.patient.firstName).to.equal('Redpoll');
    const link = await paid(canaries);
    await payments.refund(link, 2_000, 'The redpoll moved away');
    await erase({ practiceId: practice.practiceId, externalId: PATIENT.externalId });
    await rows(`delete from ${PAYLOADS} where practice_id = $1`, [practice.practiceId]);
    const again = await refund();
    expect([again.status, again.headers['idempotency-replayed']]).to.deep.equal([200, 'true']);
    expect(again.text).to.not.match(/redpoll/i);
    expect(await tablesWithCanaries(['redpoll'])).to.deep.equal([]);
  });

  it('later events and replays of an erased link have no word about the patient', async () => {
    const link = await paid({ patient: { ...PATIENT, firstName: 'Bluebird' }, description: 'Crown for a bluebird' });
    await erase({ linkId: link.id });
    await rows(`delete from ${PAYLOADS} where practice_id = $1`, [practice.practiceId]);
    await payments.refund(link, 2_000);
    const endpoint = (await practice.live.get('/api/v1/webhook-endpoints')).body.data[0];
    const since = new Date(service.clock.now().getTime() - 3_600_000).toISOString();
    const replay = await practice.live.post(`/api/v1/webhook-endpoints/${endpoint.id}/replay`, { since });
    expect(replay.body.freshCount).to.equal(1);
    expect(await payments.events(link)).to.have.members(['refunded', 'paid']);
    expect(await tablesWithCanaries(['bluebird'])).to.deep.equal([]);
  });

  it('a change that was read before the erasure is stale, and neither it nor its event brings a word back', async () => {
    const link = await paid();
    const scope = service.scope();
    const [read] = await postgres.read(scope, [linkRef(link.id)]);
    if (!read) throw new Error('the link exists');
    await erase({ practiceId: practice.practiceId, externalId: PATIENT.externalId });
    const { write } = decideWrite(scope, read, (draft) => draft.addEvent(stateEvent(read.state)));
    if (write === null) throw new Error('an event is written');
    expect(await postgres.write(scope, [write], null)).to.deep.equal([{ outcome: 'stale' }]);
    expect((await practice.live.get(`/api/v1/payment-links/${link.id}`)).body.description).to.equal('Erased');
  });

  it('an erased patient owes nothing, because nobody can call; what others owe stays', async () => {
    const viewer = { practiceId: practice.practiceId, test: false, locationIds: null };
    const owedIds = async () => (await listOwed(service.scope(), viewer, ALL_OWED, null, 9)).rows.map(({ id }) => id);
    const expiresAt = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
    const expired = await payments.link(practice, { patient: PATIENT, ...WORDS, expiresAt });
    const other = await payments.link(practice, { expiresAt });
    const returned = await payments.link(practice, { patient: PATIENT, ...WORDS });
    await payments.pay(returned, 'bank_returns');
    service.clock.advance({ days: 25 });
    await payments.sweep();
    expect(await owedIds()).to.have.members([expired.id, returned.id, other.id]);
    await erase({ linkId: expired.id });
    expect(await owedIds()).to.deep.equal([other.id]);
    const settled = await rows<{ id: string }>(
      `select target_id as id from audit_log where action = 'link.settled' and actor_kind = 'operator'`,
    );
    expect(settled.map(({ id }) => id)).to.have.members([expired.id, returned.id]);
  });

  it('the upgrade settles what patients owe who were erased before it, and nothing that others paid or owe', async () => {
    const [migration] = MIGRATIONS.filter(({ name }) => name.startsWith('0143'));
    const expiresAt = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
    const expired = await payments.link(practice, { patient: PATIENT, ...WORDS, expiresAt });
    const returned = await payments.link(practice, { patient: PATIENT, ...WORDS });
    await payments.pay(returned, 'bank_returns');
    const stays = [await paid(), await payments.link(practice, { expiresAt })];
    await payments.link(practice, {
      patient: { firstName: 'Erased', lastName: 'Patient' },
      description: 'Erased',
      expiresAt,
    });
    service.clock.advance({ days: 25 });
    await payments.sweep();
    await erase({ linkId: expired.id });
    await rows('delete from link_resolutions');
    for (let run = 0; run < 2; run++) await rows(migration?.text ?? '');
    const settled = await rows<{ id: string; reason: string }>(
      'select payment_link_id as id, reason from link_resolutions where practice_id = $1',
      [practice.practiceId],
    );
    expect(settled).to.have.deep.members([expired, returned].map(({ id }) => ({ id, reason: 'written_off' })));
    expect(settled.map(({ id }) => id)).to.not.include.members(stays.map(({ id }) => id));
  });

  it('nothing is erased while a link can still be paid, and the message names the link and the next step', async () => {
    await paid();
    const active = await payments.link(practice, { patient: PATIENT, ...WORDS });
    const args = ['--practice', practice.practiceId, '--external-id', PATIENT.externalId];
    const { code, stdout, stderr } = await paylinks(...args);
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.include(active.id).and.include('paylinks links cancel');
    expect(stderr).to.not.include(PATIENT.externalId);
    expect((await practice.live.get(`/api/v1/payment-links/${active.id}`)).body.patient).to.deep.equal(PATIENT);
    await cancel(active);
    expect((await paylinks(...args)).code).to.equal(0);
    // Erased patients are not found by their chart number.
    const again = await paylinks(...args);
    expect([again.code, again.stderr.includes('not_found')]).to.deep.equal([1, true]);
  });

  it('by a link, its patient is erased with all links; families with that telephone and other practices keep theirs', async () => {
    const { externalId: _, ...withoutChart } = PATIENT;
    // The record has no chart number, and a later link with one matches it by telephone.
    const first = await paid({ patient: withoutChart });
    const second = await paid();
    const child = await paid({ patient: { ...PATIENT, firstName: 'Pipit', externalId: 'MRN-CHILD' } });
    const other = await service.practice();
    const elsewhere = await createLink(other.live, { patient: PATIENT });
    const { links, records } = await erase({ linkId: second.id });
    expect([links, records]).to.deep.equal([2, 1]);
    const nameOf = async (client: TestPractice['live'], id: string) =>
      (await client.get(`/api/v1/payment-links/${id}`)).body.patient.firstName;
    expect([await nameOf(practice.live, first.id), await nameOf(practice.live, second.id)]).to.deep.equal([
      ...['Erased', 'Erased'],
    ]);
    expect(await nameOf(practice.live, child.id)).to.equal('Pipit');
    expect(await nameOf(other.live, elsewhere.id)).to.equal(PATIENT.firstName);
    let error: unknown;
    await erasePatient(service.scope(), { linkId: elsewhere.id }).catch((thrown) => {
      error = thrown;
    });
    expect(error).to.be.instanceOf(OperatorError);
  });

  it('the patient is named in one way: by practice and chart number, or by a link', async () => {
    for (const args of [[], ['--practice', 'prac_1'], ['--link', 'plink_1', '--external-id', 'x']]) {
      const { code, stderr } = await paylinks(...args);
      expect([code, stderr.includes('--link alone')]).to.deep.equal([2, true]);
    }
    expect((await paylinks('--link', 'plink_unknown')).stderr).to.include('not_found');
  });
});
