import { listOwnedKeys } from '../../src/access/service.ts';
import { createInvitationToken } from '../../src/console/identity/people/accept.ts';
import { inviteMember } from '../../src/console/identity/people/invitations.ts';
import { simulateDisputeOpening } from '../../src/payment-links/api/sandbox-dispute.ts';
import { createRefund } from '../../src/payment-links/payments/create-refund.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { until } from '../harness/processes.ts';
import { type Receiver, refuse } from '../harness/receiver.ts';
import { createLink, type TestPractice, type TestService } from '../harness/service.ts';
import {
  createEndpoint,
  deliver,
  ENDPOINTS,
  followRetrySchedule,
  listDeliveries,
  paidLink,
  ping,
  setExhaustedInARow,
} from '../harness/webhooks.ts';
import { addMember, notRefused, plantPasskey } from './console.ts';
import { type BillingPractice, billingPractice, paid } from './payments-setup.ts';

export type BusyPractice = Awaited<ReturnType<typeof busyPractice>>;

/** Creates a practice with two locations that has something of everything that pages show, and long words in it. */
export async function busyPractice(service: TestService, receiver: Receiver) {
  const billing = await billingPractice(service);
  const { practice } = billing;
  // The retries of its webhooks take three days, so people sign in afterwards.
  const webhooks = await busyWebhooks(service, receiver, practice);
  return {
    ...{ practice, billing, webhooks, home: `/console/${practice.practiceId}` },
    links: await busyLinks(practice),
    payments: await busyPayments(service, billing),
    people: await busyPeople(service, practice),
  };
}

/** Adds an owner, a developer, and a colleague who is an owner of an empty practice, too. Invites another person. */
async function busyPeople(service: TestService, { practiceId, locationId }: TestPractice) {
  const empty = await service.practice();
  const owner = await addMember(service, practiceId, 'owner', { email: 'ada.byron@elm.example' });
  const developer = await addMember(service, practiceId, 'developer');
  const email = 'a-very-long-address-of-a-colleague-at-the-front-desk@elm.example';
  const colleague = await addMember(service, practiceId, 'front_desk', { email, locationIds: [locationId] });
  await addMember(service, empty.practiceId, 'owner', { email });
  await plantPasskey(service, colleague);
  const grant = {
    email: 'an-invited-person-with-a-long-address@elm.example',
    role: 'viewer',
    locationIds: null,
  } as const;
  // No address of a client is longer.
  const inviter = { kind: 'person', id: owner.personId, address: '2001:db8:85a3:1234:5678:8a2e:1370:7334' } as const;
  const invited = notRefused(await inviteMember(service.scope(), inviter, practiceId, grant));
  const invitation = await createInvitationToken(service.scope(), invited);
  return { owner, developer, colleague, invitation, emptyPracticeId: empty.practiceId };
}

/** Makes a test link with long entries, and one of each status. */
async function busyLinks({ test, locationId }: TestPractice) {
  const { id: waiting } = await createLink(test, {
    locationId,
    amount: 999_999.99,
    description: 'Crown, balance after insurance\nwith a second line',
    externalReference: 'invoice-with-a-rather-long-number-10432',
    patient: { firstName: 'Maximiliana Alexandra', lastName: 'Featherstonehaugh', email: 'ada@example.com' },
  });
  const { id: paid } = await paidLink(test, { locationId });
  for (const outcome of ['processing', 'failed', 'expired']) {
    const { id } = await createLink(test, { locationId });
    await test.post(`/api/v1/payment-links/${id}/simulate`, { outcome });
  }
  return { waiting, paid };
}

/** Makes a disputed payment, a returned debit, and a payment that is refunded in part. */
async function busyPayments(service: TestService, billing: BillingPractice) {
  const disputed = await paid(billing, 'Lovelace-von-und-zu-Hohenstein', { description: 'Crown '.repeat(20) });
  const evidenceDueBy = new Date('2030-07-01T12:00:00Z');
  const input = { reason: 'fraudulent', amountCents: disputed.amountCents, evidenceDueBy };
  const dispute = await simulateDisputeOpening(
    { ...service.scope(), processor: service.processor(), ...separately },
    disputed.id,
    input,
  );
  const debit = await paid(billing, 'Debit', { method: 'bank_returns', locationId: billing.northId });
  const refunded = await paid(billing, 'Refunded');
  await createRefund(
    { ...service.scope(), processor: service.processor(), ...separately },
    { linkId: refunded.id, amountCents: 2_500 },
  );
  return { disputed: disputed.id, dispute: dispute.id, debit: debit.id, refunded: refunded.id };
}

/** Makes a failed, a delivered and a waiting delivery, an endpoint that failures disabled, and logged requests of a key. */
async function busyWebhooks(service: TestService, receiver: Receiver, { practiceId, test, locationId }: TestPractice) {
  const url = `${receiver.url}/a-very-long-path-of-a-practice-management-system?token=0123456789abcdef`;
  const endpoint = await createEndpoint(test, url, { description: 'Billing system' });
  const deliverer = service.deliverer();
  receiver.answer = refuse(404);
  await paidLink(test, { locationId });
  await followRetrySchedule(service, deliverer, endpoint.id);
  receiver.answer = refuse(200);
  const delivered = await ping(test, endpoint.id);
  await deliver(deliverer, endpoint.id);
  const received = receiver.received.at(-1);
  if (received === undefined) throw new Error('the ping arrived');
  const waiting = await ping(test, endpoint.id);
  const [failed] = await listDeliveries(test, 'status=exhausted');
  const disabled = await createEndpoint(test, 'https://old.example.com/hooks', {
    enabledEvents: ['payment_link.paid'],
  });
  await test.patch(`${ENDPOINTS}/${disabled.id}`, { enabled: false });
  await setExhaustedInARow(service, disabled.id, 20);
  await test.get('/api/v1/payment-links/plink_none');
  await until(
    async () => (await service.query(`select from api_requests where error_code = 'not_found'`)).length > 0,
    'the log lacks the refused request',
  );
  const [key] = await listOwnedKeys(service.scope(), { practiceId, test: true });
  const deliveries = { failed: failed?.id, delivered: delivered.id, waiting: waiting.id };
  return { endpoint, disabled, received, deliveries, keyId: key?.id };
}
