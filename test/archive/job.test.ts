import { expect } from 'chai';
import pg from 'pg';
import { archiveLinks, SHORTEST_ARCHIVE_DAYS } from '../../src/payment-links/archive-links.ts';
import { createRefund } from '../../src/payment-links/refund/create-refund.ts';
import { ARCHIVED_TABLES, archive, archivedIds, archiving, expectAgreement } from '../harness/archive.ts';
import { type PayableLink, Payments } from '../harness/payments.ts';
import { until } from '../harness/processes.ts';
import { type TestPractice, TestService } from '../harness/service.ts';

describe('the job that archives links', () => {
  let service: TestService;
  let practice: TestPractice;
  let payments: Payments;
  let other: pg.Client;

  beforeEach(async () => {
    service = await TestService.start();
    practice = await service.practice();
    payments = new Payments(service);
    other = new pg.Client({ connectionString: service.config.databaseUrl });
    other.on('error', () => undefined);
    await other.connect();
  });

  afterEach(async () => {
    await other.end();
    await service.close();
  });

  /** Creates and pays a link for each practice, and lets half a year pass. */
  async function paid(...practices: TestPractice[]): Promise<PayableLink[]> {
    const links: PayableLink[] = [];
    for (const owner of practices) {
      const link = await payments.link(owner, { amount: 100 });
      await payments.pay(link, 'card_success');
      links.push(link);
    }
    service.clock.advance({ days: 200 });
    await payments.sweep();
    return links;
  }

  const run = (shouldContinue?: () => boolean) =>
    archiveLinks(archiving(service), SHORTEST_ARCHIVE_DAYS, shouldContinue);

  it('a link with a locked row stops no other link, whatever row it is', async () => {
    const busy = await service.practice();
    const [patient, attempt, free, last] = await paid(busy, practice, practice, practice);
    await archive(service, 36_500);
    await other.query('begin');
    await other.query('select from patients where practice_id = $1 for update', [busy.practiceId]);
    await other.query('select from payment_attempts where payment_link_id = $1 for update', [attempt?.id]);
    expect(await run()).to.equal(2);
    expect(await archivedIds(service)).to.deep.equal([free?.id, last?.id].toSorted());
    await other.query('rollback');
    service.clock.advance({ days: 1 });
    expect(await run()).to.equal(2);
    expect(await archivedIds(service)).to.include(patient?.id);
    await expectAgreement(service);
  });

  it('a link that the archive refuses stops no other link', async () => {
    const [refused, free] = await paid(practice, practice);
    await archive(service, 36_500);
    // A rule of the database that one row breaks.
    await payments.rows(`alter table archive.payment_links add check (id <> '${refused?.id}')`);
    expect(await run()).to.equal(1);
    expect(await archivedIds(service)).to.deep.equal([free?.id]);
    await expectAgreement(service);
  });

  it('a run that must end does not go on with the single links of a batch that failed', async () => {
    const [refused] = await paid(practice, practice, practice);
    await archive(service, 36_500);
    await payments.rows(`alter table archive.payment_links add check (id <> '${refused?.id}')`);
    let asked = 0;
    // Once for the batch, and once for each link.
    expect(await run(() => ++asked < 4)).to.equal(1);
    expect(await run()).to.equal(1);
  });

  it('a run without a database ends with its error', async () => {
    await paid(practice);
    await archive(service, 36_500);
    await payments.rows(`create function out_of_memory() returns trigger language plpgsql as
      $$ begin raise sqlstate '53200'; end $$`);
    await payments.rows(
      'create trigger fails before insert on archive.payment_links for each row execute function out_of_memory()',
    );
    const error = await run().catch((error: unknown) => error);
    expect(error).to.have.property('code', '53200');
    expect(await archivedIds(service)).to.deep.equal([]);
  });

  it('a late change needs no right on an archive that holds nothing of the link', async () => {
    const [link] = await paid(practice);
    if (link === undefined) return expect.fail();
    await payments.rows('alter schema archive rename to elsewhere');
    await createRefund(service.scope(), payments.sandbox, link.id, 100, 'goodwill');
    const { body } = await practice.live.get(`/api/v1/payment-links/${link.id}`);
    expect(body.refunds).to.have.length(1);
  });

  /** Returns the tables with statistics of themselves and their children together. */
  const knownTogether = async () =>
    (
      await payments.rows<{ name: string }>(
        `select distinct tablename as name from pg_stats where inherited and schemaname = 'public' order by 1`,
      )
    ).map(({ name }) => name);

  /** Returns the number of archived links that the planner knows of. */
  const known = async () =>
    (
      await payments.rows<{ known: number }>(
        `select reltuples::integer as known from pg_class where oid = 'archive.payment_links'::regclass`,
      )
    )[0]?.known;

  it('the planner knows the tables together when they are attached, and the archive when it is filled and as it grows', async () => {
    await payments.rows(`alter table archive.payment_links set (autovacuum_enabled = false)`);
    await paid(practice, practice);
    expect(await knownTogether()).not.to.include('payment_links');
    expect(await run()).to.equal(0);
    expect(await knownTogether()).to.include.members(['payment_links', 'payment_attempts', 'transactions']);
    expect(await run()).to.equal(2);
    expect(await known()).to.equal(2);
    await paid(practice);
    expect(await run()).to.equal(1);
    expect(await known(), 'one more is little').to.equal(2);
    await paid(practice, practice);
    expect(await run()).to.equal(2);
    expect(await known()).to.equal(5);
  });

  it('a run that meets a locked table keeps the tables that it attached, and the archive is filled when all are', async () => {
    await paid(practice);
    // As a vacuum against wraparound locks it: it does not give way.
    await other.query('begin; lock table transactions in share update exclusive mode');
    const attached = () =>
      payments.rows(`select from pg_inherits where inhrelid::regclass::text like 'archive.%' limit 7`);
    expect([await run(), (await attached()).length]).to.deep.equal([0, ARCHIVED_TABLES.length - 1]);
    await other.query('rollback');
    expect([await run(), (await attached()).length]).to.deep.equal([0, ARCHIVED_TABLES.length]);
    expect(await run()).to.equal(1);
  });

  it('a table that is locked for a moment, as by autovacuum, is attached by the same run', async () => {
    await other.query('begin; lock table transactions in share update exclusive mode');
    const first = run();
    const isWaited = () =>
      payments.rows(`select from pg_locks where not granted and relation = 'transactions'::regclass`);
    await until(
      async () => (await isWaited()).length > 0,
      () => 'nobody waits for the table',
    );
    await other.query('rollback');
    await first;
    const apart = `select from pg_class c where relnamespace = 'archive'::regnamespace and relkind = 'r'
      and not exists (select from pg_inherits where inhrelid = c.oid)`;
    expect(await payments.rows(apart)).to.deep.equal([]);
  });
});
