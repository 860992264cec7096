import { randomUUID } from 'node:crypto';
import type { Api, Json } from '../api.ts';
import { EVENT_TYPES, type EventType, eventType } from '../events.ts';
import { Failure, UsageError } from '../failure.ts';
import { argument, type Command, numberOption, printObject, textOption } from './command.ts';

/** A request about the link, below `/api/v1`. */
interface Step {
  /** Path, with `{id}` for the link's id. */
  path: string;
  body: object;
}

const HELPERS = '/test-helpers/payment-links/{id}';
const simulate = (outcome: string): Step => ({ path: '/payment-links/{id}/simulate', body: { outcome } });
const dispute: Step = { path: `${HELPERS}/dispute`, body: {} };

/** The steps that make the event of each type happen to a new test link. */
const STEPS: Readonly<Record<Exclude<EventType, 'ping'>, readonly Step[]>> = {
  'payment_link.processing': [simulate('processing')],
  'payment_link.paid': [simulate('paid')],
  'payment_link.failed': [simulate('failed')],
  'payment_link.refunded': [simulate('paid'), { path: `${HELPERS}/refund`, body: {} }],
  'payment_link.disputed': [simulate('paid'), dispute],
  'payment_link.dispute_closed': [
    simulate('paid'),
    dispute,
    { path: `${HELPERS}/close-dispute`, body: { outcome: 'won' } },
  ],
  'payment_link.expired': [simulate('expired')],
  'payment_link.cancelled': [{ path: '/payment-links/{id}/cancel', body: {} }],
};

/** Makes an event happen. */
export const triggerCommand: Command = {
  name: 'trigger',
  summary: 'Makes an event happen: creates a test link, and does with it what leads to the event.',
  arguments: ['TYPE'],
  argumentValues: EVENT_TYPES,
  options: {
    amount: { value: 'DOLLARS', help: 'Amount of the link; default: 42.' },
    location: { value: 'ID', help: 'Location of the link; default: the first one of the practice.' },
  },
  examples: ['trigger payment_link.paid', 'trigger payment_link.refunded --json', 'trigger ping'],
  notes: [
    `The types are ${EVENT_TYPES.join(', ')}.`,
    'Earlier events of the link happen, too: a refund needs a payment.',
    'A ping goes to listeners only.',
  ],
  async run(call) {
    const type = eventType(argument(call, 0));
    const amount = numberOption(call, 'amount') ?? 42;
    const api = call.api();
    // A live key would create a live link before the service refuses the simulation.
    if (!api.settings.apiKey.startsWith('pp_test_')) {
      throw new UsageError('trigger needs a test key.', 'Set PAYLINKS_API_KEY to a key that begins with pp_test_.');
    }
    if (type === 'ping') {
      const ping = await api.call('POST', '/test-helpers/pings');
      return printObject(call, { type, eventId: ping.id }, ['type', 'eventId']);
    }
    const locationId = textOption(call, 'location') ?? (await firstLocation(api));
    const body = {
      amount,
      description: `Test of ${type}`,
      locationId,
      patient: { firstName: 'Ada', lastName: 'Moreno' },
    };
    const link = await api.call('POST', '/payment-links', { body, idempotencyKey: randomUUID() });
    const linkId = String(link.id);
    for (const { path, body } of STEPS[type]) {
      await api.call('POST', path.replace('{id}', encodeURIComponent(linkId)), { body });
    }
    printObject(call, { type, linkId, url: link.url }, ['type', 'linkId', 'url']);
  },
};

async function firstLocation(api: Api): Promise<string> {
  const { data } = await api.call<{ data: Json[] }>('GET', '/locations', { query: { pageSize: 1 } });
  const [location] = data;
  if (location === undefined) {
    throw new Failure('The practice has no active location.', 'Ask an administrator of the practice to add one.');
  }
  return String(location.id);
}
