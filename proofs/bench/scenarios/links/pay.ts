import { apiBesideFloor } from '../../measured-load.ts';
import type { LoadRequest } from '../../processes/connection.ts';
import type { Bench } from '../../scenario.ts';
import type { SeededLink } from '../../seed/changes.ts';
import { changeLoad, changeScene } from './change.ts';

const FLOOR =
  'the floor: bare Koa over pg: one statement for the page, one for each of the three transactions of a payment; no processor';

/** Returns two requests: the page, and its form. Each patient has an address, as a proxy would report it. */
function visit({ token, amountCents }: SeededLink, index: number): LoadRequest[] {
  const address = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  const fields = {
    lang: 'en',
    method_type: 'card',
    card_method: 'card_success',
    amount_cents: `${amountCents}`,
    // As the page would write it, in the location's time zone.
    day: new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Chicago' }).format(new Date()),
  };
  const headers = { 'X-Forwarded-For': address, 'User-Agent': 'bench', 'Accept-Language': 'en' };
  return [
    { method: 'GET', path: `/pay/${token}`, headers },
    {
      method: 'POST',
      path: `/pay/${token}/submit`,
      headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
      expectStatus: 303,
    },
  ];
}

/** Paying a live link by card on its page, at the sandbox processor. */
export async function pay(bench: Bench) {
  const { scene, newLinks } = await changeScene(bench);
  const measure = await apiBesideFloor(bench, scene, { TRUST_PROXY_HOPS: '1' });
  const name = 'card payment on the hosted page: page and form';
  const figures = await measure({ name, unit: 'payments/s', floor: FLOOR, rate: 0.4 }, async (port) => {
    const requests = (await newLinks()).flatMap(visit);
    await scene.admin.query('truncate rate_windows, rate_slots');
    return { ...changeLoad(requests, bench.effort, port), requestsEach: 2 };
  });
  const { rows } = await scene.admin.query<{ unpaid: number }>(
    `select count(*)::integer as unpaid from payment_attempts where status <> 'accepted'`,
  );
  if (rows[0]?.unpaid !== 0) throw new Error(`${rows[0]?.unpaid} payments did not succeed`);
  return figures;
}
