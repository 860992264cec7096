import { expect } from 'chai';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { createLink } from '../harness/service.ts';
import { addMember, COOKIE, ConsoleBrowser, signInUrl } from './console.ts';

const CONSOLE_URL = 'https://console.example.com';

describe('the console at an address of its own', () => {
  const service = useService({ env: { CONSOLE_URL } });
  const practice = madeOnce(() => service.practice());

  it('sign-in links lead to the host of the console, and hosted pages stay at theirs', async () => {
    const owner = await addMember(service, practice.practiceId, 'owner', { email: 'ada@elm.example' });
    const address = await signInUrl(service, owner);
    expect(address.startsWith(`${CONSOLE_URL}/console/sign-in/`)).to.equal(true);
    const browser = new ConsoleBrowser(service);
    const { status, cookie } = await browser.post(new URL(address).pathname);
    expect([status, cookie !== null && cookie !== '', COOKIE.startsWith('__Host-')]).to.deep.equal([303, true, true]);
    expect((await createLink(practice.live)).url).to.match(/^https:\/\/pay\.example\.com\/pay\//);
  });

  it('forms of the console are accepted from its own host, and not from that of hosted pages', async () => {
    const send = (origin: string) =>
      new ConsoleBrowser(service).post('/console/sign-in', { email: 'ada@elm.example' }, { origin });
    expect((await send(CONSOLE_URL)).status).to.not.equal(403);
    expect((await send('https://pay.example.com')).status).to.equal(403);
  });
});
