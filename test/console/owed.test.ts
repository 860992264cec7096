import { expect } from 'chai';
import { useService } from '../harness/fixtures.ts';
import { SETTLE_SECONDS } from '../harness/payments.ts';
import { addUser, type ConsoleBrowser, signedIn, signedInAs } from './console.ts';
import { type BillingPractice, billingPractice } from './payments-setup.ts';

const DAY_MS = 86_400_000;

describe('the owed amounts of the console', () => {
  const service = useService();
  let billing: BillingPractice;
  let desk: ConsoleBrowser;
  let path: string;

  before(async () => {
    billing = await billingPractice(service);
    const { practice, payments, northId } = billing;
    path = `${billing.path}/owed`;
    const link = (lastName: string, amount: number, rest: object = {}, contact: object = {}) =>
      payments.link(practice, {
        ...{ amount, locationId: practice.locationId, patient: { firstName: 'Ada', lastName, ...contact } },
        ...rest,
      });
    const until = (days: number) => ({
      expiresAt: new Date(service.clock.now().getTime() + days * DAY_MS).toISOString(),
    });
    await link('Expired', 20, until(2), { phone: '+13125550143' });
    const debit = await link('Returned', 400);
    await payments.pay(debit, 'bank_returns');
    service.clock.advance({ days: 25 });
    await payments.sweep();
    const declined = await link('Declined', 30, { locationId: northId });
    await payments.pay(declined, 'card_insufficient_funds');
    await link('Waiting', 50);
    const paid = await link('Paid', 70);
    await payments.pay(paid, 'card_success');
    const underWay = await link('Underway', 80);
    await payments.pay(underWay, 'bank_settles');
    service.clock.advance({ seconds: SETTLE_SECONDS / 3 });
    desk = await signedInAs(service, practice.practiceId, 'front_desk');
  });

  /** Returns the cells of the rows, as texts. */
  const rowsOf = (text: string) =>
    [...(/<tbody>([\s\S]*?)<\/tbody>/.exec(text)?.[1] ?? '').matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
      [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell = '']) =>
        cell
          .replaceAll(/<[^>]+>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      ),
    );

  const listed = async (filter = '', browser = desk) =>
    rowsOf((await browser.get(`${path}?${filter}`)).text).map(([patient = '']) => patient.replace('Ada ', ''));

  it('each row has patient, phone number to call, amount, time and what happened last, the oldest first', async () => {
    const { text } = await desk.get(path);
    expect(rowsOf(text).map((row) => row.slice(0, 6))).to.deep.equal([
      ['Ada Expired', '(312) 555-0143', '$20.00', 'June 15, 2030', 'Expired Never opened', 'Downtown'],
      ['Ada Returned', '', '$400.00', 'July 10, 2030', 'Returned Returned: not enough money', 'Downtown'],
      ['Ada Declined', '', '$30.00', 'July 10, 2030', 'Waiting Declined: not enough money', 'North'],
      ['Ada Waiting', '', '$50.00', 'July 10, 2030', 'Waiting Never opened', 'Downtown'],
    ]);
    expect(text).to.include('href="tel:+13125550143"');
  });

  it('the list is filtered by what happened, age and location, ordered by amount, and ignores values that are none', async () => {
    expect(await listed('order=amount')).to.deep.equal(['Returned', 'Waiting', 'Declined', 'Expired']);
    expect(await listed('show=waiting')).to.deep.equal(['Declined', 'Waiting']);
    expect(await listed('show=returned')).to.deep.equal(['Returned']);
    expect(await listed('show=expired')).to.deep.equal(['Expired']);
    expect(await listed('show=declined')).to.deep.equal(['Declined']);
    expect(await listed('show=never_opened')).to.deep.equal(['Expired', 'Declined', 'Waiting']);
    expect(await listed('age=0')).to.deep.equal(['Returned', 'Declined', 'Waiting']);
    expect(await listed('age=1')).to.deep.equal(['Expired']);
    expect(await listed('age=2')).to.deep.equal([]);
    expect(await listed(`location=${billing.northId}`)).to.deep.equal(['Declined']);
    for (const nonsense of ['show=constructor', 'age=3', 'order=name', 'after=x_plink_1', 'after=-99999999999999_x']) {
      expect(await listed(nonsense), nonsense).to.have.length(4);
    }
  });

  it('a person who is limited to locations sees rows and sums of these alone', async () => {
    const { practice, northId } = billing;
    const user = await addUser(service, practice.practiceId, 'viewer', { locationIds: [northId] });
    const limited = await signedIn(service, user);
    for (const filter of ['', `location=${practice.locationId}`]) {
      const { text } = await limited.get(`${path}?${filter}`);
      expect(text).to.not.match(/Downtown|\$400|\$500/);
    }
    expect(await listed('', limited)).to.deep.equal(['Declined']);
  });

  it('the rows offer only what the link and the role allow', async () => {
    const acts = async (browser: ConsoleBrowser) =>
      rowsOf((await browser.get(path)).text).map((row) => row.slice(6).join());
    expect(await acts(desk)).to.deep.equal([
      'New link Settled elsewhere',
      'New link Settled elsewhere',
      'Cancel',
      'Cancel',
    ]);
    const viewer = await signedInAs(service, billing.practice.practiceId, 'viewer');
    expect(await acts(viewer)).to.deep.equal(['', '', '', '']);
  });
});
