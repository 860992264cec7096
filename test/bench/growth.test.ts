import { expect } from 'chai';
import { fill, oldestDelivered } from '../../scripts/growth/fill.ts';
import { fillLinks } from '../../scripts/growth/fill-links.ts';
import { oldestInPartitions, partitionEmpty, replacementOf, replaceWeeks } from '../../scripts/growth/partition.ts';
import { purgeOldDeliveries } from '../../src/webhooks/events/retention.ts';
import { ARCHIVED_TABLES, archive, expectAgreement } from '../harness/archive.ts';
import { query } from '../harness/database.ts';
import { deliveriesByPartition, expectSound } from '../harness/partitions.ts';
import { TestService } from '../harness/service.ts';

const DELIVERIES = 3_000;
const LINKS = 2_000;

/** Objects that belong to both tables. */
const DEFINITIONS = `
  select kind, name, statement from unnest(array['webhook_deliveries', 'webhook_attempts']) as t, definitions_of_table(t)
  order by kind, name`;

describe('the database of make growth', function () {
  this.timeout(120_000);
  let service: TestService;

  beforeEach(async () => {
    service = await TestService.start();
  });

  afterEach(() => service.close());

  async function filled(now: Date, deliveredSince: Date): Promise<void> {
    const { databaseUrl } = service.config;
    const filling = { deliveries: DELIVERIES, practices: 4, receiver: 'http://127.0.0.1:9/', now, deliveredSince };
    const before = await query(databaseUrl, DEFINITIONS);
    const practices = await fill(databaseUrl, filling, () => undefined);
    expect(practices.map(({ endpointIds }) => endpointIds.length)).to.deep.equal([3, 3, 3, 3]);
    expect(await query(databaseUrl, DEFINITIONS)).to.deep.equal(before);
    await expectSound(service);
    const [row] = await query(databaseUrl, 'select count(*)::integer as deliveries from webhook_deliveries');
    expect(row).to.deep.equal({ deliveries: DELIVERIES });
  }

  it('the database of make growth agrees with its rules, and retention deletes nothing of it', async () => {
    const now = new Date();
    await filled(now, oldestDelivered(now));
    service.clock.set(now.toISOString());
    expect(await purgeOldDeliveries(service.scope())).to.equal(false);
    const [row] = await query(service.config.databaseUrl, 'select count(*)::integer as left from webhook_deliveries');
    expect(row).to.deep.equal({ left: DELIVERIES });
  });

  it('closed links of make growth beside its deliveries agree with its rules, and half of them are due for the archive', async () => {
    const { databaseUrl } = service.config;
    const definitions = `select t, kind, name, statement from unnest($1::text[]) as t, definitions_of_table(t) order by 1, 2, 3`;
    const before = await query(databaseUrl, definitions, [ARCHIVED_TABLES]);
    const now = new Date();
    service.clock.set(now.toISOString());
    const contents = { deliveries: DELIVERIES, practices: 4, receiver: 'http://127.0.0.1:9/', now };
    const practices = await fill(databaseUrl, { ...contents, deliveredSince: oldestDelivered(now) }, () => undefined);
    await fillLinks(databaseUrl, { links: LINKS, practices, now }, () => undefined);
    expect(await query(databaseUrl, definitions, [ARCHIVED_TABLES])).to.deep.equal(before);
    await expectAgreement(service);
    const [row] = await query(
      databaseUrl,
      `select count(*)::integer as links, count(paid_at)::integer as paid from payment_links`,
    );
    expect(row).to.deep.equal({ links: LINKS, paid: (LINKS * 3) / 4 });
    expect(await archive(service)).to.be.within(0.45 * LINKS, 0.55 * LINKS);
    await expectAgreement(service);
  });

  it('the partitioned database of make growth has weeks whose oldest one is replaced next', async () => {
    const now = new Date();
    const { databaseUrl } = service.config;
    await partitionEmpty(databaseUrl, now);
    await filled(now, oldestInPartitions(now));
    const before = await deliveriesByPartition(service);
    expect(before).not.to.have.any.keys('default', 'first');
    // Drops empty partitions, and replaces none.
    await replaceWeeks(databaseUrl, now);
    expect(await deliveriesByPartition(service)).to.deep.equal(before);
    await replaceWeeks(databaseUrl, replacementOf(now));
    const after = Object.keys(await deliveriesByPartition(service));
    expect(after.filter((name) => !(name in before))).to.have.length(1);
    await expectSound(service);
  });
});
