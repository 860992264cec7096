import type { EntityManager } from '@mikro-orm/postgresql';
import { expect } from 'chai';
import type { Refund } from '../../../src/payment-links/model/after-payment.entity.ts';
import { PaymentLink } from '../../../src/payment-links/model/payment-link.entity.ts';
import type { AttemptState, TransactionState } from '../../../src/payment-links/state/state.ts';
import type { LinkRead, LinkStore, LinkWrite } from '../../../src/payment-links/store/port.ts';
import { postgres } from '../../../src/payment-links/store/postgres.ts';
import { newId } from '../../../src/platform/base/ids.ts';
import type { Scope } from '../../../src/platform/base/scope.ts';
import { sqlState } from '../../../src/platform/base/sql-state.ts';
import { UNIQUE_VIOLATION } from '../../../src/platform/database/query/errors.ts';
import { deliveryRows } from '../../../src/webhooks/events/publish.ts';
import { madeOnce, useService } from '../../harness/fixtures.ts';
import { createEndpoint, ENDPOINTS } from '../../harness/webhooks.ts';
import { newLink } from '../../simulator/world.ts';
import { CATALOGUE, CATALOGUE_QUERY, TABLES } from './constraints.ts';
import { MemoryStore } from './memory.ts';

const NOW = new Date('2030-01-02T00:00:00.000Z');

/** A store to test, with what its tests need beside it. */
interface Subject {
  store: LinkStore;
  scope: () => Scope;
  owner: { practiceId: string; locationId: string };
  create: (link: PaymentLink) => Promise<void>;
  /** Disables or enables the endpoint of the practice. */
  changeEndpoint: (isEnabled: boolean) => Promise<void>;
}

describe('the store of links', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  let endpointId: string;

  before(async () => {
    endpointId = (await createEndpoint(practice.live, 'http://127.0.0.1:9/hook')).id;
  });

  const memoryStore = new MemoryStore({ wait: () => new Promise(setImmediate) });
  const em = { fork: () => em } as unknown as EntityManager;
  const subjects: Record<string, () => Subject> = {
    memory: () => ({
      store: memoryStore,
      scope: () => ({ em: { fork: () => em } }) as unknown as Scope,
      owner: { practiceId: 'prac_1', locationId: 'loc_1' },
      create: async (link) => memoryStore.create(link, { id: 'loc_1', name: 'Downtown' }),
      async changeEndpoint(isEnabled) {
        const status = isEnabled ? 'enabled' : 'disabled';
        memoryStore.setEndpoints('prac_1', [{ id: endpointId, status, locationId: null, enabledEvents: [] }]);
      },
    }),
    PostgreSQL: () => ({
      store: postgres,
      scope: () => service.scope(),
      owner: { practiceId: practice.practiceId, locationId: practice.locationId },
      create: async (link) => {
        await service.scope().em.insert(PaymentLink, { ...link });
      },
      async changeEndpoint(enabled) {
        await practice.live.patch(`${ENDPOINTS}/${endpointId}`, { enabled });
      },
    }),
  };

  for (const [name, subjectOf] of Object.entries(subjects)) {
    describe(`in ${name}`, () => {
      let subject: Subject;
      let link: PaymentLink;

      beforeEach(async () => {
        subject = subjectOf();
        link = await created();
        await subject.changeEndpoint(true);
      });

      async function created(fields: Partial<PaymentLink> = {}): Promise<PaymentLink> {
        const made = { ...newLink(subject.owner), ...fields };
        await subject.create(made);
        return made;
      }

      async function read(id = link.id, scope = subject.scope()): Promise<LinkRead> {
        const [found] = await subject.store.read(scope, [{ id, viewer: null }]);
        if (!found) throw new Error(`there is no link ${id}`);
        return found;
      }

      /** A write of nothing but what is given. */
      function writeOf({ state, stamp }: LinkRead, write: Partial<LinkWrite>): LinkWrite {
        const { id: linkId, practiceId } = state.link;
        const none = { inserted: [], updated: [] };
        const rows = { attempts: none, transactions: none, reversals: none, refunds: none, disputes: none };
        const nothing = { fields: null, patient: null, ...rows, events: [], mails: [], audit: [] };
        return { linkId, practiceId, stamp: { ...stamp, subscriptions: null }, ...nothing, ...write };
      }

      async function written(write: LinkWrite, scope = subject.scope()): Promise<string> {
        const [result] = await subject.store.write(scope, [write], null);
        return result?.outcome ?? 'none';
      }

      /** Returns the SQLSTATE with which the write fails; null if it is written. */
      const refusal = (write: LinkWrite) => written(write).then(() => null, sqlState);

      function attemptOf({ id, practiceId }: PaymentLink, fields: Partial<AttemptState> = {}): AttemptState {
        const attemptId = newId('paymentAttempt', NOW);
        return {
          ...{ id: attemptId, practiceId, paymentLinkId: id, status: 'open', processor: 'sandbox' },
          ...{ processorAccountId: 'acct_1', processorReference: null, methodType: 'card', amountCents: 1_000 },
          ...{ currency: 'usd', failureReason: null, createdAt: NOW, closedAt: null, reconcileAt: NOW, ...fields },
        };
      }

      function paymentOf({ id, practiceId }: PaymentLink, attemptId: string): TransactionState {
        return {
          ...{ id: newId('transaction', NOW), practiceId, paymentLinkId: id, status: 'succeeded', amountCents: 1_000 },
          ...{ feeCents: null, netCents: null, paymentMethodType: 'card', paymentMethodBrand: null, attemptId },
          ...{ paymentMethodLast4: null, failureReason: null, processedAt: NOW, statementDescriptor: null },
          ...{ returnedAt: null, reconcileAt: null, createdAt: NOW },
        };
      }

      function refundOf({ id: transactionId, practiceId, paymentLinkId }: TransactionState): Refund {
        return {
          ...{
            id: newId('refund', NOW),
            practiceId,
            paymentLinkId,
            transactionId,
            amountCents: 400,
            status: 'pending',
          },
          ...{ reason: null, processorReference: null, bankReversalId: null, createdAt: NOW },
          ...{ test: false, paidAt: NOW, locationId: null, paymentMethodType: 'card' },
        };
      }

      const PAID = { status: 'paid', paidAt: NOW, closedAt: NOW } as const;

      /** A link that is paid, with its payment. */
      async function paid(): Promise<TransactionState> {
        const attempt = attemptOf(link, { status: 'accepted', closedAt: NOW, reconcileAt: null });
        const payment = paymentOf(link, attempt.id);
        const rows = { attempts: insert(attempt), transactions: insert(payment) };
        expect(await written(writeOf(await read(), { fields: PAID, ...rows }))).to.equal('written');
        return payment;
      }

      it('a link is read by its id or that of an attempt, in the order of the question, and only by who may see it', async () => {
        const other = await created();
        const attempt = attemptOf(link, { status: 'cancelled', closedAt: NOW, reconcileAt: null });
        await written(writeOf(await read(), { fields: {}, attempts: insert(attempt) }));
        const { practiceId, locationId } = link;
        const seen = { practiceId, test: false, locationId: null };
        const refs = [
          { id: other.id, viewer: null },
          { id: newId('paymentLink', NOW), viewer: null },
          { id: attempt.id, viewer: null },
          { id: link.id, viewer: seen },
          { id: link.id, viewer: { ...seen, locationId } },
          { id: link.id, viewer: { ...seen, locationId: 'loc_other' } },
          { id: link.id, viewer: { ...seen, test: true } },
          { id: link.id, viewer: { ...seen, practiceId: 'prac_other' } },
        ];
        const found = await subject.store.read(subject.scope(), refs);
        expect(found.map((each) => each?.state.link.id ?? null)).to.deep.equal([
          ...[other.id, null, link.id, link.id, link.id, null, null, null],
        ]);
        // A closed attempt belongs to the state if it is named.
        expect(found.map((each) => each?.state.attempts.length ?? null)).to.deep.equal([
          ...[0, null, 1, 0, 0, null, null, null],
        ]);
      });

      it('a state has its open, doubtful and accepted attempts, its latest payment, and rows in the order of time', async () => {
        const earlier = new Date(NOW.getTime() - 1);
        const doubtful = attemptOf(link, { status: 'cancelled', closedAt: NOW });
        const accepted = attemptOf(link, { status: 'accepted', closedAt: NOW, reconcileAt: null, createdAt: earlier });
        const payment = paymentOf(link, accepted.id);
        const refunds = [refundOf(payment), { ...refundOf(payment), createdAt: earlier }] as const;
        await written(
          writeOf(await read(), {
            ...{ fields: PAID, attempts: insert(doubtful, accepted), transactions: insert(payment) },
            refunds: insert(...refunds),
          }),
        );
        const { state } = await read();
        expect(state.attempts).to.deep.equal([accepted, doubtful]);
        expect(state.transaction).to.deep.equal(payment);
        expect(state.refunds).to.deep.equal([refunds[1], refunds[0]]);
      });

      it('a write that was decided on an earlier version is stale, and writes nothing', async () => {
        const before = await read();
        expect(await written(writeOf(before, { fields: { description: 'Crown' } }))).to.equal('written');
        expect(await written(writeOf(before, { fields: { amountCents: 5 } }))).to.equal('stale');
        const { state, stamp } = await read();
        expect(state.link).to.deep.include({ description: 'Crown', amountCents: 1_000 });
        expect(stamp.version).to.be.above(before.stamp.version);
      });

      it('a write with events is stale if an endpoint has changed, and one without is not', async () => {
        const before = await read();
        const endpoint = { id: endpointId, practiceId: link.practiceId, test: false, status: 'enabled' as const };
        const content = { type: 'payment_link.expired', data: {} } as never;
        const events = deliveryRows([{ endpoint, paymentLinkId: link.id, content }], NOW);
        await subject.changeEndpoint(false);
        const fields = { description: 'Crown' };
        expect(await written(writeOf(before, { fields, events, stamp: before.stamp }))).to.equal('stale');
        expect(await written(writeOf(before, { fields }))).to.equal('written');
        const present = await read();
        expect(present.endpoints).to.deep.include.members([
          { id: endpointId, status: 'disabled', locationId: null, enabledEvents: [] },
        ]);
        expect(await written(writeOf(present, { fields, events: [], stamp: present.stamp }))).to.equal('written');
      });

      it('an attempt and the link that names it are one write', async () => {
        const attempt = attemptOf(link);
        const opened = { fields: { openAttemptId: attempt.id }, attempts: insert(attempt) };
        expect(await written(writeOf(await read(), opened))).to.equal('written');
        const { state } = await read();
        expect([state.link.openAttemptId, state.attempts]).to.deep.equal([attempt.id, [attempt]]);
      });

      it('a row with the key of another is a unique violation, and nothing of its write is written', async () => {
        const attempt = attemptOf(link);
        await written(writeOf(await read(), { fields: {}, attempts: insert(attempt) }));
        const second = { fields: { description: 'Crown' }, attempts: insert(attemptOf(link)) };
        expect(await refusal(writeOf(await read(), second))).to.equal(UNIQUE_VIOLATION);
        const { state } = await read();
        expect([state.link.description, state.attempts]).to.deep.equal(['Cleaning', [attempt]]);
      });

      it('the id of a refund is taken by one link only', async () => {
        const first = refundOf(await paid());
        expect(await written(writeOf(await read(), { fields: {}, refunds: insert(first) }))).to.equal('written');
        link = await created();
        const second = { ...refundOf(await paid()), id: first.id };
        expect(await refusal(writeOf(await read(), { fields: {}, refunds: insert(second) }))).to.equal(
          UNIQUE_VIOLATION,
        );
      });

      for (const [what, write] of [
        ['breaks a condition of its table', () => ({ fields: { status: 'paid' as const } })],
        ['names an attempt that does not exist', () => ({ fields: { openAttemptId: 'att_none' } })],
        ['has an amount of zero', () => ({ fields: { amountCents: 0 } })],
        ['is an open attempt that was closed', () => ({ attempts: insert(attemptOf(link, { closedAt: NOW })) })],
        ['refunds the payment of another link', () => ({ refunds: insert(refundOf(paymentOf(link, 'att_none'))) })],
      ] as const) {
        it(`a row that ${what} fails the write, and nothing is written`, async () => {
          const change = writeOf(await read(), { mails: [], ...write() });
          const failed = await written(change).then(
            () => false,
            () => true,
          );
          expect(failed).to.equal(true);
          expect((await read()).state).to.deep.include({ attempts: [], refunds: [] });
          expect((await read()).state.link).to.deep.include({ status: 'active', amountCents: 1_000 });
        });
      }

      it('a link gets the patient record that matches its external id, else its telephone, else a new one', async () => {
        const random = () => String(Math.random());
        const [phone, externalId] = [random(), random()];
        const record = async (
          fields: Partial<PaymentLink>,
          patient: LinkWrite['patient'] = { id: newId('patient', NOW) },
        ) => {
          const { id } = await created(fields);
          await written(writeOf(await read(id), { fields: {}, patient }));
          return (await read(id)).state.link.patientId;
        };
        expect(await record({ patientPhone: phone }, 'match')).to.equal(null);
        const first = await record({ patientPhone: phone });
        expect(first).to.match(/^pat_/);
        expect(await record({ patientPhone: phone }, 'match')).to.equal(first);
        expect(await record({ patientPhone: phone, patientExternalId: externalId })).to.equal(first);
        const second = await record({ patientPhone: null, patientExternalId: externalId });
        expect(second).to.not.equal(first);
        expect(await record({ patientPhone: phone, patientExternalId: externalId })).to.equal(second);
        expect(await record({ patientPhone: null })).to.not.be.oneOf([first, second]);
        expect(await record({ patientPhone: phone, test: true })).to.equal(null);
      });

      it('what happens under the lock of a link is seen at its end, and others do not see it before', async () => {
        const before = await read();
        await subject.store.exclusively(subject.scope(), { id: link.id, viewer: null }, async (scope) => {
          expect(
            await written(writeOf(await read(link.id, scope), { fields: { description: 'Crown' } }), scope),
          ).to.equal('written');
          expect((await read(link.id, scope)).state.link.description).to.equal('Crown');
          expect((await read()).state.link.description).to.equal('Cleaning');
        });
        expect((await read()).state.link.description).to.equal('Crown');
        expect(await written(writeOf(before, { fields: { description: 'Filling' } }))).to.equal('stale');
      });

      it('a write that names a link twice fails, because the second change would overwrite the first one', async () => {
        const before = await read();
        const writes = ['Crown', 'Filling'].map((description) => writeOf(before, { fields: { description } }));
        const failed = await subject.store.write(subject.scope(), writes, null).catch((error: Error) => error.message);
        expect(failed).to.include('a link comes twice');
        expect((await read()).state.link.description).to.equal('Cleaning');
      });

      it('an error under the lock of a link takes back what was written, and ends the lock', async () => {
        const attempt = attemptOf(link);
        const opened = { fields: {}, attempts: insert(attempt) };
        const failed = subject.store.exclusively(subject.scope(), { id: link.id, viewer: null }, async (scope) => {
          expect(await written(writeOf(await read(link.id, scope), opened), scope)).to.equal('written');
          throw new Error('refused');
        });
        expect(await failed.catch((error: Error) => error.message)).to.equal('refused');
        expect((await read()).state.attempts).to.deep.equal([]);
        expect(await written(writeOf(await read(), opened))).to.equal('written');
      });

      it('a state that is changed after the read stays as it was for the next one', async () => {
        const { state } = await read();
        const change = () => {
          state.link.description = 'Crown';
        };
        // Frozen rows refuse it at once.
        if (Object.isFrozen(state.link)) expect(change).to.throw(TypeError);
        else change();
        expect((await read()).state.link.description).to.equal('Cleaning');
      });
    });
  }

  it('the store in memory has the constraints of the database', async () => {
    expect(await service.query(CATALOGUE_QUERY, [[...TABLES]])).to.deep.equal(CATALOGUE);
  });
});

function insert<Row>(...inserted: Row[]): { inserted: Row[]; updated: [] } {
  return { inserted, updated: [] };
}
