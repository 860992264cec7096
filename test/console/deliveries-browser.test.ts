import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { User } from '../../src/console/people/users.ts';
import { Receiver, refuse } from '../harness/receiver.ts';
import type { TestPractice, TestService } from '../harness/service.ts';
import {
  createEndpoint,
  deliver,
  type Endpoint,
  followRetrySchedule,
  listDeliveries,
  paidLink,
  ping,
} from '../harness/webhooks.ts';
import type { VisitOptions } from '../pages/fixtures/browser.ts';
import { checkPage, checkPresent } from './axe.ts';
import { addUser } from './console.ts';
import { useSite } from './site.ts';

describe('deliveries of the console in a browser', function () {
  this.timeout(120_000);
  const site = useSite();
  let service: TestService;
  let practice: TestPractice;
  let receiver: Receiver;
  let endpoint: Endpoint;
  let developer: User;
  let path: string;
  /** Ids of a failed, a delivered and a waiting delivery. */
  let failed: string;
  let delivered: string;
  let waiting: string;

  before(async () => {
    receiver = await new Receiver().start();
    service = site.service;
    practice = await service.practice();
    path = `/console/${practice.practiceId}/test/deliveries`;
    developer = await addUser(service, practice.practiceId, 'developer');
    endpoint = await createEndpoint(practice.test, `${receiver.url}/a-very-long-path-of-a-practice-management-system`);
    const deliverer = service.deliverer();
    receiver.answer = refuse(404);
    await paidLink(practice.test);
    await followRetrySchedule(service, deliverer, endpoint.id);
    receiver.answer = refuse(200);
    delivered = (await ping(practice.test, endpoint.id)).id;
    await deliver(deliverer, endpoint.id);
    waiting = (await ping(practice.test, endpoint.id)).id;
    failed = (await listDeliveries(practice.test, 'status=exhausted'))[0]?.id ?? '';
  });

  after(() => receiver?.close());

  const open = (options?: VisitOptions) => site.open(developer, options);

  /** Pastes a webhook whose JSON was written again into the debugger. */
  const paste = async (page: Page): Promise<void> => {
    const received = receiver.received.at(-1);
    await page.goto(`${path}/debugger`);
    await page.locator('#endpointId').selectOption(endpoint.id);
    await page.locator('#header').fill(String(received?.headers['service-signature']));
    await page.locator('#body').fill(JSON.stringify(received?.event, null, 2));
    await page.locator('main form button').click();
    await page.locator('main [role=status]').waitFor();
  };

  it('every page passes axe and fits the screen in both languages, widths and color schemes', async () => {
    const page = await open();
    for (const [name, address] of [
      ['list', path],
      ['list-invalid', `${path}?paymentLinkId=x`],
      ['list-empty', path.replace('/test/', '/live/')],
      ['failed', `${path}/${failed}`],
      ['delivered', `${path}/${delivered}?done=left_alone`],
      ['waiting', `${path}/${waiting}`],
      ['redeliver', `${path}/redeliver?endpointId=${endpoint.id}&since=2030-06-14T12:00`],
      ['redeliver-refused', `${path}/redeliver?endpointId=${endpoint.id}&since=x`],
      ['debugger', `${path}/debugger`],
      ['home', `/console/${practice.practiceId}`],
    ] as const) {
      await checkPage(page, `deliveries-${name}`, address);
    }
    await paste(page);
    await checkPresent(page, 'deliveries-verdict');
  });

  it('a developer finds out in two clicks from home why a webhook failed, and sends it again, without JavaScript', async () => {
    const page = await open({ javaScript: false });
    await page.goto(`/console/${practice.practiceId}`);
    await page.getByRole('link', { name: /^\d+ failed$/ }).click();
    await page.getByRole('link', { name: 'Why?' }).click();
    await page.getByRole('heading', { name: 'All attempts failed' }).waitFor();
    expect(await page.getByText('The endpoint answered 404 instead of 2xx. Check the path').count()).to.be.above(0);
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await page.getByText('It was queued and is sent within seconds.').waitFor();
  });

  it('a webhook whose JSON was written again is explained, although the browser sends its line breaks as CRLF', async () => {
    const page = await open();
    await paste(page);
    expect(await page.locator('main [role=status]').textContent()).to.include('parsed and written again');
    expect(await page.locator('#body').inputValue()).to.equal(JSON.stringify(receiver.received.at(-1)?.event, null, 2));
  });
});
