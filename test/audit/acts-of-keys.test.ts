import { expect } from 'chai';
import { cancelLinkForOffice } from '../../src/payment-links/api/change-link.ts';
import { createLinkForOffice } from '../../src/payment-links/api/create.ts';
import { parseLinkInput } from '../../src/payment-links/api/input.ts';
import { createRefund } from '../../src/payment-links/payments/create-refund.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import type { Scope } from '../../src/platform/base/scope.ts';
import { madeForEach, madeOnce, useReceiver, useService } from '../harness/fixtures.ts';
import { createLink, idempotent, linkBody } from '../harness/service.ts';
import { createEndpoint, ENDPOINTS } from '../harness/webhooks.ts';

const LINKS = '/api/v1/payment-links';

/** Returns a scope with which services record what they do as an act of the operator. */
const asOperator = (scope: Scope): Scope => ({ ...scope, actor: { kind: 'operator' } });

/** Data of a patient that no entry may contain. */
const PATIENT = { firstName: 'Canary', lastName: 'Aviary', phone: '+12025550147', email: 'canary@aviary.example' };
const DESCRIPTION = 'Root canal of the canary';

interface Entry {
  actor_kind: string;
  actor_id: string | null;
  action: string;
  target_id: string;
  address: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

describe('acts of keys and operators on links', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  let keyId: string;

  beforeEach(async () => {
    const [row] = await service.query<{ id: string }>('select id from api_keys where practice_id = $1 and test', [
      practice.practiceId,
    ]);
    keyId = row?.id ?? '';
  });

  const entries = () =>
    service.query<Entry & Record<string, unknown>>(
      `select actor_kind, actor_id, action, target_id, address, before, after from audit_log
       where practice_id = $1 order by id`,
      [practice.practiceId],
    );
  const acts = async () => (await entries()).map(({ action, before, after }) => ({ action, before, after }));

  it('a link that a key creates, changes and cancels has one entry each, with key, address and no data of the patient', async () => {
    const link = await createLink(practice.test, { patient: PATIENT, description: DESCRIPTION, amount: 120 });
    const path = `${LINKS}/${link.id}`;
    await practice.test.patch(path, {
      amount: 99.5,
      description: `${DESCRIPTION} again`,
      metadata: { chart: 'Canary' },
    });
    await practice.test.post(`${path}/cancel`);
    const found = await entries();
    for (const { actor_kind, actor_id, target_id, address } of found) {
      expect([actor_kind, actor_id, target_id, address]).to.deep.equal(['api_key', keyId, link.id, '127.0.0.1']);
    }
    const { locationId } = practice;
    expect(await acts()).to.deep.equal([
      {
        action: 'link.created',
        before: null,
        after: { mode: 'test', amountCents: 12_000, locationId, expiresAt: link.expiresAt },
      },
      {
        action: 'link.changed',
        before: { amountCents: 12_000 },
        after: { amountCents: 9_950, changedFields: ['description', 'metadata'] },
      },
      { action: 'link.cancelled', before: { status: 'active' }, after: { status: 'cancelled' } },
    ]);
    expect(JSON.stringify(found)).to.not.match(/canary|aviary|0147/i);
  });

  it('a request that changes nothing has no entry: refused, repeated with its key, or cancelled again', async () => {
    const key = idempotent();
    const { body } = await practice.test.post(LINKS, linkBody(), key);
    await practice.test.post(LINKS, linkBody(), key);
    await practice.test.post(LINKS, linkBody({ amount: 1 }), key);
    await practice.test.post(LINKS, linkBody({ locationId: 'loc_unknown' }), idempotent());
    await practice.test.post(`${LINKS}/${body.id}/cancel`);
    await practice.test.post(`${LINKS}/${body.id}/cancel`);
    await practice.test.patch(`${LINKS}/${body.id}`, { amount: 5 });
    await practice.live.post(`${LINKS}/${body.id}/cancel`);
    await practice.test.get(`${LINKS}/${body.id}`);
    expect((await acts()).map(({ action }) => action)).to.deep.equal(['link.created', 'link.cancelled']);
  });

  it('links that are created and cancelled together have one entry per act', async () => {
    const links = await Promise.all(Array.from({ length: 40 }, () => createLink(practice.test)));
    await Promise.all(links.map(({ id }) => practice.test.post(`${LINKS}/${id}/cancel`)));
    const found = await entries();
    for (const action of ['link.created', 'link.cancelled']) {
      const targets = found.filter((entry) => entry.action === action).map(({ target_id }) => target_id);
      expect(targets.toSorted(), action).to.deep.equal(links.map(({ id }) => id).toSorted());
    }
  });

  it('links that are changed several times at once have one entry per change', async () => {
    const { id } = await createLink(practice.test, { amount: 100 });
    await Promise.all([1, 2, 3].map((amount) => practice.test.patch(`${LINKS}/${id}`, { amount })));
    const changed = (await acts()).filter(({ action }) => action === 'link.changed');
    expect(changed.map(({ after }) => after?.amountCents).toSorted()).to.deep.equal([100, 200, 300]);
    const order = [10_000, ...changed.map(({ after }) => after?.amountCents)];
    expect(changed.map(({ before }) => before?.amountCents)).to.deep.equal(order.slice(0, -1));
  });

  it('what a key simulates has an entry', async () => {
    const { id } = await createLink(practice.test);
    await practice.test.post(`${LINKS}/${id}/simulate`, { outcome: 'paid' });
    const refunded = await practice.test.post(`/api/v1/test-helpers/payment-links/${id}/refund`, {});
    expect(refunded.status).to.equal(200);
    expect((await acts()).slice(1)).to.deep.equal([
      { action: 'link.simulated', before: { status: 'active' }, after: { status: 'paid' } },
      { action: 'link.simulated', before: null, after: { step: 'refund' } },
    ]);
  });

  it('links and refunds of the operator have entries without an address', async () => {
    const operator = asOperator(service.scope());
    const owner = { id: practice.practiceId, test: true };
    const input = parseLinkInput({ amount: 50, description: DESCRIPTION, patient: PATIENT });
    const [first, second] = [
      await createLinkForOffice(operator, owner, 'staff', input),
      await createLinkForOffice(asOperator(service.scope()), owner, 'staff', input),
    ];
    await cancelLinkForOffice(
      { ...asOperator(service.scope()), processor: service.processor(), ...separately },
      first.id,
    );
    await practice.test.post(`${LINKS}/${second.id}/simulate`, { outcome: 'paid' });
    await createRefund(
      { ...asOperator(service.scope()), processor: service.processor(), ...separately },
      {
        linkId: second.id,
        amountCents: 2_000,
        reason: 'wish of Canary',
      },
    );
    const found = (await entries()).filter(({ actor_kind }) => actor_kind === 'operator');
    expect(found.map(({ action, address }) => [action, address])).to.deep.equal([
      ['link.created', null],
      ['link.created', null],
      ['link.cancelled', null],
      ['payment.refunded', null],
    ]);
    expect(found.at(-1)?.target_id).to.equal(second.id);
    expect(found.at(-1)?.after).to.include({ refundable: '30.00' });
    expect(JSON.stringify(found)).to.not.match(/canary|aviary|0147/i);
  });

  it('an entry is written with its link or not at all', async () => {
    const refuse = `alter table audit_log add constraint refused check (action <> 'link.cancelled') not valid`;
    const { id } = await createLink(practice.test);
    await service.query(refuse);
    try {
      expect((await practice.test.post(`${LINKS}/${id}/cancel`)).status).to.equal(500);
    } finally {
      await service.query('alter table audit_log drop constraint refused');
    }
    expect((await practice.test.get(`${LINKS}/${id}`)).body.status).to.equal('active');
    await practice.test.post(`${LINKS}/${id}/cancel`);
    expect((await acts()).map(({ action }) => action)).to.deep.equal(['link.created', 'link.cancelled']);
  });
});

describe('acts of keys on endpoints', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  const receiver = useReceiver();

  it('everything that a key does with an endpoint has an entry with key and address, and no secret', async () => {
    const { id, secret } = await createEndpoint(practice.test, receiver.url);
    const path = `${ENDPOINTS}/${id}`;
    await practice.test.patch(path, { description: 'Front desk' });
    await practice.test.patch(path, { enabled: false });
    await practice.test.patch(path, { enabled: true });
    const rotated = await practice.test.post(`${path}/rotate-secret`);
    await practice.test.post(`${path}/test`);
    const since = service.clock.now().toISOString();
    expect((await practice.test.post(`${path}/replay`, { since })).status).to.equal(202);
    await practice.test.get(path);
    await practice.test.delete(path);
    const entries = await service.query<{ action: string; actor: string; address: string; text: string }>(
      `select action, actor_kind as actor, address, audit_log::text as text from audit_log
       where practice_id = $1 and target_id = $2 order by id`,
      [practice.practiceId, id],
    );
    expect(entries.map(({ action }) => action)).to.deep.equal([
      'endpoint.created',
      'endpoint.changed',
      'endpoint.disabled',
      'endpoint.enabled',
      'endpoint.secret_rotated',
      'endpoint.tested',
      'endpoint.replayed',
      'endpoint.deleted',
    ]);
    for (const { actor, address, text } of entries) {
      expect([actor, address]).to.deep.equal(['api_key', '127.0.0.1']);
      for (const hidden of [secret, rotated.body.secret]) expect(text).to.not.include(hidden);
    }
  });
});
