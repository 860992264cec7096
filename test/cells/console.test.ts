import { expect } from 'chai';
import { addUser, COOKIE, ConsoleBrowser, signInUrl } from '../console/console.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { createLink } from '../harness/service.ts';

const CONSOLE_URL = 'https://b.pay.example.com';

describe('the console of a cell', () => {
  const service = useService({ env: { CONSOLE_URL } });
  const practice = madeOnce(() => service.practice());

  it('sign-in links lead to the host of the cell, and hosted pages stay at the address of all cells', async () => {
    const owner = await addUser(service, practice.practiceId, 'owner', { email: 'ada@elm.example' });
    const address = await signInUrl(service, owner);
    expect(address.startsWith(`${CONSOLE_URL}/console/sign-in/`)).to.equal(true);
    const browser = new ConsoleBrowser(service);
    const { status, cookie } = await browser.post(new URL(address).pathname);
    expect([status, cookie !== null && cookie !== '', COOKIE.startsWith('__Host-')]).to.deep.equal([303, true, true]);
    expect((await createLink(practice.live)).url).to.match(/^https:\/\/pay\.example\.com\/pay\//);
  });

  it('forms of the console are accepted from the host of the cell, and not from that of hosted pages', async () => {
    const send = (origin: string) =>
      new ConsoleBrowser(service).post('/console/sign-in', { email: 'ada@elm.example' }, { origin });
    expect((await send(CONSOLE_URL)).status).to.not.equal(403);
    expect((await send('https://pay.example.com')).status).to.equal(403);
  });
});
