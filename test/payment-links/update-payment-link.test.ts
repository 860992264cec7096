import { expect } from 'chai';
import { cancelLinkForOffice } from '../../src/payment-links/api/change-link.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { newId } from '../../src/platform/base/ids.ts';
import type { Exchange } from '../harness/client.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { outcome } from '../harness/refusal.ts';
import { createLink } from '../harness/service.ts';

const PATH = '/api/v1/payment-links';
const DAY_MS = 86_400_000;

/** Fields of a link. */
type Change = Readonly<Record<string, unknown>> & { patient?: object };

describe('updatePaymentLink', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());

  function update(id: string, body: unknown): Promise<Exchange> {
    return practice.test.patch(`${PATH}/${id}`, body);
  }

  /** A link with something in every field. */
  function fullLink() {
    return createLink(practice.test, {
      externalReference: 'invoice-1',
      metadata: { a: '1', b: '2' },
      patient: {
        firstName: 'Ada',
        lastName: 'Byron',
        phone: '+12025550143',
        email: 'ada@example.com',
        externalId: 'MRN-1',
      },
    });
  }

  describe('200', () => {
    const CHANGES: [what: string, change: Change, seen?: Change][] = [
      ['amount', { amount: 0.29 }],
      ['amount to the largest', { amount: 999_999.99 }],
      ['description', { description: 'Filling\n2 sides' }],
      ['externalReference', { externalReference: '🦷'.repeat(200) }],
      ['externalReference to nothing', { externalReference: null }],
      ['metadata as a whole', { metadata: { c: '3' } }],
      ['metadata to none of its keys', { metadata: {} }],
      ['metadata to nothing', { metadata: null }],
      ['expiresAt', { expiresAt: '2030-07-01T02:00:00+02:00' }, { expiresAt: '2030-07-01T00:00:00.000Z' }],
      ['nothing', {}],
      ['nothing of the patient', { patient: {} }],
      ['phone', { patient: { phone: '+44 20 7946 0958' } }, { patient: { phone: '+442079460958' } }],
      ['phone to nothing', { patient: { phone: null } }],
      ['email', { patient: { email: 'byron@example.com' } }],
      ['email to nothing', { patient: { email: null } }],
      ['phone and email', { patient: { phone: null, email: 'b@example.com' } }],
      ['all at once', { amount: 1, description: 'x', externalReference: 'y', metadata: { z: '' } }],
    ];
    for (const [what, change, seen = change] of CHANGES) {
      it(`an update changes ${what} only`, async () => {
        const link = await fullLink();
        const reply = await update(link.id, change);
        expect(reply.body).to.deep.equal({ ...link, ...seen, patient: { ...link.patient, ...seen.patient } });
        expect((await practice.test.get(`${PATH}/${link.id}`)).text).to.equal(reply.text);
      });
    }

    it('metadata keys keep the order of the request, also when only the order changes', async () => {
      const link = await createLink(practice.test, { metadata: { a: '1', b: '2' } });
      const { id } = link;
      expect(JSON.stringify((await update(id, { metadata: { b: '2', a: '1' } })).body.metadata)).to.equal(
        '{"b":"2","a":"1"}',
      );
      expect((await practice.test.get(`${PATH}/${id}`)).text).to.include('{"b":"2","a":"1"}');
    });

    it('cleared metadata is none, also for a filter of the database', async () => {
      const link = await fullLink();
      await update(link.id, { metadata: null });
      const sql = 'select metadata is null as cleared from payment_links where id = $1';
      expect(await service.query(sql, [link.id])).to.deep.equal([{ cleared: true }]);
    });

    it('expiresAt may be 1 ms ahead, and 365 days after the creation, not after the update', async () => {
      const link = await createLink(practice.test);
      const created = Date.parse(link.createdAt);
      service.clock.advance({ days: 10 });
      const soon = new Date(service.clock.now().getTime() + 1).toISOString();
      for (const expiresAt of [new Date(created + 365 * DAY_MS).toISOString(), soon]) {
        expect((await update(link.id, { expiresAt })).body.expiresAt).to.equal(expiresAt);
      }
    });

    it('a new telephone number rematches the patient of a live link, and never of a test link', async () => {
      const own = await service.practice();
      const ids: string[] = [];
      for (const phone of ['+12025550143', '+12025550144']) {
        ids.push(newId('patient', service.clock.now()));
        await service.query(
          `insert into patients (id, practice_id, first_name, last_name, phone, created_at)
           values ($1, $2, 'Ada', 'Byron', $3, now())`,
          [ids.at(-1), own.practiceId, phone],
        );
      }
      const patientOf = async (id: string) =>
        (await service.query('select patient_id from payment_links where id = $1', [id]))[0]?.patient_id;
      const patient = { firstName: 'Ada', lastName: 'Byron', phone: '+12025550143' };
      const [live, test] = [await createLink(own.live, { patient }), await createLink(own.test, { patient })];
      expect(await patientOf(live.id)).to.equal(ids[0]);
      for (const [phone, expected] of [
        ['+1 202 555 0144', ids[1]],
        ['+12025550199', null],
        ['+12025550143', ids[0]],
        [null, null],
      ] as const) {
        await own.live.patch(`${PATH}/${live.id}`, { patient: { phone } });
        expect(await patientOf(live.id), String(phone)).to.equal(expected);
      }
      await own.test.patch(`${PATH}/${test.id}`, { patient: { phone: '+12025550144' } });
      expect(await patientOf(test.id)).to.equal(null);
    });

    it('two concurrent updates of different fields both apply', async () => {
      const link = await createLink(practice.test);
      await Promise.all([update(link.id, { amount: 7 }), update(link.id, { description: 'Seven' })]);
      expect((await practice.test.get(`${PATH}/${link.id}`)).body).to.include({ amount: 7, description: 'Seven' });
    });
  });

  describe('400', () => {
    const REFUSED: [what: string, change: object, param: string, code?: string][] = [
      ['amount 0', { amount: 0 }, 'amount'],
      ['three decimals', { amount: 12.345 }, 'amount'],
      ['amount 1000000', { amount: 1_000_000 }, 'amount'],
      ['amount null', { amount: null }, 'amount'],
      ['an empty description', { description: '' }, 'description'],
      ['description of 501 characters', { description: 'x'.repeat(501) }, 'description'],
      ['description null', { description: null }, 'description'],
      ['a card number', { description: 'Card 4111 1111 1111 1111' }, 'description'],
      ['a NUL', { description: 'a\u0000' }, 'description'],
      ['externalReference of 201 characters', { externalReference: 'x'.repeat(201) }, 'externalReference'],
      ['an empty externalReference', { externalReference: '' }, 'externalReference'],
      ['metadata of 2,049 bytes', { metadata: { a: 'x'.repeat(2041) } }, 'metadata'],
      ['metadata with a number', { metadata: { a: 1 } }, 'metadata.a'],
      ['patient null', { patient: null }, 'patient'],
      ['a telephone number without +', { patient: { phone: '2025550143' } }, 'patient.phone'],
      ['a telephone number that is none', { patient: { phone: '+1202' } }, 'patient.phone'],
      ['an email that is none', { patient: { email: 'ada' } }, 'patient.email'],
      ['the patient’s firstName', { patient: { firstName: 'A' } }, 'patient.firstName', 'unknown_parameter'],
      ['the patient’s externalId', { patient: { externalId: 'A' } }, 'patient.externalId', 'unknown_parameter'],
      ['currency', { currency: 'usd' }, 'currency', 'unknown_parameter'],
      ['locationId', { locationId: 'loc_x' }, 'locationId', 'unknown_parameter'],
      ['status', { status: 'paid' }, 'status', 'unknown_parameter'],
      ['expiresAt null', { expiresAt: null }, 'expiresAt'],
      ['expiresAt without a zone', { expiresAt: '2030-07-01T00:00:00' }, 'expiresAt'],
      ['expiresAt in the past', { expiresAt: '2020-07-01T00:00:00Z' }, 'expiresAt'],
      ['expiresAt more than a year after creation', { expiresAt: '2032-01-01T00:00:00Z' }, 'expiresAt'],
    ];
    const link = madeOnce(fullLink);
    for (const [what, change, param, code = 'validation_error'] of REFUSED) {
      it(`${code} ${param}: ${what}; nothing is changed`, async () => {
        expect(outcome(await update(link.id, { ...change, externalReference: 'new', ...change }))).to.equal(
          `400 ${code} ${param}`,
        );
        expect((await practice.test.get(`${PATH}/${link.id}`)).body).to.deep.equal(link);
      });
    }

    it('validation_error expiresAt: now, and 1 ms more than 365 days after creation', async () => {
      const link = await createLink(practice.test);
      service.clock.advance({ days: 10 });
      for (const at of [service.clock.now().getTime(), Date.parse(link.createdAt) + 365 * DAY_MS + 1]) {
        expect(outcome(await update(link.id, { expiresAt: new Date(at).toISOString() }))).to.equal(
          '400 validation_error expiresAt',
        );
      }
    });

    it('validation_error expiresAt: in the past, before the link is looked up', async () => {
      const expiresAt = new Date(service.clock.now().getTime() - 1).toISOString();
      for (const id of ['plink_00000000000000000000000000', 'nonsense']) {
        expect(outcome(await update(id, { expiresAt }))).to.equal('400 validation_error expiresAt');
      }
    });

    it('validation_error: no body', async () => {
      expect(outcome(await update('x', undefined))).to.equal('400 validation_error');
    });
  });

  describe('409 link_not_active, even for no change', () => {
    const ENDS: [how: string, end: (id: string) => Promise<unknown>][] = [
      ['cancelled', (id) => practice.test.post(`${PATH}/${id}/cancel`)],
      [
        'cancelled by the office',
        (id) => cancelLinkForOffice({ ...service.scope(), processor: service.processor(), ...separately }, id),
      ],
      ['paid', (id) => practice.test.post(`${PATH}/${id}/simulate`, { outcome: 'paid' })],
      ['paid, its debit returned', (id) => practice.test.post(`${PATH}/${id}/simulate`, { outcome: 'failed' })],
      ['expired', (id) => practice.test.post(`${PATH}/${id}/simulate`, { outcome: 'expired' })],
      ['due, though nobody wrote it down', async () => service.clock.advance({ days: 30 })],
    ];
    for (const [how, end] of ENDS) {
      it(how, async () => {
        const link = await createLink(practice.test);
        await end(link.id);
        const before = await practice.test.get(`${PATH}/${link.id}`);
        for (const change of [{ amount: 1 }, {}, { expiresAt: new Date(service.clock.now().getTime() + 1) }]) {
          expect(outcome(await update(link.id, change))).to.equal('409 link_not_active');
        }
        expect((await practice.test.get(`${PATH}/${link.id}`)).text).to.equal(before.text);
      });
    }
  });
});
