import { expect } from 'chai';
import { Registry } from 'prom-client';
import { addDatabaseMetrics } from '../../src/metrics/database-metrics.ts';
import { createProcessMetrics } from '../../src/metrics/process-metrics.ts';
import { archiveLinks, SHORTEST_ARCHIVE_DAYS } from '../../src/payment-links/archive-links.ts';
import { createRefund } from '../../src/payment-links/refund/create-refund.ts';
import { archivedIds, archiving, expectAgreement } from '../harness/archive.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { type PayableLink, Payments } from '../harness/payments.ts';
import { createLink, type TestPractice, TestService } from '../harness/service.ts';

describe('the walk of the job that archives links', function () {
  this.timeout(60_000);
  const captured = new CapturedLog();
  let service: TestService;
  let practice: TestPractice;
  let payments: Payments;

  beforeEach(async () => {
    service = await TestService.start({ log: captured.log });
    practice = await service.practice();
    payments = new Payments(service);
    await payments.rows('select attach_archive(null)');
  });

  afterEach(() => service.close());

  /** Creates paid links, and lets half a year pass. */
  async function paid(count: number): Promise<PayableLink[]> {
    const links: PayableLink[] = [];
    for (let made = 0; made < count; made++) {
      const link = await payments.link(practice, { amount: 100 });
      await payments.pay(link, 'card_success');
      links.push(link);
    }
    service.clock.advance({ days: 200 });
    await payments.sweep();
    return links;
  }

  const run = (days: number | null = SHORTEST_ARCHIVE_DAYS, shouldContinue?: () => boolean) =>
    archiveLinks(archiving(service), days, shouldContinue);

  /** Sets the time of the next question to the processor. While it is set, the link is not final. */
  const setReconcileAt = (link: PayableLink | undefined, at: string | null) =>
    payments.rows('update transactions set reconcile_at = $2 where payment_link_id = $1', [link?.id, at]);

  /** Lets one batch or single link be archived. */
  const once = () => {
    let asked = 0;
    return () => ++asked <= 1;
  };

  it('a walk that has ended begins again a day later, and finds what has become final', async () => {
    const [late, first] = await paid(2);
    await setReconcileAt(late, '2040-01-01');
    expect(await run()).to.equal(1);
    await setReconcileAt(late, null);
    expect(await run()).to.equal(0);
    service.clock.advance({ hours: 23 });
    expect(await run()).to.equal(0);
    service.clock.advance({ hours: 1 });
    expect(await run()).to.equal(1);
    expect(await archivedIds(service)).to.deep.equal([late?.id, first?.id].toSorted());
  });

  it('a run goes on where the last one ended, also a day later, and does not look again at what it passed', async () => {
    const [passed, next] = await paid(2);
    // One by one, because a row is refused: the first step is the batch, the second one the first link.
    await payments.rows(`alter table archive.payment_links add constraint refusal check (id <> '${passed?.id}')`);
    let asked = 0;
    expect(await run(undefined, () => ++asked <= 2)).to.equal(0);
    await payments.rows('alter table archive.payment_links drop constraint refusal');
    service.clock.advance({ days: 2 });
    expect(await run(undefined, once())).to.equal(1);
    expect(await archivedIds(service)).to.deep.equal([next?.id]);
    // The walk ends, and the next one begins, because two days have passed.
    expect([await run(), await run()]).to.deep.equal([0, 1]);
    expect(await archivedIds(service)).to.deep.equal([passed?.id, next?.id].toSorted());
  });

  it('a run that dies loses no link: the next one begins where the last complete one ended', async () => {
    await paid(2);
    const die = () => {
      throw new Error('the worker died');
    };
    let asked = 0;
    const error = await run(undefined, () => ++asked <= 1 || die()).catch((error: unknown) => error);
    expect(error).to.have.property('message', 'the worker died');
    expect(await archivedIds(service), 'its batch was committed').to.have.length(2);
    const more = await payments.link(practice, { amount: 100 });
    await payments.pay(more, 'card_success');
    service.clock.advance({ days: 200 });
    await payments.sweep();
    expect(await run()).to.equal(1);
    await expectAgreement(service);
  });

  it('another number of days begins a walk at once', async () => {
    await paid(1);
    expect([await run(300), await run(300), await run(180)]).to.deep.equal([0, 0, 1]);
  });

  it('a run looks at few links where few are due, and goes on behind them', async () => {
    const young: string[] = [];
    for (let made = 0; made < 25; made++) young.push((await createLink(practice.test)).id);
    const due = await createLink(practice.test);
    await practice.test.post(`/api/v1/payment-links/${due.id}/cancel`);
    const next = async (after: string) =>
      (
        await payments.rows<{ archived: number; last_id: string | null }>(
          `select * from archive_links($1, 'plink_z', '2100-01-01', 1)`,
          [after],
        )
      )[0];
    const order = young.toSorted();
    expect(await next('')).to.deep.equal({ archived: 0, last_id: order[19] });
    expect(await next(order[19] ?? '')).to.deep.equal({ archived: 1, last_id: due.id });
    expect(await next(due.id)).to.deep.equal({ archived: 0, last_id: null });
  });

  it('a link that the database refuses is logged and counted once a day', async () => {
    const registry = createProcessMetrics('worker', { version: '0', commit: '0' }, async () => ({
      total: 0,
      idle: 0,
      waiting: 0,
    }));
    const [refused, other] = await paid(2);
    await payments.rows(`alter table archive.payment_links add check (id <> '${refused?.id}')`);
    captured.lines.length = 0;
    const seen = () => captured.take('the link could not be archived').map(({ paymentLinkId }) => paymentLinkId);
    expect([await run(), await run(), await run()]).to.deep.equal([1, 0, 0]);
    expect(seen()).to.deep.equal([refused?.id]);
    service.clock.advance({ days: 1 });
    expect([await run(), await run()]).to.deep.equal([0, 0]);
    expect(seen()).to.deep.equal([refused?.id]);
    if (other === undefined) return expect.fail();
    await createRefund(service.scope(), payments.sandbox, other.id, 100, 'goodwill');
    const counts = await registry.metrics();
    expect(counts).to.match(/^paylinks_archive_links_archived_total 1$/m);
    expect(counts).to.match(/^paylinks_archive_links_not_archived_total\{reason="refused"\} 2$/m);
    expect(counts).to.match(/^paylinks_archive_links_restored_total 1$/m);
  });

  it('a link that the database refuses keeps out no other one, however far away the next due link is', async () => {
    const made = [];
    for (let count = 0; count < 27; count++) made.push(await createLink(practice.test));
    const ids = made.map(({ id }) => id);
    const [refused, due] = [ids.at(0), ids.at(-1)];
    for (const id of ids) await practice.test.post(`/api/v1/payment-links/${id}/cancel`);
    service.clock.advance({ days: 200 });
    await payments.rows('update payment_links set closed_at = $2 where id = any ($1)', [
      ids.slice(1, -1),
      service.clock.now(),
    ]);
    await payments.rows(`alter table archive.payment_links add check (id <> '${refused}')`);
    expect(await run()).to.equal(1);
    expect(await archivedIds(service)).to.deep.equal([due]);
  });

  it('the age of the walk is a metric while links are archived, and only then', async () => {
    const age = async () => {
      const registry = new Registry();
      await addDatabaseMetrics(registry, () => service.scope())();
      const metrics = await registry.metrics();
      expect(metrics).to.include('paylinks_database_up 1');
      return /^paylinks_archive_walk_age_seconds (\d+)$/m.exec(metrics)?.[1];
    };
    expect(await age()).to.equal(undefined);
    await run();
    service.clock.advance({ hours: 5 });
    await run();
    expect(await age()).to.equal('18000');
    service.clock.advance({ hours: 19 });
    await run();
    expect(await age()).to.equal('0');
    await run(null);
    expect(await age()).to.equal(undefined);
  });
});

describe('counts and totals of archived links', function () {
  this.timeout(60_000);
  let service: TestService;
  let practice: TestPractice;
  let payments: Payments;

  beforeEach(async () => {
    service = await TestService.start();
    practice = await service.practice();
    payments = new Payments(service);
    await payments.rows('select attach_archive(null)');
  });

  afterEach(() => service.close());

  /** Returns a closed link, which is paid or cancelled. */
  async function closed(outcome: 'paid' | 'cancelled'): Promise<string> {
    const { id } = await createLink(practice.test);
    if (outcome === 'paid') await practice.test.post(`/api/v1/payment-links/${id}/simulate`, { outcome });
    else await practice.test.post(`/api/v1/payment-links/${id}/cancel`);
    return id;
  }

  const changes = async () =>
    (
      await payments.rows<{ changes: number }>(
        `select ((select count(*) from list_changes) + (select count(*) from payment_total_changes))::integer as changes`,
      )
    )[0]?.changes;

  it('links that the job archives stay in all counts and totals, and write no change of them', async () => {
    await closed('paid');
    await closed('cancelled');
    const before = await changes();
    await payments.rows(`select archive_links('', 'plink_z', '2100-01-01', 100)`);
    expect(await archivedIds(service)).to.have.length(2);
    expect(await changes()).to.equal(before);
    await expectAgreement(service);
  });

  it('links that any other statement moves or deletes are counted by triggers, also right after the job', async () => {
    const [moved, deleted, archived] = [await closed('cancelled'), await closed('cancelled'), await closed('paid')];
    await payments.rows(`do $$ begin
      perform archive_links('${deleted}', 'plink_z', '2100-01-01', 100);
      with gone as (delete from only payment_links where id = '${moved}' returning *)
        insert into archive.payment_links select * from gone;
      delete from payment_links where id = '${deleted}';
    end $$`);
    expect(await archivedIds(service)).to.deep.equal([moved, archived].toSorted());
    await expectAgreement(service);
    const list = await practice.test.get('/api/v1/payment-links');
    expect(list.body.totalCount).to.equal(2);
  });
});
