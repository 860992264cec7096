import type { EntityManager } from '@mikro-orm/postgresql';
import { PaymentLink } from '../../src/payment-links/model/payment-link.entity.ts';
import type { LinkState } from '../../src/payment-links/state/state.ts';
import { createChange } from '../../src/payment-links/store/change.ts';
import { createGatheringStore, createSeparateStore } from '../../src/payment-links/store/gathered.ts';
import type { LinkStore, LinkWrite } from '../../src/payment-links/store/port.ts';
import { ApiError } from '../../src/platform/base/errors.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import type { Scope } from '../../src/platform/base/scope.ts';
import { makeNulls } from '../../src/platform/database/query/columns.ts';
import { DatabaseUnavailable } from '../../src/platform/database/query/errors.ts';
import { ProcessorUnavailable } from '../../src/processors/processor.ts';
import { MemoryStore } from '../payment-links/store/memory.ts';
import { ACCOUNT, Actor } from './actors.ts';
import { Bank, type BankPayment, type Message } from './bank.ts';
import { Batches } from './batches.ts';
import { faultyStore } from './faults.ts';
import { checkChange, checkLink, checkSettled, Sent } from './invariants.ts';
import { CALM, Scheduler } from './scheduler.ts';

const START = Date.UTC(2030, 0, 1);
const HOUR_MS = 3_600_000;

/** Longest time of a history. At its end, all payments are still in their follow-up window. */
const LONGEST_MS = 60 * 24 * HOUR_MS;

/** Times by which one step may move the clock. */
const TIMES_MS = [1, 1_000, 61_000, 20 * 60_000, HOUR_MS, 7 * HOUR_MS, 25 * HOUR_MS, 72 * HOUR_MS] as const;

const LINKS = 2;

/** Maximum number of actors that wait at the same time. */
const ACTORS = 6;

const LOG = createLogger('silent');

/** Changes of payments and messages at the processor, in words, by the number of the action. */
const AT_BANK = [
  'goes on',
  'is refunded',
  'a refund goes on',
  'is disputed',
  'a dispute ends',
  'late request',
  'lost message',
];

/** Returns true for a refusal, and for a simulated fault. Any other error is a fault of the service. */
function isExpected(error: unknown): error is Error {
  return [ApiError, ProcessorUnavailable, DatabaseUnavailable].some((type) => error instanceof type);
}

export interface WorldOptions {
  /** List to which each step is added, in words. */
  trace?: string[] | null;
  owner?: Owner;
  /** Another store, which gets each read and write, too. Actors then run one after the other. */
  beside?: {
    join(memory: MemoryStore): LinkStore;
    mark(part: 'attempts' | 'transactions', id: string, reconcileAt: Date): Promise<void>;
  };
}

/** Practice and location of the links, and the endpoint that gets their events. */
interface Owner {
  practiceId: string;
  locationId: string;
  endpointId: string;
}

const OWNER: Owner = { practiceId: 'prac_1', locationId: 'loc_1', endpointId: 'we_1' };

/**
 * Links, with all who act on them: patients, vendors, office, worker and processor. Nothing happens by itself: each step is a number
 * of the history. After each step, the invariants of all links that it has changed are checked.
 */
export class World {
  readonly links: { id: string; sent: Sent; refundIds: string[] }[] = [];
  readonly memory: MemoryStore;
  /** Number of steps so far. */
  steps = 0;
  readonly #options: WorldOptions;
  readonly #owner: Owner;
  readonly #scheduler: Scheduler;
  readonly #store: LinkStore;
  readonly #bank: Bank;
  readonly #batches = new Batches();
  /** Links that have changed since they were checked. */
  readonly #touched = new Set<string>();
  #nowMs = START;

  constructor(options: WorldOptions = {}) {
    const { owner = OWNER, beside } = options;
    this.#options = options;
    this.#owner = owner;
    this.#scheduler = new Scheduler(beside !== undefined);
    this.#bank = new Bank((linkId) => this.#touched.add(linkId));
    this.memory = new MemoryStore({
      wait: () => this.#scheduler.pause(null, 'waits for a lock'),
      onWritten: (before, after, write) => this.#written(before, after, write),
    });
    this.#store = beside?.join(this.memory) ?? this.memory;
    this.#setEndpoint('enabled');
    for (let place = 0; place < LINKS; place++) {
      const link = newLink(owner);
      this.memory.create(link, { id: owner.locationId, name: 'Downtown' });
      this.links.push({ id: link.id, sent: new Sent(), refundIds: [] });
    }
  }

  /** Takes the step that the number determines in the present state. */
  async step(number: number): Promise<void> {
    const [action, place, detail] = [number & 63, (number >>> 6) % LINKS, number >>> 9];
    const { waiting } = this.#scheduler;
    this.steps += 1;
    // Most steps resume an actor. The others begin something.
    if (waiting > 0 && (action < 40 || waiting >= ACTORS)) await this.#goOn(action, detail);
    else await this.#begin(action % 24, place, detail);
    this.#check();
  }

  /** Delivers everything that is late, and runs the sweeps until nothing changes any more. Then checks the end. */
  async settle(): Promise<void> {
    for (let round = 0; round < 5; round++) {
      await this.#calmDown();
      this.#nowMs += 7 * 24 * HOUR_MS;
      this.#bank.finish();
      for (const message of this.#bank.messages.splice(0)) await this.#calmly((actor) => actor.notify(message));
      for (const { id } of this.links) {
        for (const attempt of this.#dueAttempts(id)) await this.#calmly((actor) => actor.reconcileAttempt(attempt));
        for (const attempt of this.#duePayments(id)) await this.#calmly((actor) => actor.reconcilePayment(attempt));
        await this.#calmly((actor) => actor.expire(id));
      }
    }
    for (const { id, sent } of this.links) checkSettled(this.memory.rows(id), sent, this.#paymentsOf(id));
  }

  /** Resumes a waiting actor, or stops its process. */
  async #goOn(action: number, detail: number): Promise<void> {
    const index = detail & 31;
    this.#say(() => `${action === 0 ? 'stops' : 'goes on'}: ${this.#scheduler.placeOf(index)}`);
    if (action > 0) return this.#run(() => this.#scheduler.resume(index, detail >>> 5));
    const actor = this.#scheduler.crash(index);
    if (actor === null) return;
    this.memory.abandon(actor);
    this.#batches.abandon(actor);
  }

  async #begin(action: number, place: number, detail: number): Promise<void> {
    const link = this.links[place];
    if (link === undefined) return;
    const { id } = link;
    const payment = pick(this.#paymentsOf(id), detail);
    if (payment !== undefined && action < AT_BANK.length) return this.#atBank(payment, action, detail);
    switch (action) {
      case 7:
        return this.#start('the link is cancelled', (actor) => actor.cancel(id, detail % 2 === 0 ? 'api' : 'staff'));
      case 8:
        return this.#start('the amount changes', (actor) => actor.update(id, { amountCents: 1_000 + (detail % 2) }));
      case 9:
        return this.#start('the link changes', (actor) => actor.update(id, changesOf(detail, this.#nowMs)));
      case 10:
        return this.#start('the link may expire', (actor) => actor.expire(id));
      case 11:
      case 12:
      case 13:
        return this.#refund(link, detail);
      case 14:
      case 15:
      case 16:
        return this.#notify(detail);
      case 17:
        return this.#sweep(id, detail);
      case 18:
        return this.#disturb(id, detail);
      case 19:
        return this.#passTime(detail);
      case 20:
        return this.#start('the patient checks again', (actor) => actor.checkAgain(id));
      default:
        return this.#start('a patient pays', (actor) =>
          actor.submit(id, detail % 2 === 0 ? 'card' : 'us_bank_account'),
        );
    }
  }

  /** Changes a payment at the processor or its bank, lets a late request arrive, or loses a message. */
  #atBank(payment: BankPayment, action: number, detail: number): void {
    const { reference, state } = payment.snapshot;
    const isPaid = payment.isOurs && state === 'succeeded';
    this.#say(() => `${reference}, ${state}: ${AT_BANK[action]}`);
    if (action === 0) this.#bank.goOn(payment, detail);
    else if (action === 1 && isPaid) this.#bank.refund(payment, null, 1 + (detail % 1_000), detail);
    else if (action === 2) this.#bank.moveRefund(payment, detail);
    else if (action === 3 && isPaid && payment.disputes.length < 4) this.#bank.dispute(payment, detail);
    else if (action === 4) this.#bank.closeDispute(payment, detail);
    else if (action === 5) this.#bank.late.shift()?.();
    else if (action === 6) remove(this.#bank.messages, pick(this.#bank.messages, detail));
  }

  /** The practice refunds, or sends the form of an earlier refund again, even for another link. */
  #refund(link: { id: string; refundIds: string[] }, detail: number): Promise<void> {
    const again = detail % 4 === 0 ? pick(this.links[detail % 3]?.refundIds ?? [], detail >>> 2) : undefined;
    const refundId = again ?? newId('refund', new Date(this.#nowMs));
    if (again === undefined) link.refundIds.push(refundId);
    const cents = detail % 5 === 0 ? null : 1 + (detail % 700);
    return this.#start('the practice refunds', (actor) => actor.refund(link.id, refundId, cents));
  }

  /** The worker processes a message. The message stays due if that fails, and sometimes even if it succeeds. */
  #notify(detail: number): Promise<void> | void {
    const message = pick(this.#bank.messages, detail >>> 3);
    if (message === undefined) return this.#passTime(detail);
    return this.#start('a message arrives', async (actor) => {
      await actor.notify(message);
      if (detail % 8 > 0) remove(this.#bank.messages, message);
    });
  }

  /** The worker asks about a due attempt or payment. It claims the row first, so that no other worker asks. */
  async #sweep(id: string, detail: number): Promise<void> {
    const attempt = pick(this.#dueAttempts(id), detail);
    const payment = pick(this.#duePayments(id), detail);
    const { transaction } = this.memory.rows(id);
    if (attempt !== undefined) {
      await this.#claim(id, 'attempts', attempt.id);
      return this.#start('the worker asks about an attempt', (actor) => actor.reconcileAttempt(attempt));
    }
    if (payment === undefined || transaction === null) return this.#passTime(detail);
    await this.#claim(id, 'transactions', transaction.id);
    return this.#start('the worker asks about a payment', (actor) => actor.reconcilePayment(payment));
  }

  async #claim(linkId: string, part: 'attempts' | 'transactions', id: string): Promise<void> {
    const reconcileAt = new Date(this.#nowMs + HOUR_MS);
    this.memory.mark(linkId, part, id, { reconcileAt });
    await this.#options.beside?.mark(part, id, reconcileAt);
  }

  /** Changes the endpoint or the account, or makes a forged payment that names our attempt. */
  #disturb(id: string, detail: number): void {
    const isEven = detail % 2 === 0;
    const attempt = pick(this.memory.rows(id).attempts, detail >>> 3);
    if (detail % 8 < 4) {
      if (this.#options.beside !== undefined) return;
      this.#setEndpoint(isEven ? 'enabled' : 'disabled');
      this.#say(() => 'the endpoint changes');
    } else if (detail % 8 < 6 || attempt === undefined) {
      this.#bank.isConnected = isEven;
      this.#say(() => `the account is ${isEven ? 'connected' : 'disconnected'}`);
    } else {
      // An attempt without a reference accepts any payment of its account that names it. So the forger has another account.
      const account = attempt.processorReference !== null && isEven ? ACCOUNT : { id: 'acct_2' };
      this.#bank.forge(attempt.id, id, attempt.amountCents, account);
      this.#say(() => `a foreign payment names ${attempt.id}`);
    }
  }

  #setEndpoint(status: 'enabled' | 'disabled'): void {
    const { practiceId, endpointId: id } = this.#owner;
    this.memory.setEndpoints(practiceId, [{ id, status, locationId: null, enabledEvents: [] }]);
  }

  #passTime(detail: number): void {
    const ms = TIMES_MS[detail & 7] ?? 1;
    if (this.#nowMs + ms < START + LONGEST_MS) this.#nowMs += ms;
    this.#say(() => `${ms / 1_000} s pass`);
  }

  #start(what: string, work: (actor: Actor) => Promise<unknown>): Promise<void> {
    this.#say(() => `${what} (${this.steps})`);
    // The clocks of processes differ by up to 2.5 seconds.
    return this.#run(() => this.#scheduler.start(this.#process(work, ((this.steps * 7_919) % 5_000) - 2_500)));
  }

  /** Returns the work of a new process. The entity manager identifies the process for the store and the scheduler. */
  #process(work: (actor: Actor) => Promise<unknown>, skewMs: number): () => Promise<unknown> {
    const em = { fork: () => em, isInTransaction: () => false } as unknown as EntityManager;
    const clock = { now: () => new Date(this.#nowMs + skewMs), shared: () => new Date(this.#nowMs) };
    const number = this.steps;
    const pause = (at: string) => this.#scheduler.pause(em, `${number} ${at}`);
    // Changes use nothing else of a scope.
    const scope = { em, clock, log: LOG, publicUrl: '' } as unknown as Scope;
    const store = faultyStore(this.#store, pause);
    // An API batches changes, and a worker does not.
    const alone = createSeparateStore(store);
    const batched = createGatheringStore(store, this.#batches.batcherFor(em, pause));
    const links = number % 2 === 0 ? alone : { ...batched, read: alone.read };
    return () => work(new Actor(scope, { store: links, change: createChange(links) }, this.#bank.portOf(pause)));
  }

  /** Runs an actor until it waits. An expected error ends only the actor. */
  async #run(go: () => Promise<void>): Promise<void> {
    try {
      await go();
    } catch (error) {
      if (!isExpected(error)) throw error;
      this.#say(() => `  ends: ${error.message}`);
    }
  }

  async #calmly(work: (actor: Actor) => Promise<unknown>): Promise<void> {
    // No fault occurs and no rule refuses the worker's steps any more, so any error fails the run.
    await this.#scheduler.start(this.#process(work, 0));
    while (this.#scheduler.waiting > 0) {
      this.steps += 1;
      await this.#scheduler.resume(0, CALM);
      this.#check();
    }
  }

  /** Resumes all waiting actors, without faults, until they end. */
  async #calmDown(): Promise<void> {
    while (this.#scheduler.waiting > 0) {
      this.steps += 1;
      this.#say(() => `goes on: ${this.#scheduler.placeOf(this.steps)}`);
      await this.#run(() => this.#scheduler.resume(this.steps, CALM));
      this.#check();
    }
  }

  #written(before: LinkState, after: LinkState, { linkId, events, mails }: LinkWrite): void {
    const { sent } = this.links.find(({ id }) => id === linkId) ?? {};
    if (sent === undefined) throw new Error(`a write names the unknown link ${linkId}`);
    const types = events.map(({ type }) => type.replace('payment_link.', ''));
    for (const type of types) sent.events.set(type, sent.count(type) + 1);
    for (const { kind, subjectId } of mails) sent.mails.add(`${kind} ${subjectId}`);
    this.#touched.add(linkId);
    checkChange(before, after, types);
    this.#say(() => `  ${linkId}: ${after.link.status} ${types.join(' ')}`);
  }

  #check(): void {
    if (this.#touched.size === 0) return;
    for (const { id, sent } of this.links)
      if (this.#touched.has(id)) checkLink(this.memory.rows(id), sent, this.#paymentsOf(id), this.#nowMs);
    this.#touched.clear();
  }

  #paymentsOf(linkId: string): BankPayment[] {
    return this.#bank.payments.filter((payment) => payment.linkId === linkId);
  }

  #isDue = (row: { reconcileAt: Date | null } | null): boolean =>
    row !== null && row.reconcileAt !== null && row.reconcileAt.getTime() <= this.#nowMs;

  #dueAttempts(id: string) {
    return this.memory.rows(id).attempts.filter(this.#isDue);
  }

  /** Returns the attempt whose payment is due. */
  #duePayments(id: string) {
    const { attempts, transaction } = this.memory.rows(id);
    return this.#isDue(transaction) ? attempts.filter((attempt) => attempt.id === transaction?.attemptId) : [];
  }

  #say(what: () => string): void {
    this.#options.trace?.push(what());
  }
}

function changesOf(detail: number, nowMs: number) {
  const changes = [
    { description: `Visit ${detail}` },
    { patientPhone: `+1555${1_000_000 + (detail % 3)}` },
    { expiresAt: new Date(nowMs + (1 + (detail % 100)) * HOUR_MS) },
  ];
  return changes[detail % changes.length] ?? {};
}

function pick<T>(list: readonly T[], number: number): T | undefined {
  return list[number % Math.max(1, list.length)];
}

function remove(messages: Message[], message: Message | undefined): void {
  const place = message === undefined ? -1 : messages.indexOf(message);
  if (place >= 0) messages.splice(place, 1);
}

/** Returns a new link of a practice. */
export function newLink({ practiceId, locationId }: Pick<Owner, 'practiceId' | 'locationId'>): PaymentLink {
  const createdAt = new Date(START);
  const id = newId('paymentLink', createdAt);
  return {
    ...makeNulls(PaymentLink),
    ...{ id, practiceId, locationId, test: false, token: id, source: 'api', status: 'active' },
    ...{ amountCents: 1_000, currency: 'usd', description: 'Cleaning' },
    ...{ patientFirstName: 'Ada', patientLastName: 'Byron', patientPhone: '+15551000000', version: 1, createdAt },
    expiresAt: new Date(START + 30 * 24 * HOUR_MS),
  };
}
