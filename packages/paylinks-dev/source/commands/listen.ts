import { setTimeout as pause } from 'node:timers/promises';
import { type Api, ApiFailure } from '../api.ts';
import { eventTypes } from '../events.ts';
import { configFolder, jsonLine, printable } from '../terminal.ts';
import {
  type Destination,
  destinationOf,
  destinationsOf,
  destinationText,
  headersOf,
} from '../webhooks/destinations.ts';
import { type Posted, post, type Webhook } from '../webhooks/post.ts';
import { type Position, positionFile, readPosition, writePosition } from '../webhooks/state.ts';
import { readTestEvents, type TestEvents } from '../webhooks/test-events.ts';
import { type Call, type Command, listOption, signingSecret, textOption } from './command.ts';

/** Longest wait of one request for an event, in seconds. */
const WAIT_SECONDS = 8;

/** Longest wait before an event is sent again, in milliseconds: receivers on laptops are restarted often. */
const LONGEST_RECEIVER_WAIT_MS = 8_000;

/** Waits after failures in a row, in milliseconds; the last one repeats. */
const BACKOFF_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

/** Longest wait that the service may ask for, in milliseconds. */
const MAX_WAIT_MS = 300_000;

/** Shortest time between two requests without events, in milliseconds, for a service that does not wait. */
const PACE_MS = 1_000;

/** Time for which the service keeps test events, in milliseconds. */
const KEPT_MS = 48 * 3_600_000;

/** Forwards test events to a receiver on this machine. */
export const listenCommand: Command = {
  name: 'listen',
  summary: 'Forwards test events, signed, to a receiver on your machine. Ctrl-C ends it.',
  arguments: [],
  options: {
    'forward-to': {
      value: '[TYPES=]URL',
      help: 'Address of your receiver, or of the one for these types. Can be repeated.',
      isRepeatable: true,
    },
    header: { value: "'NAME: VALUE'", help: 'Additional header to send. Can be repeated.', isRepeatable: true },
    'print-body': { help: 'Prints the body of each event, indented.' },
    events: { value: 'TYPES', help: 'Only these types, with commas; default: all.' },
    secret: { value: 'SECRET', help: 'Secret that signs. Default: PAYLINKS_WEBHOOK_SECRET, or one of this machine.' },
    'print-secret': { help: 'Prints the secret, and ends.' },
    'from-now': { help: 'Skips what happened since this listener ended.' },
  },
  examples: [
    'listen --forward-to http://localhost:4000/webhooks',
    'listen --forward-to http://localhost:4000/webhooks --events payment_link.paid,payment_link.refunded',
    'listen --forward-to payment_link.paid=http://localhost:4000/paid --forward-to http://localhost:4000/rest',
    "listen --forward-to http://localhost:4000/webhooks --header 'Host: app.example.com' --print-body",
    'listen --print-secret > webhook-secret',
  ],
  notes: [
    'Needs a test key with the scope webhooks:manage.',
    'It continues after the last event that it forwarded, up to 48 hours ago, for the same service, key and addresses.',
    'An event that your receiver does not answer with 2xx is repeated until it does, before all later ones.',
    'With several addresses, an event goes to the one with its type, or else to the one without types.',
    'They share one position: an event that one receiver refuses also delays those of the others.',
    'Headers of webhooks, such as Service-Signature and Content-Type, cannot be changed.',
  ],
  async run(call) {
    const secret = signingSecret(call);
    if (call.options['print-secret'] === true) {
      if (call.isJson) call.terminal.write(jsonLine({ secret }));
      else call.terminal.write(`${secret}\n`);
      return;
    }
    const destinations = destinationsOf(listOption(call, 'forward-to'), '--forward-to');
    const headers = headersOf(listOption(call, 'header'), '--header');
    const events = textOption(call, 'events');
    await new Listener(call, {
      destinations,
      headers,
      secret,
      types: events === undefined ? null : eventTypes(events),
    }).run();
  },
};

/** What a listener sends, and where to. */
interface Forwarding {
  destinations: readonly Destination[];
  headers: Readonly<Record<string, string>>;
  secret: string;
  /** The chosen types; null for all. */
  types: readonly string[] | null;
}

class Listener {
  readonly #call: Call;
  readonly #api: Api;
  readonly #forwarding: Forwarding;
  /** The receivers, in the form of the option. */
  readonly #receivers: readonly string[];
  readonly #folder: string;
  readonly #file: string;
  readonly #stopped: AbortSignal;

  constructor(call: Call, forwarding: Forwarding) {
    this.#call = call;
    this.#api = call.api();
    this.#forwarding = forwarding;
    this.#receivers = forwarding.destinations.map(destinationText);
    this.#folder = configFolder(call.terminal);
    this.#file = positionFile(this.#api.settings, this.#receivers.toSorted().join(' '));
    this.#stopped = call.terminal.stopped;
  }

  /** Forwards until the signal. The position is stored after each event, so that nothing is lost or needlessly repeated. */
  async run(): Promise<void> {
    const stored = this.#call.options['from-now'] === true ? null : readPosition(this.#folder, this.#file);
    let position = stored ?? (await this.#begin());
    if (position === null) return;
    this.#sayReady(position, stored !== null);
    while (!this.#stopped.aborted) {
      const earliestMs = performance.now() + PACE_MS;
      const page = await this.#nextPage(position);
      if (page === 'foreign') {
        await this.#wait(PACE_MS);
        position = await this.#begin();
        if (position === null) return;
        this.#say(
          { event: 'restarted' },
          'The service no longer knows the position; events before now may be missing.',
        );
        continue;
      }
      if (page?.eventsDropped === true) {
        this.#say({ event: 'gap' }, 'The practice had more than 10,000 events: the oldest are missing.');
      }
      if (page === null || !(await this.#forwardAll(page, position))) return;
      position = this.#store({ cursor: page.cursor, forwarded: [], atMs: Date.now() });
      if (page.data.length === 0) await this.#wait(Math.max(0, earliestMs - performance.now()));
    }
  }

  /** Returns a position from now on; null when the command was stopped. */
  async #begin(): Promise<Position | null> {
    const page = await this.#ask({});
    if (page === null) return null;
    return this.#store({ cursor: page.cursor, forwarded: [], atMs: Date.now() });
  }

  /** Asks for the events after the position, and waits for one. `foreign` means that the service refuses the cursor. */
  async #nextPage({ cursor }: Position): Promise<TestEvents | null | 'foreign'> {
    try {
      return await this.#ask({ after: cursor, waitSeconds: WAIT_SECONDS });
    } catch (error) {
      if (error instanceof ApiFailure && error.code === 'validation_error' && error.param === 'after') return 'foreign';
      throw error;
    }
  }

  /** Asks until there is an answer; null when the command was stopped. @throws ApiFailure that is not temporary */
  async #ask(query: Record<string, string | number>): Promise<TestEvents | null> {
    for (let failures = 0; !this.#stopped.aborted; failures++) {
      try {
        const page = await readTestEvents(this.#api, { query, signal: this.#stopped });
        if (failures > 0) this.#say({ event: 'connected' }, 'Connected again.');
        return page;
      } catch (error) {
        if (this.#stopped.aborted) return null;
        if (!(error instanceof ApiFailure) || !error.isTemporary) throw error;
        const askedMs = Math.min((error.retryAfterSeconds ?? 0) * 1_000, MAX_WAIT_MS);
        const waitMs = Math.max(backoffMs(failures), askedMs);
        const message = `${error.message} Trying again in ${seconds(waitMs)}.`;
        this.#say({ event: 'disconnected', error: error.message, waitMs }, message);
        await this.#wait(waitMs);
      }
    }
    return null;
  }

  /** Forwards a page in its order. Returns false when the command was stopped before its end. */
  async #forwardAll(page: TestEvents, position: Position): Promise<boolean> {
    const { types, destinations } = this.#forwarding;
    const forwarded = [...position.forwarded];
    for (const webhook of page.data) {
      if (forwarded.includes(webhook.id)) continue;
      const destination = destinationOf(destinations, webhook.type);
      if (destination === undefined || types?.includes(webhook.type) === false) continue;
      const accepted = () => {
        forwarded.push(webhook.id);
        this.#store({ ...position, forwarded });
      };
      if (!(await this.#forward(webhook, destination, accepted))) return false;
    }
    return true;
  }

  /**
   * Sends one event until the receiver accepts it, and calls `accepted` at once, so that a kill rarely repeats the event.
   * Returns false when the command was stopped before.
   */
  async #forward(webhook: Webhook, { url }: Destination, accepted: () => void): Promise<boolean> {
    const { secret, headers, destinations } = this.#forwarding;
    const { type, id } = webhook;
    const printed = this.#call.options['print-body'] === true ? { body: bodyOf(webhook) } : null;
    for (let failures = 0; !this.#stopped.aborted; failures++) {
      const posted = await post(url, secret, webhook, this.#stopped, headers);
      const fields = { type, id, url: url.href, ...posted, ...printed };
      const where = destinations.length > 1 ? `  ${url.href}` : '';
      const line = `${clockTime()}  ${printable(type)}  ${printable(id)}  ${outcomeOf(posted)}${where}`;
      const body = printed === null || failures > 0 ? '' : `\n${jsonLine(printed.body, 2).trimEnd()}`;
      if (posted.succeeded) {
        accepted();
        this.#say({ event: 'forwarded', ...fields }, `${line}${body}`);
        return true;
      }
      if (this.#stopped.aborted) return false;
      const waitMs = Math.min(backoffMs(failures), LONGEST_RECEIVER_WAIT_MS);
      const hint = failures === 0 ? hintFor(posted) : '';
      this.#say({ event: 'failed', ...fields, waitMs }, `${line}; trying again in ${seconds(waitMs)}${hint}${body}`);
      await this.#wait(waitMs);
    }
    return false;
  }

  #store(position: Position): Position {
    writePosition(this.#folder, this.#file, position);
    return position;
  }

  async #wait(waitMs: number): Promise<void> {
    await pause(waitMs, undefined, { signal: this.#stopped }).catch(() => {});
  }

  #sayReady({ atMs }: Position, isContinued: boolean): void {
    const { secret } = this.#forwarding;
    const awayMs = Date.now() - atMs;
    if (isContinued && awayMs > KEPT_MS) {
      this.#say({ event: 'gap', awayMs }, 'This listener was away for more than 48 hours: older events are missing.');
    }
    const start = isContinued ? 'from where it ended' : 'from now on';
    const lines = `Forwarding test events to ${this.#receivers.join(' and ')} ${start}. Ctrl-C ends it.\nSigning secret: ${secret}`;
    this.#say({ event: 'ready', forwardTo: this.#receivers, secret, continued: isContinued }, lines);
  }

  #say(fields: object, line: string): void {
    this.#call.terminal.write(this.#call.isJson ? jsonLine(fields) : `${line}\n`);
  }
}

/** Returns the body of an event as an object. A payload that is no object is a member of one. */
function bodyOf({ payload }: Webhook): object {
  try {
    return Object(JSON.parse(payload));
  } catch {
    return { payload };
  }
}

function backoffMs(failures: number): number {
  return BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)] ?? 0;
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`;
}

function clockTime(): string {
  return new Date().toTimeString().slice(0, 8);
}

/** Returns the next step after the first failure of an event, as a line of its own. */
function hintFor({ status }: Posted): string {
  if (status === null) return '\nIs your receiver started at this address?';
  if (status === 404 || status === 405) return '\nIs the path of --forward-to that of your receiver?';
  return status < 500 ? '\nHas your receiver the signing secret above?' : '';
}

function outcomeOf({ status, error, durationMs }: Posted): string {
  return `${status ?? error} (${durationMs} ms)`;
}
