import { expect } from 'chai';
import fc from 'fast-check';
import pg from 'pg';
import { archiveLinks } from '../../src/payment-links/archive-links.ts';
import { createRefund } from '../../src/payment-links/refund/create-refund.ts';
import { simulateDisputeOpening } from '../../src/payment-links/simulate/sandbox-dispute.ts';
import { archive, archivedIds, archiving, expectAgreement, rowsOfLinks } from '../harness/archive.ts';
import { type PayableLink, Payments } from '../harness/payments.ts';
import { until } from '../harness/processes.ts';
import { type TestPractice, TestService } from '../harness/service.ts';

const ALL = `select archived from archive_links('', 'plink_z', '2100-01-01', 500)`;

describe('a link that is archived and changed at once', function () {
  this.timeout(120_000);
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
    await archive(service);
  });

  afterEach(async () => {
    await other.end().catch(() => undefined);
    await service.close();
  });

  /** Creates paid links that can be archived. */
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

  const refund = (link: PayableLink, cents: number) =>
    createRefund(service.scope(), payments.sandbox, link.id, cents, 'goodwill');

  const isWaited = () =>
    until(
      async () =>
        (
          await payments.rows(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).length > 0,
      () => 'nobody waits for the link',
    );

  it('a refund that waits for the move of its link to the archive finds it there', async () => {
    const [link] = await paid(1);
    if (link === undefined) return expect.fail();
    await other.query('begin');
    expect((await other.query(ALL)).rows).to.deep.equal([{ archived: 1 }]);
    const refunding = refund(link, 1_000);
    await isWaited();
    await other.query('commit');
    expect((await refunding).status).to.equal('succeeded');
    expect(await archivedIds(service)).to.deep.equal([]);
    await expectAgreement(service);
  });

  it('a refund that waits for the move of its link from the archive finds it there', async () => {
    const [link] = await paid(1);
    if (link === undefined) return expect.fail();
    expect(await archive(service)).to.equal(1);
    await other.query('begin');
    await other.query('select restore_links($1)', [[link.id]]);
    const refunding = refund(link, 1_000);
    await isWaited();
    await other.query('commit');
    expect((await refunding).status).to.equal('succeeded');
    await expectAgreement(service);
  });

  it('a link that another transaction has locked is left out, and the others are archived', async () => {
    const links = await paid(2);
    await other.query('begin');
    await other.query('select from payment_links where id = $1 for update', [links[0]?.id]);
    expect(await archive(service)).to.equal(1);
    expect(await archivedIds(service)).to.deep.equal([links[1]?.id]);
    await other.query('rollback');
    expect(await archive(service)).to.equal(1);
  });

  it('a connection that dies during a move, to the archive or back, leaves each link where it was', async () => {
    const links = await paid(3);
    const before = await rowsOfLinks(service);
    const die = async (statement: string) => {
      const dying = new pg.Client({ connectionString: service.config.databaseUrl });
      dying.on('error', () => undefined);
      await dying.connect();
      const { rows } = await dying.query('select pg_backend_pid() as pid');
      await dying.query(`begin; ${statement}`);
      await other.query('select pg_terminate_backend($1, 10000)', [rows[0].pid]);
      await dying.end().catch(() => undefined);
    };
    await die(ALL);
    expect(await archivedIds(service)).to.deep.equal([]);
    expect(await rowsOfLinks(service)).to.deep.equal(before);
    expect(await archive(service)).to.equal(3);
    await die(`select restore_links('{${links.map(({ id }) => id).join()}}')`);
    expect(await archivedIds(service)).to.have.length(3);
    expect(await rowsOfLinks(service)).to.deep.equal(before);
    await expectAgreement(service);
  });

  it('refunds and disputes beside workers that archive all happen once, and every total stays right', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('refund', 'dispute', 'read', 'archive'), { minLength: 12, maxLength: 24 }),
        async (acts) => {
          const links = await paid(4);
          const expected = new Map<string, number>();
          await Promise.all(
            acts.map(async (act, index) => {
              const link = links[index % links.length] ?? expect.fail();
              if (act === 'archive') await payments.rows(ALL);
              else if (act === 'read') {
                const { status } = await practice.live.get(`/api/v1/payment-links/${link.id}`);
                expect(status, 'a read never misses a link on its way').to.equal(200);
              } else if (act === 'refund') {
                expected.set(link.id, (expected.get(link.id) ?? 0) + 1);
                await refund(link, 10 + index);
              } else {
                const evidenceDueBy = new Date('2040-01-01T00:00:00.000Z');
                const input = { reason: 'fraudulent', amountCents: 100, evidenceDueBy };
                // A second one is refused while one is open.
                await simulateDisputeOpening(service.scope(), payments.sandbox, link.id, input).catch((error) => {
                  if (error.code !== 'validation_error') throw error;
                });
              }
            }),
          );
          for (const { id } of links) {
            const { body } = await practice.live.get(`/api/v1/payment-links/${id}`);
            expect(body.refunds.length, id).to.equal(expected.get(id) ?? 0);
          }
          await expectAgreement(service);
        },
      ),
      { numRuns: 5, endOnFailure: true },
    );
    await archiveLinks(archiving(service), 180);
  });
});
