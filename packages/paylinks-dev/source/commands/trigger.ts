import { randomUUID } from 'node:crypto';
import { type Api, ApiFailure, type Json } from '../api.ts';
import { EVENT_TYPES, type EventType, eventType } from '../events.ts';
import { Failure } from '../failure.ts';
import { readTestEvents } from '../webhooks/test-events.ts';
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
  summary: 'Makes an event happen: creates a test link, then pays, refunds, disputes or cancels it.',
  arguments: ['TYPE'],
  options: {
    amount: { value: 'DOLLARS', help: 'Amount of the link; default: 42.' },
    location: { value: 'ID', help: 'Location of the link; default: the first one of the practice.' },
  },
  examples: ['trigger payment_link.paid', 'trigger payment_link.refunded --json', 'trigger ping'],
  notes: [
    'Needs a test key.',
    `The types are ${EVENT_TYPES.join(', ')}.`,
    'Earlier events of the link happen, too: a refund needs a payment.',
    'A ping goes to listeners only.',
    '`eventId` is the id that `listen` shows, and the JSON has those of the earlier events, too. The key needs the scope',
    'webhooks:manage for that. Deliveries to endpoints have ids of their own.',
  ],
  async run(call) {
    const type = eventType(argument(call, 0));
    const amount = numberOption(call, 'amount') ?? 42;
    const api = call.api();
    // With a live key the first step would create a link that a patient can pay.
    api.needTestKey();
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
    const cursor = await cursorOf(api);
    const link = await api.call('POST', '/payment-links', { body, idempotencyKey: randomUUID() });
    const linkId = String(link.id);
    for (const { path, body } of STEPS[type]) {
      await api.call('POST', path.replace('{id}', encodeURIComponent(linkId)), { body });
    }
    const events = cursor === null ? null : await eventsAbout(api, linkId, cursor);
    const eventId = events?.findLast((event) => event.type === type)?.id ?? null;
    printObject(call, { type, linkId, url: link.url, eventId, events }, ['type', 'linkId', 'url', 'eventId']);
  },
};

/** Returns the position after all test events; null if the key may not read them. */
async function cursorOf(api: Api): Promise<string | null> {
  try {
    return (await readTestEvents(api)).cursor;
  } catch (error) {
    if (error instanceof ApiFailure && error.code === 'insufficient_scope') return null;
    throw error;
  }
}

/** Returns the events about the link after the position, in their order. */
async function eventsAbout(api: Api, linkId: string, cursor: string): Promise<{ type: string; id: string }[]> {
  const found = [];
  let page = { cursor, hasMore: true };
  while (page.hasMore) {
    const { data, ...next } = await readTestEvents(api, { query: { after: page.cursor } });
    found.push(...data.filter(({ payload }) => payload.includes(JSON.stringify(linkId))));
    page = next;
  }
  return found.map(({ type, id }) => ({ type, id }));
}

/** Returns the first location of the practice. @throws Failure if there is none */
async function firstLocation(api: Api): Promise<string> {
  const { data } = await api.call<{ data: Json[] }>('GET', '/locations', { query: { pageSize: 1 } });
  const [location] = data;
  if (location === undefined) {
    throw new Failure('The practice has no active location.', 'Ask an administrator of the practice to add one.');
  }
  return String(location.id);
}
