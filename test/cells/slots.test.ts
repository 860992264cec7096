import { expect } from 'chai';
import { newSecret, SLOT_COUNT, slotText, slotTextOf } from '../../src/base/slot.ts';
import { hashKey, issueKey } from '../../src/keys/service.ts';
import { getPractice } from '../../src/practices/find.ts';
import { createPractice } from '../../src/practices/service.ts';
import { query } from '../harness/database.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { createLink, idempotent, linkBody } from '../harness/service.ts';

const LINKS = '/api/v1/payment-links';

/** Random text of a key or token of releases before slots. */
const OLD_SECRET = 'gdPHwEkdRmybAU_HxQP2YlpnsKq9iCtP';

const tokenOf = (url: string) => url.slice(url.lastIndexOf('/') + 1);
const secretOf = (key: string) => key.replace(/^pp_[a-z]+_/, '');

describe('slots', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  let slot: string;

  before(async () => {
    slot = slotText((await getPractice(service.scope(), practice.practiceId)).slot);
  });

  it('each slot has a text of two characters, which no other slot has', () => {
    const texts = Array.from({ length: SLOT_COUNT }, (_, index) => slotText(index));
    expect(new Set(texts).size).to.equal(1024);
    for (const text of texts) expect(text).to.match(/^[0-9a-hjkmnp-tv-z]{2}$/);
    expect([texts[0], texts[31], texts[32], texts[1023]]).to.deep.equal(['00', '0z', '10', 'zz']);
  });

  it('the slot of a secret is read back, and a secret of earlier releases has none', () => {
    for (const index of [0, 17, 1023]) expect(slotTextOf(newSecret(index))).to.equal(slotText(index));
    for (const text of [OLD_SECRET, `il${OLD_SECRET}`, `0Z${OLD_SECRET}`, `00${OLD_SECRET}x`, '']) {
      expect(slotTextOf(text), text).to.equal(null);
    }
  });

  it('a secret with a slot keeps the 192 random bits that secrets had before', () => {
    const random = Array.from({ length: 50 }, () => newSecret(5).slice(2));
    for (const text of random) expect(Buffer.from(text, 'base64url')).to.have.length(24);
    expect(new Set(random).size).to.equal(50);
  });

  it('new keys and pages carry the slot of their practice, and ids do not', async () => {
    expect(slot).to.not.equal('00');
    for (const client of [practice.test, practice.live]) {
      const link = await createLink(client);
      expect(slotTextOf(secretOf(client.key ?? ''))).to.equal(slot);
      expect(slotTextOf(tokenOf(link.url))).to.equal(slot);
      expect(link.id).to.match(/^plink_[0-9a-z]{26}$/);
    }
  });

  it('a key with another slot is another key: it is answered 401', async () => {
    const key = practice.test.key ?? '';
    const other = key.replace(`pp_test_${slot}`, `pp_test_${slot === 'zz' ? 'zy' : 'zz'}`);
    expect(other).to.not.equal(key);
    const { status, body } = await service.client(other).get(LINKS);
    expect([status, body.error.code]).to.deep.equal([401, 'invalid_api_key']);
  });

  it('keys and pages without a slot still work', async () => {
    const { databaseUrl } = service.config;
    const { key, apiKey } = await issueKey(service.scope(), { practiceId: practice.practiceId, test: true });
    expect(apiKey.carriesSlot).to.equal(true);
    const old = `pp_test_${OLD_SECRET}`;
    const change = 'update api_keys set hash = $2, carries_slot = false where hash = $1';
    await query(databaseUrl, change, [hashKey(key), hashKey(old)]);
    const client = service.client(old);
    const created = await client.post(LINKS, linkBody(), idempotent());
    expect(created.status).to.equal(201);
    const { id } = created.body;
    await query(databaseUrl, 'update payment_links set token = $2 where id = $1', [id, OLD_SECRET]);
    expect((await client.get(`${LINKS}/${id}`)).body.url).to.equal(`https://pay.example.com/pay/${OLD_SECRET}`);
    const page = await fetch(`${service.baseUrl}/pay/${OLD_SECRET}`);
    expect(page.status).to.equal(200);
    expect(await page.text())
      .to.include('/pay-assets/')
      .and.not.include('slot=');
  });

  it('a page loads its files from its own cell: their addresses name the slot, also on a page without a link', async () => {
    const { url } = await createLink(practice.test);
    for (const [path, status] of [
      [`/pay/${tokenOf(url)}`, 200],
      [`/pay/${newSecret(31)}`, 404],
    ] as const) {
      const page = await fetch(`${service.baseUrl}${path}`);
      expect(page.status).to.equal(status);
      const files = [...(await page.text()).matchAll(/(?:src|href)="(\/pay-assets\/[^"]+)"/g)].map(([, file]) => file);
      expect(files).to.have.length(3);
      for (const file of files) {
        expect(file).to.match(new RegExp(`\\?slot=${status === 200 ? slot : '0z'}$`));
        expect((await fetch(`${service.baseUrl}${file}`)).headers.get('cache-control')).to.include('immutable');
      }
    }
  });

  it('practices that an earlier release creates have the first slot, and new ones never do', async () => {
    const { databaseUrl } = service.config;
    await query(
      databaseUrl,
      `insert into practices (id, name, admin_email, payments_enabled, bank_debits_enabled, api_access_enabled, created_at)
       values ('prac_0', 'Elm', 'a@elm.example', true, true, true, now())`,
    );
    expect((await getPractice(service.scope(), 'prac_0')).slot).to.equal(0);
    const input = { name: 'Elm', adminEmail: 'a@elm.example', paymentsEnabled: true };
    const slots = await Promise.all(
      Array.from({ length: 40 }, async () => (await createPractice(service.scope(), input)).slot),
    );
    for (const made of slots) expect(made).to.be.within(1, 1023);
    expect(new Set(slots).size).to.be.above(20);
    const chosen = await createPractice(service.scope(), { ...input, slots: [512] });
    expect(chosen.slot).to.equal(512);
  });
});
