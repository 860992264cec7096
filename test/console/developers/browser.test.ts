import { expect } from 'chai';
import type { User } from '../../../src/console/people/users.ts';
import { listKeysOf } from '../../../src/keys/service.ts';
import { until } from '../../harness/processes.ts';
import { createLink, type TestPractice, type TestService } from '../../harness/service.ts';
import { createEndpoint, ENDPOINTS, type Endpoint, setExhaustedInARow } from '../../harness/webhooks.ts';
import { doubleClick, screenshot, type VisitOptions } from '../../pages/fixtures/browser.ts';
import { checkPage, checkPresent } from '../axe.ts';
import { addUser } from '../console.ts';
import { useSite } from '../site.ts';

const LONG_URL =
  'https://billing.example.com/a-very-long-path-of-a-practice-management-system/hooks?token=0123456789abcdef';

describe('the pages for developers in a browser', function () {
  this.timeout(120_000);
  const site = useSite();
  let service: TestService;
  let practice: TestPractice;
  let developer: User;
  let endpoint: Endpoint;
  let disabled: Endpoint;
  let keyId: string;
  let home: string;

  before(async () => {
    service = site.service;
    practice = await service.practice();
    home = `/console/${practice.practiceId}/test/developers`;
    developer = await addUser(service, practice.practiceId, 'developer');
    endpoint = await createEndpoint(practice.test, LONG_URL, { description: 'Billing system' });
    disabled = await createEndpoint(practice.test, 'https://old.example.com/hooks', {
      enabledEvents: ['payment_link.paid'],
    });
    await practice.test.patch(`${ENDPOINTS}/${disabled.id}`, { enabled: false });
    await setExhaustedInARow(service, disabled.id, 20);
    await createLink(practice.test);
    await practice.test.get('/api/v1/payment-links/plink_none');
    const [key] = await listKeysOf(service.scope(), { practiceId: practice.practiceId, test: true });
    keyId = key?.id ?? '';
    const logged = () => service.query('select from api_requests');
    await until(
      async () => (await logged()).length >= 5,
      () => 'the log lacks requests',
    );
  });

  const open = (options?: VisitOptions) => site.open(developer, options);

  it('every page for developers passes axe and fits the screen in both languages, widths and color schemes', async () => {
    const page = await open();
    const fresh = await service.practice();
    await addUser(service, fresh.practiceId, 'developer', { email: developer.email });
    const one = `${home}/webhooks/${endpoint.id}`;
    for (const [name, path] of [
      ['overview', `${home}?done=revoked`],
      ['first-steps', `/console/${fresh.practiceId}/live/developers`],
      ['key-new', `${home}/keys/new`],
      ['key', `${home}/keys/${keyId}`],
      ['endpoint-new', `${home}/webhooks/new`],
      ['endpoint', `${one}?done=created`],
      ['endpoint-disabled', `${home}/webhooks/${disabled.id}`],
      ['replay', `${one}/replay`],
      ['replay-preview', `${one}/replay?since=2030-06-15T00:00`],
      ['requests', `${home}/requests`],
      ['requests-empty', `${home}/requests?status=5`],
    ] as const) {
      await checkPage(page, `developers-${name}`, path);
    }
    await page.goto(`${one}?lang=en`);
    await page.getByRole('button', { name: 'Show the secret' }).click();
    await page.getByText('Keep it where only your program reads it.').waitFor();
    expect(await page.getByLabel('Secret').inputValue()).to.equal(endpoint.secret);
    await checkPresent(page, 'developers-secret');
  });

  it('a developer creates a live key, copies it, and revokes it', async () => {
    const page = await open();
    await site.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`/console/${practice.practiceId}/live/developers`);
    await page.getByRole('link', { name: 'Create an API key' }).click();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByText('Choose at least one permission.').waitFor();
    await checkPresent(page, 'developers-key-refused');
    await page.getByLabel('Read payment links').check();
    await doubleClick(page.getByRole('button', { name: 'Create the key' }));
    await page.getByText('It is shown this one time only.').waitFor();
    const key = await page.getByLabel('API key').inputValue();
    expect(key).to.match(/^pp_live_/);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(key);
    await screenshot(page, 'console-developers-key-shown');
    expect((await service.client(key).get('/api/v1/payment-links')).status).to.equal(200);
    await page.getByRole('link', { name: 'To the list of keys' }).click();
    expect(await page.content()).to.not.include(key);
    await page.getByRole('link', { name: `Key …${key.slice(-4)}` }).click();
    await page.getByLabel('Yes, revoke this key').check();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Its next request is refused.').waitFor();
    expect((await service.client(key).get('/api/v1/payment-links')).status).to.equal(401);
  });

  it('a developer adds an endpoint and finds a refused request by keyboard alone, without JavaScript', async () => {
    const page = await open({ javaScript: false, width: 320 });
    await page.goto(home);
    const press = async (text: string) => {
      const control = page.getByRole('link', { name: text, exact: true }).or(page.getByRole('button', { name: text }));
      await control.focus();
      await page.keyboard.press('Enter');
    };
    await press('Add a webhook endpoint');
    await page.getByLabel('Address (URL)').focus();
    await page.keyboard.type('https://desk.example.com/hooks');
    await press('Add the endpoint');
    await page.getByText('The endpoint receives events from now on.').waitFor();
    await press('Developers');
    await press('API requests');
    await page.getByLabel('Status').focus();
    await page.keyboard.press('4');
    await press('Apply');
    await page.getByText('not_found').first().waitFor();
    expect(await page.getByText('POST', { exact: true }).count()).to.equal(1); // The choice of the filter.
  });
});
