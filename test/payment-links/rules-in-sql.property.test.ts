import { expect } from 'chai';
import fc from 'fast-check';
import { createLinkForOffice } from '../../src/payment-links/api/create.ts';
import { parseLinkInput } from '../../src/payment-links/api/input.ts';
import { PaymentLink } from '../../src/payment-links/model/payment-link.entity.ts';
import {
  LINK,
  type LinkStatus,
  overdueSql,
  statusAt,
  TRANSACTION,
  type TransactionStatus,
} from '../../src/payment-links/model/transitions.ts';
import { STATE_EVENT_TYPE, stateEvent } from '../../src/payment-links/state/events.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { createLink, linkBody } from '../harness/service.ts';

const seed = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);
const STATUSES = Object.keys(LINK) as LinkStatus[];
const TRANSACTION_STATUSES = Object.keys(TRANSACTION) as TransactionStatus[];

describe(`rules that TypeScript and SQL both state (FC_SEED=${seed})`, function () {
  this.timeout(120_000);
  const service = useService();
  const practice = madeOnce(() => service.practice());
  const rows = <Row extends object>(text: string, values: unknown[] = []) => service.query<Row>(text, values);

  it('a link in any state is overdue to the SQL of lists and to the ORM exactly when it is to TypeScript', async () => {
    const { id } = await createLink(practice.live);
    const attemptId = newId('paymentAttempt', service.clock.now());
    await rows(
      `insert into payment_attempts (id, practice_id, payment_link_id, status, processor, processor_account_id,
         method_type, amount_cents, currency, created_at, reconcile_at)
       values ($1, $2, $3, 'open', 'sandbox', 'acct', 'card', 100, 'usd', now(), now())`,
      [attemptId, practice.practiceId, id],
    );
    const state = fc.record({
      status: fc.constantFrom(...STATUSES),
      hasOpenAttempt: fc.boolean(),
      expiresInMs: fc.oneof(fc.constantFrom(-1, 0, 1), fc.integer({ min: -1_000_000, max: 1_000_000 })),
    });
    await fc.assert(
      fc.asyncProperty(state, async ({ status, hasOpenAttempt, expiresInMs }) => {
        const now = service.clock.now();
        await rows(
          `update payment_links set status = $2, open_attempt_id = $3, expires_at = $4,
             paid_at = case when $2 = 'paid' then $5::timestamptz end,
             closed_at = case when $2 <> 'active' then $5::timestamptz end
           where id = $1`,
          [id, status, hasOpenAttempt ? attemptId : null, new Date(now.getTime() + expiresInMs), now],
        );
        const { em } = service.scope();
        const visible = statusAt(await em.findOneOrFail(PaymentLink, { id }), now);
        const isOverdue = status === 'active' && visible === 'expired';
        const [inSql] = await rows(
          `select ${overdueSql('$2').join(' and ')} as overdue from payment_links where id = $1`,
          [id, now],
        );
        expect(inSql).to.deep.equal({ overdue: isOverdue });
      }),
      // The moment of the expiry is rare among random states.
      { seed, numRuns: 60, examples: [[{ status: 'active', hasOpenAttempt: false, expiresInMs: 0 }]] },
    );
  });

  it('the event type of every state of link and transaction is the same in SQL and TypeScript', async () => {
    const states: { status: LinkStatus; payment: TransactionStatus | null }[] = [
      ...TRANSACTION_STATUSES.map((payment) => ({ status: 'paid' as const, payment })),
      ...STATUSES.filter((status) => status !== 'active' && status !== 'paid').map((status) => ({
        status,
        payment: null,
      })),
    ];
    for (const { status, payment } of states) {
      const [row] = await rows<{ type: string }>(
        `select ${STATE_EVENT_TYPE} as type from (select $1::text as status) as l, (select $2::text as status) as t`,
        [status, payment],
      );
      const closedBy = { active: null, paid: null, expired: 'system', cancelled: 'api' } as const;
      const event = stateEvent({
        link: { id: 'plink_1', status, closedBy: closedBy[status] },
        transaction:
          payment === null ? null : { status: payment, failureReason: payment === 'failed' ? 'declined' : null },
      });
      expect(event.type, `${status}, ${payment}`).to.equal(row?.type);
    }
  });

  it('a link gets the same patient record from the API, in SQL, and from the office', async () => {
    const externalIds = ['chart-1', 'chart-2'];
    const phones = ['+14155550101', '+14155550102'];
    const patient = fc.record({
      externalId: fc.constantFrom(null, 'chart-3', ...externalIds),
      phone: fc.constantFrom(null, '+14155550103', ...phones),
    });
    const other = await service.practice();
    for (const { practiceId } of [practice, other]) {
      for (const [index, externalId] of externalIds.entries()) {
        await rows(
          `insert into patients (id, practice_id, external_id, first_name, last_name, phone, created_at)
           values ($1, $2, $3, 'Ada', 'Byron', $4, now())`,
          [newId('patient', service.clock.now()), practiceId, externalId, phones[index]],
        );
      }
    }
    await fc.assert(
      fc.asyncProperty(patient, fc.boolean(), async (named, test) => {
        const body = { patient: { firstName: 'Ada', lastName: 'Byron', ...named } };
        const { id: fromApi } = await createLink(test ? practice.test : practice.live, body);
        const input = parseLinkInput({ amount: 1, description: 'Cleaning', ...body });
        const owner = { id: practice.practiceId, test };
        const { id: fromOffice } = await createLinkForOffice(service.scope(), owner, 'staff', input);
        const found = await rows<{ patient_id: string | null; practice_id: string | null }>(
          `select l.patient_id, p.practice_id from payment_links l left join patients p on p.id = l.patient_id
           where l.id = any ($1)`,
          [[fromApi, fromOffice]],
        );
        expect(found[0]).to.deep.equal(found[1]);
        const isKnown = externalIds.includes(named.externalId ?? '') || phones.includes(named.phone ?? '');
        expect(found[0]?.practice_id ?? null).to.equal(isKnown && !test ? practice.practiceId : null);
      }),
      // An unknown patient of a live link is rare among random ones.
      { seed, numRuns: 40, examples: [[{ externalId: 'chart-3', phone: '+14155550103' }, false]] },
    );
  });

  it('a created link has the same row whether the API or the office creates it', async () => {
    const body = {
      ...linkBody({ externalReference: 'visit-1', metadata: { b: '1', a: '2' } }),
      patient: { firstName: 'Ada', lastName: 'Byron', phone: '+14155550199', email: 'ada@example.org' },
    };
    const { id: fromApi } = await createLink(practice.live, body);
    const input = parseLinkInput({ amount: 125.5, description: 'Cleaning', ...body });
    const { id: fromOffice } = await createLinkForOffice(
      service.scope(),
      { id: practice.practiceId, test: false },
      'staff',
      input,
    );
    const [api, office] = await rows<{ row: Record<string, unknown> }>(
      `select row_to_json(l) as row from payment_links l where id = any ($1) order by source`,
      [[fromApi, fromOffice]],
    );
    expect({ ...office?.row, id: fromApi, token: api?.row.token, source: 'api' }).to.deep.equal(api?.row);
  });
});
