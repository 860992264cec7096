import { createHmac } from 'node:crypto';
import type { Evidence, Rule } from './evidence.ts';
import type { Arrival } from './receivers.ts';

/** Rules about arrivals and tables, for the time after all deliveries have ended. */
export const ARRIVAL_RULES: readonly Rule<Evidence>[] = [
  {
    name: 'Q1 what was confirmed is there',
    async find(query, { confirmed }) {
      const rows = await query<{ id: string; status: string }>(
        'select id, status from payment_links where id = any ($1)',
        [[...confirmed.keys()]],
      );
      const statuses = new Map(rows.map(({ id, status }) => [id, status]));
      return (
        [...confirmed]
          // A link confirmed as active may have been changed by a request whose answer was lost.
          .filter(([id, status]) => (status === 'active' ? !statuses.has(id) : statuses.get(id) !== status))
          .map(([id, status]) => `${id} was confirmed as ${status} and is ${statuses.get(id) ?? 'unknown'}`)
      );
    },
  },
  {
    name: 'Q2 the receiver of what is delivered answered 2xx',
    async find(query, { arrivals }) {
      const accepted = new Set(arrivals.filter(isAccepted).map(({ eventId }) => eventId));
      const rows = await query<{ id: string }>(`select id from webhook_deliveries where status = 'delivered'`);
      return rows.filter(({ id }) => !accepted.has(id)).map(({ id }) => id);
    },
  },
  {
    name: 'Q3 an endpoint never has two requests at once',
    find: async (_, evidence) => findOverlaps(evidence),
  },
  {
    name: 'Q5 what arrives is committed, byte for byte',
    async find(query, { arrivals }) {
      const rows = await query<{ id: string; payload: string }>('select id, payload from webhook_deliveries');
      const payloads = new Map(rows.map(({ id, payload }) => [id, payload]));
      // A sender killed while it wrote leaves a request without a whole body; its event must exist all the same.
      return arrivals
        .filter(({ eventId, body }) => !payloads.has(eventId) || (body !== null && body !== payloads.get(eventId)))
        .map(({ eventId }) => eventId);
    },
  },
  {
    name: 'Q5 what arrives is signed with the secret of its endpoint',
    find: async (_, { arrivals, secrets }) =>
      arrivals
        .filter((arrival) => arrival.body !== null && !isSigned(arrival, secrets.get(arrival.endpoint)))
        .map(describe),
  },
];

function isSigned({ body, signature }: Arrival, secret: string | undefined): boolean {
  const [time = '', ...signatures] = signature.split(',');
  if (secret === undefined) return false;
  const expected = createHmac('sha256', secret)
    .update(`${time.slice(2)}.${body}`)
    .digest('hex');
  return signatures.includes(`v1=${expected}`);
}

/**
 * Finds requests to one endpoint that overlap. A request is open from the arrival of its headers. It ends with the
 * answer, with the connection, or at the sender's deadline. The deadline counts because a sender that was stopped
 * (SIGSTOP) cannot close its connection.
 */
function findOverlaps({ arrivals, timeoutMs }: Evidence): string[] {
  const overlaps: string[] = [];
  const last = new Map<string, Arrival & { endsMs: number }>();
  for (const arrival of arrivals) {
    const before = last.get(arrival.endpoint);
    if (before !== undefined && arrival.openedMs < before.endsMs) {
      const overlapMs = Math.round(before.endsMs - arrival.openedMs);
      overlaps.push(`${arrival.endpoint}: ${arrival.eventId} within ${before.eventId}, by ${overlapMs} ms`);
    }
    const endsMs = Math.min(arrival.closedMs ?? Number.POSITIVE_INFINITY, arrival.openedMs + timeoutMs);
    last.set(arrival.endpoint, { ...arrival, endsMs: Math.max(endsMs, before?.endsMs ?? 0) });
  }
  return overlaps;
}

function isAccepted({ answered }: Arrival): boolean {
  return answered !== null && answered >= 200 && answered < 300;
}

function describe({ eventId, body }: Arrival): string {
  return `${eventId}: ${body?.slice(0, 80)}`;
}
