import { acceptInvitation } from '../src/console/identity/people/accept.ts';
import { inviteMember } from '../src/console/identity/people/invitations.ts';
import { listMembers, renamePerson } from '../src/console/identity/people/members.ts';
import { createSignInUrl } from '../src/console/identity/sign-in/tokens.ts';
import type { Role } from '../src/console/model/roles.ts';
import type { Config } from '../src/main/processes/config.ts';
import { createOrm } from '../src/main/processes/shared.ts';
import { parseLinkInput } from '../src/payment-links/api/input.ts';
import { simulateDisputeClosing, simulateDisputeOpening } from '../src/payment-links/api/sandbox-dispute.ts';
import { createOpenings, createPageService } from '../src/payment-links/checkout/service.ts';
import { PaymentLink } from '../src/payment-links/model/payment-link.entity.ts';
import type { Staff } from '../src/payment-links/model/staff-status.ts';
import { queuePatientMail } from '../src/payment-links/office/mail-queue.ts';
import { changeLinkAsStaff, createLinkAsStaff, settleElsewhere } from '../src/payment-links/office/staff-acts.ts';
import { createRefund } from '../src/payment-links/payments/create-refund.ts';
import { reconcileTransactions } from '../src/payment-links/payments/reconcile.ts';
import { separately } from '../src/payment-links/store/change.ts';
import { expireDueLinks } from '../src/payment-links/upkeep/expire-links.ts';
import { newId } from '../src/platform/base/ids.ts';
import { createLogger } from '../src/platform/base/log/log.ts';
import type { Scope } from '../src/platform/base/scope.ts';
import { systemClock } from '../src/platform/base/time/clock.ts';
import { listPractices } from '../src/practices/find.ts';
import { createLocation, createPractice } from '../src/practices/service.ts';
import { createSandbox } from '../src/processors/sandbox.ts';
import { SettableClock } from '../test/harness/clock.ts';
import { createRandom } from '../test/harness/random.ts';
import { DEMO_SIGN_IN_MS } from './service.ts';

/* `make run DEMO=office`: a practice with three locations, 300 links of the last 60 days in all states, and people of each role. */

const NAME = 'Cedar Family Dental';
/** Names and roles, and the number of the only location that the person sees. */
const PEOPLE: readonly (readonly [name: string, role: Role, location?: number])[] = [
  ['Ruth Okafor', 'owner'],
  ['Tomás Herrera', 'administrator'],
  ['Mei-Ling Chen', 'billing'],
  ['Grace O’Brien', 'front_desk'],
  ['Dev Patel', 'front_desk', 1],
  ['Ilse Brandt', 'developer'],
  ['Sam Whitfield', 'viewer'],
];
const LOCATIONS = [
  { name: 'Downtown', city: 'Springfield', state: 'IL', timeZone: 'America/Chicago', phone: '+12175550101' },
  { name: 'Lakeside', city: 'Chicago', state: 'IL', timeZone: 'America/Chicago', phone: '+13125550102' },
  { name: 'Airport Road', city: 'Indianapolis', state: 'IN', timeZone: 'America/Indiana/Indianapolis', phone: null },
];
const FIRST = (
  'Ada Ana Beatriz Chiamaka Chloé Daniel Dmitri Elena Emeka Fatima Giulia Hassan Hiroshi Hugo Ingrid Isabel Jamal James ' +
  'Jürgen Kateryna Keisha Lars Leila Linh Lucía Mateus Mariam Noah Olga Priya Raúl Siobhán Sofía Tariq Thandiwe Wei Yara Zoë'
).split(' ');
const LAST = (
  'Adeyemi Álvarez Andersen Bakshi Castañeda D’Angelo Dubois Fernández García-López Goldberg Haddad Ibrahim Jiménez Johnson ' +
  'Kim Kovács Kowalska Lindqvist Martínez McAllister Müller Nakamura Nguyễn O’Connor Okonkwo Öztürk Papadopoulos Peña Petrov ' +
  'Quiñones Reyes Sánchez Schäfer Silva Smith-Jones Suárez Tran Turner Washington Yılmaz'
).split(' ');
/** Descriptions, and the range of their amounts in dollars. */
const WORK: readonly [string, number, number][] = [
  ['Cleaning and exam', 95, 180],
  ['Filling, balance after insurance', 60, 240],
  ['Crown, balance after insurance', 280, 760],
  ['Root canal, first payment', 350, 900],
  ['Night guard', 190, 420],
  ['X-rays and exam', 70, 150],
  ['Missed appointment', 50, 50],
  ['Whitening', 220, 390],
];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Link {
  id: string;
  token: string;
  amountCents: number;
  body: Parameters<typeof parseLinkInput>[0];
}

type Office = Awaited<ReturnType<typeof createOffice>>;
/** Acts that happen to a link. A value follows the name of the act in `HISTORIES`. */
const ACTS: Readonly<Record<string, (office: Office, link: Link, value: string) => Promise<unknown>>> = {
  open: async ({ openings, scope }, { id }) => openings.add({ paymentLinkId: id, at: scope().clock.now() }),
  mail: ({ scope, desk }, { id }) => queuePatientMail(scope(), desk, id, 'en', 0),
  cancel: ({ scope, desk, processor }, { id }) => changeLinkAsStaff(scope(), desk, processor, id, { reason: 'wrong' }),
  settle: ({ scope, billing }, { id }) => settleElsewhere(scope(), billing, id, 'paid_at_desk'),
  replace({ scope, billing }, { id, body }) {
    const input = parseLinkInput({ ...body, expiresAt: null });
    return createLinkAsStaff(scope(), billing, newId('paymentLink', scope().clock.now()), input, id);
  },
  pay({ scope, processor }, { token, amountCents }, methodToken) {
    const methodType = methodToken.startsWith('bank') ? 'us_bank_account' : 'card';
    const authorisationText = methodType === 'card' ? null : 'I authorize this debit, once.';
    const browser = { locale: 'en', address: '203.0.113.7', userAgent: 'Mozilla/5.0' } as const;
    const submission = { amountCents, methodType, methodToken, authorisationText, ...browser } as const;
    return createPageService(scope(), processor, separately).submit(token, submission);
  },
  refund({ scope, processor }, { id: linkId, amountCents: paidCents }, percent) {
    const amountCents = Math.round((paidCents * Number(percent)) / 100);
    return createRefund({ ...scope(), processor, ...separately }, { linkId, amountCents });
  },
  dispute({ scope, processor }, { id, amountCents }, reason) {
    const evidenceDueBy = new Date(scope().clock.now().getTime() + 14 * DAY_MS);
    return simulateDisputeOpening({ ...scope(), processor, ...separately }, id, { reason, amountCents, evidenceDueBy });
  },
  win: ({ scope, processor }, { id }) => simulateDisputeClosing({ ...scope(), processor, ...separately }, id, 'won'),
  lose: ({ scope, processor }, { id }) => simulateDisputeClosing({ ...scope(), processor, ...separately }, id, 'lost'),
};

/** Histories of links: how many, their least and greatest age in days, days until they expire, and acts after so many hours. */
const HISTORIES = `
  22 0.1 27 30 | 1 mail
  14 0.1 27 30 | 1 mail | 5 open | 30 open
  16 1 27 30   | 1 mail | 4 open | 4.1 pay card_insufficient_funds | 22 pay card_declined
  112 0.5 59 30 | 1 mail | 6 open | 6.1 pay card_success
  26 6 59 30   | 1 mail | 6 open | 6.1 pay bank_settles
  6 0.5 2 30   | 1 mail | 3 open | 3.1 pay bank_settles
  7 6 55 30    | 1 mail | 6 open | 6.1 pay bank_returns
  3 12 55 30   | 3 open | 3.1 pay bank_returns | 150 replace
  2 12 55 30   | 3 open | 3.1 pay bank_returns | 150 settle
  26 15 59 14  | 1 mail
  12 15 59 14  | 1 mail | 20 open | 20.1 pay card_declined
  8 25 59 14   | 1 mail | 400 replace
  6 25 59 14   | 400 settle
  14 2 59 30   | 1 mail | 26 cancel
  7 6 59 30    | 5 open | 5.1 pay card_success | 80 refund 100
  8 6 59 30    | 5 open | 5.1 pay card_success | 80 refund 30
  2 6 20 30    | 5 open | 5.1 pay card_refund_fails | 80 refund 100
  3 4 13 30    | 5 open | 5.1 pay card_success | 60 dispute fraudulent
  2 30 55 30   | 5 open | 5.1 pay card_success | 90 dispute product_not_received | 400 win
  2 30 55 30   | 5 open | 5.1 pay card_success | 90 dispute duplicate | 400 lose
  2 12 40 30   | 5 open | 5.1 pay bank_settles | 180 dispute insufficient_funds`;

/** Makes the practice at the first start. Returns new sign-in addresses of its people, a line each. */
export async function prepareOffice(config: Config, databaseUrl: string): Promise<string> {
  const log = createLogger('silent');
  const orm = createOrm(databaseUrl, log, 2);
  const clock = new SettableClock(new Date(Date.now() - 61 * DAY_MS).toISOString());
  const scope = (): Scope => ({ ...config, em: orm.em.fork(), clock, log });
  try {
    const practice = (await listPractices(scope())).find(({ name }) => name === NAME);
    const practiceId = practice?.id ?? (await fill(await createOffice(scope, clock), clock));
    const lines: string[] = [];
    for (const { personId, name, role, locationIds } of await listMembers(scope(), practiceId)) {
      const who = `${name}, ${role}${locationIds === null ? '' : ' of a location'}`;
      const options = { lifetimeMs: DEMO_SIGN_IN_MS };
      lines.push(`  ${who.padEnd(36)} ${await createSignInUrl({ ...scope(), clock: systemClock }, personId, options)}`);
    }
    return [`${NAME}: each address signs one person in, once.\n`, ...lines].join('\n');
  } finally {
    await orm.close();
  }
}

async function createOffice(scope: () => Scope, clock: SettableClock) {
  const admin = { adminEmail: 'admin@cedar-family-dental.example', phone: '+12175550100' };
  const { id: practiceId } = await createPractice(scope(), { name: NAME, ...admin, paymentsEnabled: true });
  const locationIds: string[] = [];
  for (const place of LOCATIONS) {
    locationIds.push((await createLocation(scope(), { practiceId, ...place })).id);
    // The zone of the practice is that of its oldest location.
    clock.advance({ minutes: 1 });
  }
  const addPerson = async ([name, role, location]: (typeof PEOPLE)[number]): Promise<Staff> => {
    const email = `${toAscii(name).replace(' ', '.')}@cedar-family-dental.example`;
    const grant = {
      email,
      role,
      locationIds: location === undefined ? null : locationIds.slice(location, location + 1),
    };
    const invitation = await inviteMember(scope(), { kind: 'operator' }, practiceId, grant);
    const { personId } = await acceptInvitation(scope(), invitation);
    const actor = { kind: 'person', id: personId, address: '198.51.100.20' } as const;
    await renamePerson(scope(), actor, name);
    return { actor, viewer: { practiceId, test: false, locationIds: grant.locationIds } };
  };
  const staff: Staff[] = [];
  for (const person of PEOPLE) staff.push(await addPerson(person));
  const [, , billing, desk] = staff;
  if (billing === undefined || desk === undefined) throw new Error('the office has a front desk and a billing person');
  const processor = createSandbox({ newScope: scope, settleSeconds: 3 * 86_400 });
  return { scope, practiceId, locationIds, desk, billing, processor, openings: createOpenings(scope) };
}

/** Lets 60 days pass, in which everything happens at its time. Returns the id of the practice. */
async function fill(office: Office, clock: SettableClock): Promise<string> {
  const { scope, desk, processor, practiceId, openings } = office;
  const now = Date.now();
  const sweep = async () => {
    await reconcileTransactions(() => ({ ...scope(), processor, ...separately }));
    await expireDueLinks(scope);
  };
  const steps: { at: number; act: () => Promise<unknown> }[] = [];
  for (let at = now - 60 * DAY_MS; at < now; at += DAY_MS / 2) steps.push({ at, act: sweep });
  const random = createRandom(40);
  for (const line of HISTORIES.trim().split('\n')) {
    const [numbers = [], ...acts] = line.split('|').map((part) => part.trim().split(' '));
    const [count = 0, least = 0, greatest = 0, expiryDays = 0] = numbers.map(Number);
    for (let number = 0; number < count; number++) {
      const day = Math.floor((now - (least + (greatest - least) * random.next()) * DAY_MS) / DAY_MS) * DAY_MS;
      // Between 9 AM and 5 PM in Chicago.
      const at = day + (15 + 8 * random.next()) * HOUR_MS - (day + DAY_MS > now ? DAY_MS : 0);
      const body = makeRequest(random, office, new Date(at + expiryDays * DAY_MS));
      const link = {
        id: newId('paymentLink', new Date(at)),
        token: '',
        amountCents: Math.round(body.amount * 100),
        body,
      };
      const create = async () => {
        await createLinkAsStaff(scope(), desk, link.id, parseLinkInput(body));
        link.token = (await scope().em.findOneOrFail(PaymentLink, { id: link.id })).token;
      };
      steps.push({ at, act: create });
      for (const [hours, name = '', value = ''] of acts)
        steps.push({ at: at + Number(hours) * HOUR_MS, act: async () => ACTS[name]?.(office, link, value) });
    }
  }
  for (const { at, act } of steps.filter(({ at }) => at < now).toSorted((a, b) => a.at - b.at)) {
    clock.set(new Date(at).toISOString());
    await act();
  }
  await openings.close();
  return practiceId;
}

/** Makes the request of a link for one of 120 patients, some of whom have no email address or phone. */
function makeRequest(random: ReturnType<typeof createRandom>, { locationIds }: Office, expiresAt: Date): Link['body'] {
  const patient = random.integer(0, 119);
  const [firstName = '', lastName = ''] = [FIRST[patient % FIRST.length], LAST[(patient * 7) % LAST.length]];
  const [description, from, to] = random.pick(WORK);
  return {
    amount: random.integer(from, to) + random.pick([0, 0, 0.5, 0.25]),
    description,
    locationId: locationIds[patient % 5 < 3 ? 0 : (patient % 5) - 2] ?? null,
    expiresAt: expiresAt.toISOString(),
    externalReference: patient % 3 === 0 ? `INV-${random.integer(20_000, 29_999)}` : null,
    patient: {
      firstName,
      lastName,
      externalId: `${10_400 + patient}`,
      ...(patient % 9 === 0 ? {} : { email: `${toAscii(`${firstName}.${lastName}`)}@example.com` }),
      ...(patient % 7 === 0 ? {} : { phone: `+1${['217', '312', '317'][patient % 3]}5550${110 + (patient % 90)}` }),
    },
  };
}

function toAscii(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll('ı', 'i')
    .replaceAll(/[^\w. -]/g, '');
}
