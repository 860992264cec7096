import { expect } from 'chai';
import fc from 'fast-check';
import { LINK_FIELDS } from '../../src/payment-links/state/fields.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { deactivateLocation, updatePractice } from '../../src/practices/service.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import type { Client } from '../harness/client.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { outcome } from '../harness/refusal.ts';
import { createLink, idempotent, linkBody, TestService } from '../harness/service.ts';

const PATH = '/api/v1/payment-links';
const DAY_MS = 86_400_000;

/** Null for each field that a request may leave out, those of the patient aside. */
const NOTHING = Object.fromEntries(
  Object.values(LINK_FIELDS).flatMap(({ path, isRequired }) =>
    path.includes('.') || isRequired ? [] : [[path, null]],
  ),
);

/** An address of this length, whose parts have at most the allowed lengths. */
const emailOf = (length: number) =>
  `${'x'.repeat(64)}@${[63, 63, length - 193].map((size) => 'x'.repeat(size)).join('.')}`;

describe('createPaymentLink', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());

  /** Creates a link with these overrides, and returns the outcome in one line. */
  async function create(overrides: Record<string, unknown>, client: Client = practice.test): Promise<string> {
    return outcome(await client.post(PATH, linkBody(overrides), idempotent()));
  }

  function patient(overrides: Record<string, unknown>) {
    return { patient: { firstName: 'Ada', lastName: 'Byron', ...overrides } };
  }

  function inTime(ms: number): string {
    return new Date(service.clock.now().getTime() + ms).toISOString();
  }

  describe('201', () => {
    it('a minimal body makes an active link with the documented defaults', async () => {
      const link = await createLink(practice.test);
      const { locationId: _, ...absent } = NOTHING;
      expect(link).to.deep.equal({
        ...absent,
        id: link.id,
        object: 'payment_link',
        url: link.url,
        status: 'active',
        test: true,
        amount: 125.5,
        currency: 'usd',
        description: 'Cleaning',
        patient: { firstName: 'Ada', lastName: 'Byron', phone: null, email: null, externalId: null },
        location: { id: practice.locationId, name: 'Downtown' },
        source: 'api',
        expiresAt: inTime(30 * DAY_MS),
        paidAt: null,
        createdAt: inTime(0),
        transaction: null,
        refunds: [],
      });
    });

    it('a complete body is returned as it was sent, with the telephone in E.164 and times in UTC', async () => {
      const link = await createLink(practice.live, {
        currency: 'usd',
        externalReference: 'invoice-10432',
        metadata: { ledger: '88213', b: '', a: 'ü' },
        locationId: practice.locationId,
        expiresAt: '2030-07-01T02:00:00.5+02:00',
        ...patient({ phone: '+1 (202) 555-0143', email: 'ada@example.com', externalId: 'MRN-1' }),
      });
      expect(link).to.deep.include({
        test: false,
        externalReference: 'invoice-10432',
        expiresAt: '2030-07-01T00:00:00.500Z',
        patient: {
          firstName: 'Ada',
          lastName: 'Byron',
          phone: '+12025550143',
          email: 'ada@example.com',
          externalId: 'MRN-1',
        },
      });
      expect(JSON.stringify(link.metadata), 'keys in the order they were sent').to.equal(
        '{"ledger":"88213","b":"","a":"ü"}',
      );
    });

    it('null stands for an absent value in every optional field', async () => {
      const link = await createLink(practice.test, {
        ...NOTHING,
        ...patient({ phone: null, email: null, externalId: null }),
      });
      expect(link).to.deep.include({ currency: 'usd', externalReference: null, metadata: null });
      expect(link.expiresAt).to.equal(inTime(30 * DAY_MS));
    });

    it('the page address is the public address, /pay/ and at least 128 random bits unrelated to the id', async () => {
      const links = await Promise.all([1, 2, 3].map(() => createLink(practice.test)));
      for (const { id, url } of links) {
        expect(url).to.match(/^https:\/\/pay\.example\.com\/pay\/[A-Za-z0-9]{22,}$/);
        expect(url).not.to.include(id.slice('plink_'.length));
      }
      expect(new Set(links.map(({ url }) => url)).size).to.equal(3);
    });

    it('every amount of whole cents in range is accepted and comes back equal', async () => {
      const cents = fc.oneof(fc.integer({ min: 1, max: 99_999_999 }), fc.integer({ min: 1, max: 30_000 }));
      await fc.assert(
        fc.asyncProperty(fc.array(cents, { minLength: 25, maxLength: 25 }), async (amounts) => {
          const texts = amounts.map((amount) => `${Math.floor(amount / 100)}.${`${amount % 100}`.padStart(2, '0')}`);
          const links = await Promise.all(texts.map((text) => createLink(practice.test, { amount: Number(text) })));
          expect(links.map(({ amount }) => amount.toFixed(2))).to.deep.equal(texts);
        }),
        { numRuns: 4 },
      );
    });

    for (const amount of [0.01, 0.07, 0.29, 1.1, 4.35, 8.2, 1.005e2, 19.99, 1e2, 70000.37, 999999.98, 999999.99]) {
      it(`amount ${amount} is accepted and comes back equal`, async () => {
        expect((await createLink(practice.test, { amount })).amount).to.equal(amount);
      });
    }

    const ACCEPTED: [what: string, overrides: Record<string, unknown>][] = [
      ['description of 1 character', { description: 'x' }],
      ['description of 500 characters', { description: 'x'.repeat(500) }],
      ['description of 500 characters outside the basic plane', { description: '🦷'.repeat(500) }],
      ['description with tab and line breaks', { description: 'a\tb\r\nc' }],
      ['a replacement character, which is a character like others', { description: 'a\uFFFDb' }],
      ['externalReference of 1 character', { externalReference: 'x' }],
      ['externalReference of 200 characters', { externalReference: '🦷'.repeat(200) }],
      ['names of 1 and 100 characters', patient({ firstName: 'x', lastName: '🦷'.repeat(100) })],
      ['externalId of 100 characters', patient({ externalId: 'x'.repeat(100) })],
      ['email of 254 characters', patient({ email: emailOf(254) })],
      ['metadata without keys', { metadata: {} }],
      ['metadata of 20 keys', { metadata: keys(20) }],
      ['metadata of 2,048 bytes', { metadata: bytes(2048) }],
      ['metadata of 2,048 bytes in characters of several bytes', { metadata: { a: 'ü'.repeat(1020) } }],
      ['metadata values with line breaks', { metadata: { a: 'b\nc\td' } }],
      [
        'metadata keys that objects have by nature',
        { metadata: { constructor: 'a', toString: 'b', hasOwnProperty: 'c' } },
      ],
      ['metadata with a card number, which no person typed', { metadata: { a: '4111111111111111' } }],
      ['externalReference with a card number', { externalReference: '4111111111111111' }],
    ];
    for (const [what, overrides] of ACCEPTED) {
      it(`a create accepts ${what}, and gives it back`, async () => {
        const link = await createLink(practice.test, overrides);
        for (const [field, value] of Object.entries(overrides)) expect(link[field]).to.deep.include(value);
        const read = await practice.test.get(`${PATH}/${link.id}`);
        expect(read.body).to.deep.equal(link);
      });
    }

    const PHONES: [given: string, stored: string][] = [
      ['+12025550143', '+12025550143'],
      ['+1 202-555-0143', '+12025550143'],
      ['+1.202.555.0143', '+12025550143'],
      ['+44 20 7946 0958', '+442079460958'],
      ['+49 (0)30 901820', '+4930901820'],
    ];
    for (const [given, stored] of PHONES) {
      it(`a create keeps the telephone number ${given} as ${stored}`, async () => {
        expect((await createLink(practice.test, patient({ phone: given }))).patient.phone).to.equal(stored);
      });
    }

    it('expiresAt may be 1 ms ahead and 365 days after creation', async () => {
      for (const ms of [1, 365 * DAY_MS]) {
        expect((await createLink(practice.test, { expiresAt: inTime(ms) })).expiresAt).to.equal(inTime(ms));
      }
    });

    for (const description of [
      'Chart 4111111111111112',
      'Invoice 30569309025904 (not one of the four networks)',
      'Case 94111111111111111',
      'Case 6221250000000001',
      'Case 6229260000000002',
      'Case 6221000000000000006',
      'Case 411111111111111',
      'Rooms 41, 11, 11, 11',
    ]) {
      it(`a create accepts digits that are no card number: ${description}`, async () => {
        expect(await create({ description })).to.equal('201');
      });
    }

    it('a create accepts text/json, application/*+json and any case of the media type', async () => {
      for (const type of ['text/json', 'application/vnd.api+json', 'Application/JSON; Charset=UTF-8']) {
        const { headers } = idempotent();
        const reply = await practice.test.post(PATH, linkBody(), { headers: { ...headers, 'content-type': type } });
        expect(reply.status, type).to.equal(201);
      }
    });
  });

  describe('400', () => {
    const REFUSED: [what: string, overrides: Record<string, unknown>, param: string, code?: string][] = [
      ['amount 0', { amount: 0 }, 'amount'],
      ['amount 0.009', { amount: 0.009 }, 'amount'],
      ['amount 0.001', { amount: 0.001 }, 'amount'],
      ['a negative amount', { amount: -1 }, 'amount'],
      ['amount 1000000', { amount: 1_000_000 }, 'amount'],
      ['amount 999999.991', { amount: 999_999.991 }, 'amount'],
      ['three decimals', { amount: 12.345 }, 'amount'],
      ['a sum as binary floats make it', { amount: 0.1 + 0.2 }, 'amount'],
      ['an enormous amount', { amount: 1e308 }, 'amount'],
      ['amount as text', { amount: '12.50' }, 'amount'],
      ['amount null', { amount: null }, 'amount'],
      ['no amount', { amount: undefined }, 'amount'],
      ['an empty description', { description: '' }, 'description'],
      ['description of 501 characters', { description: 'x'.repeat(501) }, 'description'],
      ['description null', { description: null }, 'description'],
      ['no description', { description: undefined }, 'description'],
      ['no patient', { patient: undefined }, 'patient'],
      ['patient null', { patient: null }, 'patient'],
      ['patient as a list', { patient: [] }, 'patient'],
      ['no firstName', { patient: { lastName: 'B' } }, 'patient.firstName'],
      ['no lastName', { patient: { firstName: 'A' } }, 'patient.lastName'],
      ['an empty firstName', patient({ firstName: '' }), 'patient.firstName'],
      ['a firstName of blanks', patient({ firstName: ' \u00a0\u3000' }), 'patient.firstName'],
      ['a lastName of invisible characters', patient({ lastName: '\u200b\u2060\u00ad\u200d' }), 'patient.lastName'],
      ['a telephone number with a line break', patient({ phone: '\n+12025550143' }), 'patient.phone'],
      ['firstName of 101 characters', patient({ firstName: 'x'.repeat(101) }), 'patient.firstName'],
      ['lastName of 101 characters', patient({ lastName: 'x'.repeat(101) }), 'patient.lastName'],
      ['lastName null', patient({ lastName: null }), 'patient.lastName'],
      ['a line break in a name', patient({ firstName: 'A\nB' }), 'patient.firstName'],
      ['a tab in a name', patient({ lastName: 'A\tB' }), 'patient.lastName'],
      ['an empty externalId', patient({ externalId: '' }), 'patient.externalId'],
      ['externalId of 101 characters', patient({ externalId: 'x'.repeat(101) }), 'patient.externalId'],
      ['email without @', patient({ email: 'ada.example.com' }), 'patient.email'],
      ['an empty email', patient({ email: '' }), 'patient.email'],
      ['email of 255 characters', patient({ email: emailOf(255) }), 'patient.email'],
      ['email of 65 characters before the @', patient({ email: `${'x'.repeat(65)}@example.com` }), 'patient.email'],
      ['email with a label of 64 characters', patient({ email: `a@${'x'.repeat(64)}.com` }), 'patient.email'],
      ['email with a Unicode host', patient({ email: 'ada@bücher.example' }), 'patient.email'],
      ['a telephone number without +', patient({ phone: '2025550143' }), 'patient.phone'],
      ['a telephone number too short', patient({ phone: '+1202' }), 'patient.phone'],
      ['a telephone number of no country', patient({ phone: '+999123456789' }), 'patient.phone'],
      ['a telephone number with an extension', patient({ phone: '+12025550143 ext. 5' }), 'patient.phone'],
      ['words before the telephone number', patient({ phone: 'call +12025550143' }), 'patient.phone'],
      ['words after the telephone number', patient({ phone: '+12025550143 please' }), 'patient.phone'],
      ['a service patient id', patient({ id: 'pat_1' }), 'patient.id', 'unknown_parameter'],
      ['currency USD', { currency: 'USD' }, 'currency'],
      ['currency eur', { currency: 'eur' }, 'currency'],
      ['an empty currency', { currency: '' }, 'currency'],
      ['an empty externalReference', { externalReference: '' }, 'externalReference'],
      ['externalReference of 201 characters', { externalReference: 'x'.repeat(201) }, 'externalReference'],
      ['externalReference as a number', { externalReference: 5 }, 'externalReference'],
      ['a line break in externalReference', { externalReference: 'a\nb' }, 'externalReference'],
      ['metadata of 21 keys', { metadata: keys(21) }, 'metadata'],
      ['metadata of 2,049 bytes', { metadata: bytes(2049) }, 'metadata'],
      ['metadata of fewer characters, but more bytes', { metadata: { a: 'ü'.repeat(1021) } }, 'metadata'],
      ['metadata with a number', { metadata: { a: 1 } }, 'metadata.a'],
      ['metadata with null', { metadata: { a: null } }, 'metadata.a'],
      ['metadata with an object', { metadata: { a: {} } }, 'metadata.a'],
      ['metadata as a list', { metadata: ['a'] }, 'metadata'],
      ['metadata as text', { metadata: 'a' }, 'metadata'],
      ['a control character in a metadata value', { metadata: { a: '\u0007' } }, 'metadata.a'],
      ['a line break in a metadata key', { metadata: { 'a\nb': 'c' } }, 'metadata'],
      ['a NUL in a metadata key', { metadata: { 'a\u0000': 'c' } }, 'metadata'],
      ['locationId as a number', { locationId: 1 }, 'locationId'],
      ['a NUL in locationId', { locationId: 'loc_\u0000' }, 'locationId'],
      ['expiresAt without a zone', { expiresAt: '2030-07-01T00:00:00' }, 'expiresAt'],
      ['expiresAt as a date', { expiresAt: '2030-07-01' }, 'expiresAt'],
      ['expiresAt as a number', { expiresAt: 1_909_440_000 }, 'expiresAt'],
      ['expiresAt on a day that does not exist', { expiresAt: '2031-02-29T00:00:00Z' }, 'expiresAt'],
      ['expiresAt before our era', { expiresAt: '0000-01-01T00:00:00Z' }, 'expiresAt'],
      ['expiresAt in the past', { expiresAt: '1969-12-31T23:59:59Z' }, 'expiresAt'],
      ['an unknown property', { colour: 'red' }, 'colour', 'unknown_parameter'],
      ["source, which is not the caller's to say", { source: 'staff' }, 'source', 'unknown_parameter'],
    ];
    for (const [what, overrides, param, code = 'validation_error'] of REFUSED) {
      it(`${code} ${param}: ${what}`, async () => {
        expect(await create(overrides)).to.equal(`400 ${code} ${param}`);
      });
    }

    it('validation_error amount: three decimals, whatever they are', async () => {
      const thousandths = fc.integer({ min: 11, max: 999_999_989 }).filter((value) => value % 10 !== 0);
      await fc.assert(
        fc.asyncProperty(fc.array(thousandths, { minLength: 20, maxLength: 20 }), async (values) => {
          const outcomes = await Promise.all(values.map((value) => create({ amount: Number(`${value}e-3`) })));
          expect(new Set(outcomes)).to.deep.equal(new Set(['400 validation_error amount']));
        }),
        { numRuns: 2 },
      );
    });

    const DIRT = ['\u0000', '\u0001', '\u001b', '\u007f', '\u0085', '\ud800', '\udfff', '\udc00\ud800'];
    for (const [field, body] of [
      ['description', (text: string) => ({ description: text })],
      ['externalReference', (text: string) => ({ externalReference: text })],
      ['patient.firstName', (text: string) => patient({ firstName: text })],
      ['patient.lastName', (text: string) => patient({ lastName: text })],
      ['patient.externalId', (text: string) => patient({ externalId: text })],
      ['metadata.a', (text: string) => ({ metadata: { a: text } })],
    ] as const) {
      it(`validation_error ${field}: control characters, NUL and lone surrogates`, async () => {
        for (const dirt of DIRT) {
          expect(await create(body(`x${dirt}y`)), escape(dirt)).to.equal(`400 validation_error ${field}`);
        }
      });
    }

    it('201 for names with blanks around, which are removed, and with joiners, which are not', async () => {
      const names = { firstName: ' \u3000Ada\u200b', lastName: '\u00a0de la  Cruz\u2003' };
      const { patient: shown } = await createLink(practice.live, patient(names));
      expect(shown).to.include({ firstName: 'Ada', lastName: 'de la  Cruz' });
      const joined = { firstName: 'علی\u200cرضا', lastName: 'രാജന\u0d4d\u200d' };
      expect((await createLink(practice.live, patient(joined))).patient).to.include(joined);
    });

    it('201 for a telephone number with invisible characters or blanks around it, in E.164', async () => {
      for (const phone of [
        '\u202a+1 202 555 0143\u202c',
        '\u2060+1\u200e(202) 555\u20110143\u200f',
        '\u3000 +12025550143\u00a0',
      ]) {
        expect((await createLink(practice.live, patient({ phone }))).patient.phone, escape(phone)).to.equal(
          '+12025550143',
        );
      }
    });

    const MARKS = ['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'];
    for (const [field, body] of [
      ['externalReference', (text: string) => ({ externalReference: text })],
      ['patient.firstName', (text: string) => patient({ firstName: text })],
      ['patient.lastName', (text: string) => patient({ lastName: text })],
    ] as const) {
      it(`validation_error ${field}: marks that turn the direction of text around`, async () => {
        for (const mark of MARKS) {
          expect(await create(body(`x${mark}y`)), escape(mark)).to.equal(`400 validation_error ${field}`);
        }
        expect((await create(body('עדה לאבלייס'))).slice(0, 3), 'letters of such scripts').to.equal('201');
      });
    }

    for (const number of [
      '4111111111111111',
      '4111 1111 1111 1111',
      '4111-1111-1111-1111',
      '4111 – 1111 – 1111 – 1111',
      '4222222222222',
      '4000000000000000006',
      '5555 5555 5555 4444',
      '2223003122003222',
      '3782 822463 10005',
      '371449635398431',
      '6011111111111117',
      '6011000990139424',
      '6445644564456445',
      '6500000000000002',
      '6221260000000000',
      '6229259999999992',
      '6225000000000000007',
      '４１１１１１１１１１１１１１１１',
    ]) {
      it(`validation_error description: the card number ${number} between other words`, async () => {
        expect(await create({ description: number })).to.equal('400 validation_error description');
        expect(await create({ description: `Room 12 ${number} exp 12/30` })).to.equal(
          '400 validation_error description',
        );
      });
    }

    it('validation_error expiresAt: now, and 1 ms more than 365 days ahead', async () => {
      for (const ms of [0, -1, 365 * DAY_MS + 1]) {
        expect(await create({ expiresAt: inTime(ms) }), `${ms}`).to.equal('400 validation_error expiresAt');
      }
    });

    it('validation_error: no body at all, and no object', async () => {
      for (const body of [undefined, '', '[]', 'null', '1', '"x"', 'true']) {
        const reply = await practice.test.post(PATH, body, idempotent());
        expect(outcome(reply), body).to.equal('400 validation_error');
      }
    });

    it('idempotency_key_required: no Idempotency-Key, or an empty one', async () => {
      expect(outcome(await practice.test.post(PATH, linkBody()))).to.equal(
        '400 idempotency_key_required Idempotency-Key',
      );
      expect(outcome(await practice.test.post(PATH, linkBody(), idempotent('')))).to.equal(
        '400 idempotency_key_required Idempotency-Key',
      );
    });

    it('a refused request stores nothing', async () => {
      const { test, practiceId } = await service.practice();
      await create({ amount: 0 }, test);
      await create({ locationId: 'loc_x' }, test);
      const sql = `select (select count(*) from payment_links where practice_id = $1)
        + (select count(*) from idempotent_replies where practice_id = $1)
        + (select count(*) from daily_link_counts where practice_id = $1) as n`;
      expect(await service.query(sql, [practiceId])).to.deep.equal([{ n: '0' }]);
    });
  });

  describe('the location', () => {
    const several = madeOnce(() => service.practice());
    let second: string;
    let closed: string;
    let pinned: Client;

    before(async () => {
      second = await service.location(several.practiceId, 'Eastside');
      closed = await service.location(several.practiceId, 'Closed');
      await deactivateLocation(service.scope(), closed);
      pinned = await service.key({ practiceId: several.practiceId, test: true, locationId: second });
    });

    it('an unpinned key of a practice with several locations must name one', async () => {
      expect(await create({}, several.test)).to.equal('400 validation_error locationId');
      expect(await create({}, several.live)).to.equal('400 validation_error locationId');
      expect((await createLink(several.test, { locationId: second })).location).to.deep.equal({
        id: second,
        name: 'Eastside',
      });
    });

    it('the location may be left out if the practice has a single active one', async () => {
      const one = await service.practice();
      await deactivateLocation(service.scope(), await service.location(one.practiceId));
      expect((await createLink(one.test)).location.id).to.equal(one.locationId);
      expect((await createLink(one.live, { locationId: one.locationId })).location.id).to.equal(one.locationId);
    });

    it('the location of a link by a pinned key is the pin, named or not', async () => {
      expect((await createLink(pinned)).location.id).to.equal(second);
      expect((await createLink(pinned, { locationId: second })).location.id).to.equal(second);
    });

    it('404 is the same for an unknown, malformed, foreign or inactive location and for one outside the pin', async () => {
      const unknown = newId('location', service.clock.now());
      for (const locationId of [unknown, 'x', '', practice.locationId, closed, 'plink_1']) {
        expect(await create({ locationId }, several.test), locationId).to.equal('404 not_found locationId');
      }
      for (const locationId of [several.locationId, closed, unknown]) {
        expect(await create({ locationId }, pinned), locationId).to.equal('404 not_found locationId');
      }
    });

    it('409 no_active_location without an active location, in either mode, and for a closed pin', async () => {
      const none = await service.practice();
      await deactivateLocation(service.scope(), none.locationId);
      expect(await create({}, none.test)).to.equal('409 no_active_location');
      expect(await create({}, none.live)).to.equal('409 no_active_location');
      const closing = await service.location(several.practiceId, 'Closing');
      const stranded = await service.key({ practiceId: several.practiceId, test: true, locationId: closing });
      await deactivateLocation(service.scope(), closing);
      expect(await create({}, stranded)).to.equal('409 no_active_location');
      const { body } = await stranded.post(PATH, linkBody(), idempotent());
      expect(body.error.message).to.equal('There is no active location for this key.');
    });
  });

  describe('409', () => {
    it('payments_not_enabled: a live key before onboarding is finished; a test key creates links', async () => {
      const early = await service.practice({ paymentsEnabled: false });
      expect(await create({}, early.live)).to.equal('409 payments_not_enabled');
      expect(await create({}, early.test)).to.equal('201');
      await updatePractice(service.scope(), early.practiceId, { paymentsEnabled: true });
      expect(await create({}, early.live)).to.equal('201');
    });

    it('payments_not_enabled is checked before no_active_location, an unknown location before both', async () => {
      const neither = await service.practice({ paymentsEnabled: false });
      await deactivateLocation(service.scope(), neither.locationId);
      expect(await create({}, neither.live)).to.equal('409 payments_not_enabled');
      expect(await create({ locationId: 'loc_x' }, neither.live)).to.equal('404 not_found locationId');
    });
  });

  describe('429', () => {
    // When the day of UTC ends, it is afternoon in one of them, and the next day in the other.
    for (const place of ['America/Los_Angeles', 'Pacific/Kiritimati']) {
      it(`daily_limit_reached after 5,000 links of a key in a UTC day, until midnight, to the second, on a server in ${place}`, async () => {
        const own = await TestService.start();
        const before = process.env.TZ;
        process.env.TZ = place;
        afterThisTest(async () => {
          if (before === undefined) delete process.env.TZ;
          else process.env.TZ = before;
          await own.close();
        });
        const { practiceId } = await own.practice();
        const client = await own.key({ practiceId, test: true });
        const other = await own.key({ practiceId, test: true });
        own.clock.set('2030-06-15T22:59:59.001Z');
        expect(await create({}, client)).to.equal('201');
        await own.query('update daily_link_counts set created_count = 4999 where created_count = 1');
        expect(await create({}, client)).to.equal('201');
        const refused = await client.post(PATH, linkBody(), idempotent());
        expect(outcome(refused)).to.equal('429 daily_limit_reached');
        expect(refused.headers['retry-after']).to.equal('3601');
        expect(await create({}, other), 'the cap is per key').to.equal('201');
        own.clock.set('2030-06-15T23:59:59.999Z');
        expect((await client.post(PATH, linkBody(), idempotent())).headers['retry-after']).to.equal('1');
        own.clock.set('2030-06-16T00:00:00.000Z');
        expect(await create({}, client)).to.equal('201');
      });
    }

    it('concurrent creates stop exactly at the 5,000th link', async () => {
      const { practiceId } = await service.practice();
      const client = await service.key({ practiceId, test: true });
      await createLink(client);
      await service.query(
        `update daily_link_counts set created_count = 4990
         where api_key_id = (select id from api_keys where practice_id = $1 order by id desc limit 1)`,
        [practiceId],
      );
      const outcomes = await Promise.all(Array.from({ length: 30 }, () => create({}, client)));
      expect(outcomes.filter((line) => line === '201')).to.have.length(10);
      expect(outcomes.filter((line) => line === '429 daily_limit_reached')).to.have.length(20);
    });
  });
});

function keys(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'x']));
}

/** Metadata whose JSON text has that many bytes. */
function bytes(count: number): Record<string, string> {
  return { a: 'x'.repeat(count - '{"a":""}'.length) };
}
