import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { Payments } from '../harness/payments.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A statement that inserts, updates or deletes rows of links or of what belongs to them. */
const WRITE =
  /(?:update|insert into|delete from) (?:payment_links|payment_attempts|transactions|refunds|disputes|bank_reversals|page_openings)\b/g;

/**
 * Files with such statements besides `write_links`, and why a change that was read before cannot undo what they write. Either they
 * raise the version of the link, or they write columns that are no state.
 */
const WRITERS: Readonly<Record<string, string>> = {
  'src/payment-links/store/create-links.sql': 'a new link has its first version',
  'src/payment-links/checkout/service.ts': 'counts openings of the page, which are no state',
  'src/payment-links/upkeep/erase-patient.ts': 'raises the version of every link',
  'src/payment-links/payments/submission-mark.ts': 'a work mark: a process submits the attempt',
  'src/payment-links/payments/reconcile.ts': 'a claim postpones the next question by at most an hour, and asks at once',
  'src/payment-links/upkeep/retention.ts': 'the record of an authorisation, which no change writes again',
};

describe('the version of a link', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  const payments = new Payments(service);

  const versionOf = async (id: string) =>
    (await service.query<{ version: number }>('select version from payment_links where id = $1', [id]))[0]?.version;

  it('nothing but the write of changes writes the state of links, and every other statement on their tables is known', () => {
    const files = globSync('src/**/*.{ts,sql}', { cwd: ROOT }).filter(
      (path) =>
        !path.startsWith('src/platform/database/schema.sql') && readFileSync(`${ROOT}/${path}`, 'utf8').match(WRITE),
    );
    expect(files.sort()).to.deep.equal(['src/payment-links/store/write-links.sql', ...Object.keys(WRITERS)].sort());
  });

  it('no trigger writes what the write of changes has left out', async () => {
    const triggers = await service.query(
      `select tgname from pg_trigger where not tgisinternal and tgrelid in ('payment_links'::regclass,
         'payment_attempts'::regclass, 'transactions'::regclass, 'refunds'::regclass, 'disputes'::regclass,
         'bank_reversals'::regclass)`,
    );
    expect(triggers).to.deep.equal([]);
  });

  it('each change of a link or its payment raises the version once, and marks of work do not', async () => {
    const link = await payments.link(practice);
    expect(await versionOf(link.id)).to.equal(1);
    expect(await payments.pay(link, 'card_success')).to.equal('accepted');
    // The attempt, its reference and its outcome.
    expect(await versionOf(link.id)).to.equal(4);
    await payments.refund(link);
    // The refund and its success.
    expect(await versionOf(link.id)).to.equal(6);
    await service.query(`update transactions set reconcile_at = $2 where payment_link_id = $1`, [
      link.id,
      service.clock.now(),
    ]);
    await payments.sweep();
    // The answer sets the time of the next question, which a pending refund depends on. The claim of the sweep raised nothing.
    expect(await versionOf(link.id)).to.equal(7);
  });
});
