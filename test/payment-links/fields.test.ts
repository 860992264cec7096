import { expect } from 'chai';
import { listFields, personalFields } from '../../src/contract/fields.ts';
import { HOSTED_TEXTS, STAFF_FIELDS } from '../../src/payment-links/state/fields.ts';
import { erasePatient } from '../../src/payment-links/upkeep/erase-patient.ts';
import { addMember, type ConsoleBrowser, signedIn } from '../console/console.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { KeptMails, runJobs } from '../harness/mails.ts';
import { Payments } from '../harness/payments.ts';
import { createLink } from '../harness/service.ts';

const PATH = '/api/v1/payment-links';

/** A property of a request, with two values and where they are shown. */
interface Field {
  /** Values of the request: of a create, and of an update. */
  values: readonly [unknown, unknown];
  /** Path within the link of a reply; by default that of the request. */
  reply?: string;
  /** Texts of the console's page. Absent: `note` says why the page lacks the field. */
  page?: readonly [string, string];
  /** True if the patient's page shows these texts; else why not. */
  hosted: true | string;
  /** Name of the field in the audit log; absent if no update changes it. */
  audit?: string;
  /** Text of the payments' CSV for the second value; absent: the file has no such column. */
  csv?: string;
  note?: string;
  /** True if the value stays when the patient is erased, because it names nobody. */
  stays?: true;
}

const same = (value: string, changed = value): Pick<Field, 'values' | 'page' | 'csv'> => ({
  values: [value, changed],
  page: [value, changed],
  csv: changed,
});

const forStaff = 'anyone who has its address reads that page';

/** All properties of `CreatePaymentLinkRequest` and `UpdatePaymentLinkRequest`. The first test fails for one that is missing. */
const FIELDS: Readonly<Record<string, Field>> = {
  amount: {
    values: [1251.25, 1362.75],
    page: ['1,251.25', '1,362.75'],
    hosted: true,
    csv: '1362.75',
    audit: 'amountCents',
    stays: true,
  },
  description: { ...same('Crown on tooth 14', 'Bridge on tooth 15'), hosted: true, audit: 'description' },
  currency: {
    values: ['usd', 'usd'],
    note: 'the page shows dollars by their sign',
    hosted: 'it shows dollars by their sign',
    stays: true,
  },
  externalReference: {
    ...same('invoice-7741', 'invoice-8852'),
    hosted: forStaff,
    audit: 'externalReference',
    stays: true,
  },
  metadata: {
    values: [{ ledger: 'L-4711' }, { ledger: 'L-5822' }],
    hosted: forStaff,
    audit: 'metadata',
    note: 'it is data of programs, which the page does not show',
  },
  locationId: {
    values: ['', ''],
    reply: 'location.id',
    page: ['Uptown', 'Uptown'],
    hosted: true,
    csv: 'Uptown',
    stays: true,
  },
  expiresAt: {
    values: ['2030-08-10T12:00:00.000Z', '2030-09-11T12:00:00.000Z'],
    page: ['August 10, 2030', 'September 11, 2030'],
    hosted: true,
    audit: 'expiresAt',
    stays: true,
  },
  'patient.firstName': { ...same('Wilhelmina'), hosted: forStaff },
  'patient.lastName': { ...same('Oppenheim'), hosted: forStaff },
  'patient.phone': {
    values: ['+12025550143', '+12025550177'],
    page: ['(202) 555-0143', '(202) 555-0177'],
    hosted: forStaff,
    audit: 'patientPhone',
  },
  'patient.email': {
    values: ['mina@example.com', 'wil@example.com'],
    page: ['mina@example.com', 'wil@example.com'],
    hosted: forStaff,
    audit: 'patientEmail',
  },
  'patient.externalId': { ...same('MRN-90210'), hosted: forStaff },
};

const CREATED = listFields('CreatePaymentLinkRequest').map(({ path }) => path);
const UPDATES = listFields('UpdatePaymentLinkRequest');
const UPDATED = UPDATES.map(({ path }) => path);
/** Fields that null clears. */
const CLEARABLE = UPDATES.filter(({ schema }) => [schema.type].flat().includes('null')).map(({ path }) => path);

function valueAt(object: unknown, path: string): unknown {
  return path.split('.').reduce((value: unknown, name) => (value as Record<string, unknown> | null)?.[name], object);
}

/** Returns a request with one value. */
function requestWith(path: string, value: unknown): Record<string, unknown> {
  const [name = '', inner] = path.split('.');
  return { [name]: inner === undefined ? value : { [inner]: value } };
}

function isPersonal(path: string): boolean {
  return personalFields.has(path.split('.').at(-1) ?? '');
}

/** Returns the texts within a value of a field. */
function wordsOf(value: unknown): string[] {
  return typeof value === 'string' ? [value] : Object.values(value as object);
}

/** Returns a request with the first or second value of each property. */
function requestOf(paths: readonly string[], step: 0 | 1): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const path of paths) {
    const [name = '', inner] = path.split('.');
    const value = FIELDS[path]?.values[step];
    if (inner === undefined) body[name] = value;
    else body[name] = { ...(body[name] as object | undefined), [inner]: value };
  }
  return body;
}

describe('each field of a payment link', function () {
  this.timeout(180_000);
  const service = useService({ env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'pay@example.com' } });
  const practice = madeOnce(() => service.practice());
  let locationId: string;
  let owner: ConsoleBrowser;
  let id: string;
  let token: string;
  /** The link as each reader shows it, after its creation and after its update. */
  const views: [Map<string, unknown>, Map<string, unknown>] = [new Map(), new Map()];
  const pages: string[] = [];
  /** The patient's page: after the creation, after the update, and after the payment. */
  const hostedPages: string[] = [];
  const mails = new KeptMails();
  let csv: string;
  let forms: { create: string; change: string };
  let entries: { after: Record<string, unknown> | null }[];
  /** All that is stored of the link and its patient after the patient was erased. */
  let erased: string;

  before(async () => {
    locationId = await service.location(practice.practiceId, 'Uptown');
    owner = await signedIn(service, await addMember(service, practice.practiceId, 'owner'));
    await practice.live.post('/api/v1/webhook-endpoints', { url: 'https://127.0.0.1/hook' });
    const created = await createLink(practice.live, { ...requestOf(CREATED, 0), locationId });
    id = created.id;
    token = created.url.replace(/^.*\//, '');
    views[0].set('create', created);
    await read(0);
    const updated = await practice.live.patch(`${PATH}/${id}`, requestOf(UPDATED, 1));
    expect(updated.status, updated.text).to.equal(200);
    views[1].set('update', updated.body);
    await read(1);
    entries = await service.query<{ after: Record<string, unknown> | null }>(
      `select after from audit_log where target_id = $1 and action = 'link.changed'`,
      [id],
    );
    const links = `/console/${practice.practiceId}/live/links`;
    forms = {
      create: (await owner.get(`${links}/new`)).text,
      change: (await owner.get(`${links}/${id}/change`)).text,
    };
    const paid = { id, token, amountCents: Math.round(updated.body.amount * 100) };
    const payments = new Payments(service);
    expect(await payments.pay(paid, 'card_success')).to.equal('accepted');
    await readHosted();
    const order = { email: 'anyone@example.com', language: 'en', limitAddress: '127.0.0.1' } as const;
    expect(await payments.pages().requestReceipt(token, order)).to.equal('queued');
    await runJobs(service, mails);
    const [delivery] = await service.query<{ payload: string }>(
      'select payload from webhook_deliveries where payment_link_id = $1',
      [id],
    );
    views[1].set('event', JSON.parse(delivery?.payload ?? '{}').data.paymentLink);
    csv = (await owner.post(`/console/${practice.practiceId}/live/payments/export`, {})).text;
    await erasePatient(service.scope(), { linkId: id });
    const left = await service.query(
      `select (select json_agg(l) from payment_links l) as links, (select json_agg(p) from patients p) as patients,
         (select json_agg(r) from idempotent_replies r) as replies`,
    );
    erased = JSON.stringify(left);
  });

  async function read(step: 0 | 1): Promise<void> {
    views[step].set('get', (await practice.live.get(`${PATH}/${id}`)).body);
    views[step].set('list', (await practice.live.get(PATH)).body.data[0]);
    pages.push((await owner.get(`/console/${practice.practiceId}/live/links/${id}`)).text);
    await readHosted();
  }

  async function readHosted(): Promise<void> {
    hostedPages.push(await (await fetch(`${service.baseUrl}/pay/${token}?lang=en`)).text());
  }

  it('a property of the requests is in the table of this test, with its place on the page, and is either personal or stays', () => {
    expect(Object.keys(FIELDS).toSorted()).to.deep.equal([...new Set([...CREATED, ...UPDATED])].toSorted());
    for (const [path, { page, hosted, note, stays = false }] of Object.entries(FIELDS)) {
      expect(page ?? note, path).to.not.equal(undefined);
      if (hosted === true) expect(page, path).to.not.equal(undefined);
      expect(isPersonal(path), path).to.equal(!stays);
    }
  });

  for (const [path, { values, reply = path, page = [], hosted, audit, csv: inCsv }] of Object.entries(FIELDS)) {
    const expected = (step: 0 | 1) => (path === 'locationId' ? locationId : values[step]);

    it(`${path} is shown by create, get, list, update and event as it was given`, () => {
      for (const [step, readers] of views.entries()) {
        for (const [reader, view] of readers) {
          expect(valueAt(view, reply), reader).to.deep.equal(expected(step === 0 ? 0 : 1));
        }
      }
    });

    if (page.length > 0) {
      it(`${path} is shown on the page of the link in the console`, () => {
        for (const [step, text] of page.entries()) expect(pages[step]).to.include(text);
      });
    }

    const words = [...values.flatMap(wordsOf), ...page];
    it(`${path} is ${hosted === true ? '' : 'not '}shown on the hosted page`, () => {
      if (hosted !== true) for (const word of words) expect(hostedPages.join()).to.not.include(word);
      else for (const [step, text] of page.entries()) expect(hostedPages[step]).to.include(text);
    });

    if (HOSTED_TEXTS.some((text) => text === path)) {
      it(`${path} is shown on the receipt of the hosted page, and may have no card number`, async () => {
        expect(hostedPages[2]).to.include(page[1]);
        const refused = await practice.live.patch(`${PATH}/${id}`, { [path]: 'Card 4111 1111 1111 1111' });
        expect([refused.status, refused.body.error?.param]).to.deep.equal([400, path]);
      });
    }

    const name = path.split('.').at(-1) ?? '';
    // The forms offer days in place of a time.
    if (STAFF_FIELDS.some((field) => field === name && field !== 'expiresAt')) {
      it(`${path} has its input in the console's forms to create and to change a link`, () => {
        expect(forms.create).to.include(`name="${name}"`);
        if (UPDATED.includes(path)) expect(forms.change).to.include(`name="${name}"`);
      });
    }

    it(`${path} is ${inCsv === undefined ? 'not ' : ''}in the exported payments`, () => {
      if (inCsv !== undefined) expect(csv).to.include(inCsv);
      else for (const word of wordsOf(values[1])) expect(csv).to.not.include(word);
    });

    if (isPersonal(path)) {
      it(`${path} is in no mail, such as that with the receipt`, () => {
        expect(mails.mails.map(({ to }) => to)).to.include('anyone@example.com');
        for (const word of words) expect(JSON.stringify(mails.mails)).to.not.include(word);
      });

      it(`${path} is erased with its patient`, () => {
        for (const word of words) expect(erased).to.not.include(word);
      });
    }

    if (CLEARABLE.includes(path)) {
      it(`${path} is cleared by null`, async () => {
        const link = await createLink(practice.live, { ...requestOf(CREATED, 1), locationId });
        const cleared = await practice.live.patch(`${PATH}/${link.id}`, requestWith(path, null));
        expect(cleared.status, cleared.text).to.equal(200);
        expect(valueAt(cleared.body, reply)).to.equal(null);
      });
    }

    const longest = UPDATES.find((field) => field.path === path)?.schema.maxLength;
    if (longest !== undefined) {
      it(`${path} is refused with more than ${longest} characters`, async () => {
        const refused = await practice.live.patch(`${PATH}/${id}`, requestWith(path, 'a'.repeat(longest + 1)));
        expect([refused.status, refused.body.error?.param]).to.deep.equal([400, path]);
      });
    }

    if (UPDATED.includes(path)) {
      it(`a change of ${path} is named in the audit log`, () => {
        const named = entries.flatMap(({ after }) => [
          ...Object.keys(after ?? {}),
          ...((after?.changedFields ?? []) as string[]),
        ]);
        expect(named).to.include(audit);
      });
    }
  }
});
