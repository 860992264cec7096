import { expect } from 'chai';
import { hashKey, issueKey } from '../../src/access/service.ts';
import { hashToken } from '../../src/console/identity/sign-in/tokens.ts';
import { addMember, ConsoleBrowser, signInUrl } from '../console/console.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { createLink, idempotent, linkBody } from '../harness/service.ts';

const LINKS = '/api/v1/payment-links';

/** Random texts of 2.0.0: behind the two characters of a slot, and without them. Three in a hundred ended like the last two. */
const OLD_SECRETS = [
  'gdPHwEkdRmybAU_HxQP2YlpnsKq9iCtP',
  '0zgdPHwEkdRmybAU_HxQP2YlpnsKq9iCtP',
  'gdPHwEkdRmybAU_HxQP2YlpnsKq9iCt-',
  'zzgdPHwEkdRmybAU_HxQP2YlpnsKq9iCt_',
];

describe('keys, pages and sign-in addresses of 2.0.0', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());

  for (const secret of OLD_SECRETS) {
    it(`a key and a page with ${secret} are found by their whole text`, async () => {
      const { key } = await issueKey(service.scope(), { practiceId: practice.practiceId, test: true });
      const old = `pp_test_${secret}`;
      const asBefore = 'update api_keys set hash = $2, carries_slot = $3 where hash = $1';
      await service.query(asBefore, [hashKey(key), hashKey(old), secret.length === 34]);
      const client = service.client(old);
      const { status, body } = await client.post(LINKS, linkBody(), idempotent());
      expect(status).to.equal(201);
      await service.query('update payment_links set token = $2 where id = $1', [body.id, secret]);
      const path = `/pay/${secret}`;
      expect((await client.get(`${LINKS}/${body.id}`)).body.url).to.equal(`https://pay.example.com${path}`);
      expect((await fetch(`${service.baseUrl}${path}`)).status).to.equal(200);
      expect((await fetch(`${service.baseUrl}${path}).`)).url).to.equal(`${service.baseUrl}${path}`);
    });

    it(`a text that differs from ${secret} in its beginning is another key and another page`, async () => {
      const other = `a${secret.slice(1)}`;
      expect((await service.client(`pp_test_${other}`).get(LINKS)).status).to.equal(401);
      expect((await fetch(`${service.baseUrl}/pay/${other}`)).status).to.equal(404);
    });
  }

  it('a file of a page is found with the query that pages of 2.0.0 name', async () => {
    const { url } = await createLink(practice.test);
    const page = await (await fetch(`${service.baseUrl}${new URL(url).pathname}`)).text();
    const files = [...page.matchAll(/(?:src|href)="(\/pay-assets\/[^"]+)"/g)].map(([, file]) => file);
    expect(files).to.have.length(3);
    for (const file of files) {
      expect(file).to.not.include('?');
      expect((await fetch(`${service.baseUrl}${file}?slot=0z`)).headers.get('cache-control')).to.include('immutable');
    }
  });

  it('a sign-in address that a process of 2.0.0 mailed signs in', async () => {
    const { pathname } = new URL(await signInUrl(service, await addMember(service, practice.practiceId, 'owner')));
    const token = 'gdPHwEkdRmybAU_HxQP2YlpnsKq9iCtP-gdPHwEkdR_';
    const change = 'update sign_in_tokens set hash = $2 where hash = $1';
    await service.query(change, [hashToken(pathname.slice(pathname.lastIndexOf('/') + 1)), hashToken(token)]);
    const { status } = await new ConsoleBrowser(service).post(`/console/sign-in/${token}`);
    expect(status).to.equal(303);
  });

  it('a practice and a key that a process of 2.0.0 makes during the upgrade work', async () => {
    await service.query(
      `insert into practices (id, name, admin_email, payments_enabled, bank_debits_enabled, api_access_enabled, slot, created_at)
       values ('prac_01m7wkn8z4yx46ct3jts3gxaj4', 'Elm', 'a@elm.example', true, true, true, 700, now())`,
    );
    const practiceId = 'prac_01m7wkn8z4yx46ct3jts3gxaj4';
    await service.location(practiceId);
    expect(await createLink(await service.key({ practiceId, test: false }))).to.include({ status: 'active' });
  });
});
