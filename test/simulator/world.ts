import type { EntityManager } from '@mikro-orm/postgresql';
import { ApiError } from '../../src/base/errors.ts';
import { newId } from '../../src/base/ids.ts';
import { createLogger } from '../../src/base/log/log.ts';
import type { Scope } from '../../src/base/scope.ts';
import { DatabaseUnavailable } from '../../src/database/query/errors.ts';
import type { LinkState } from '../../src/payment-links/link/state.ts';
import type { PaymentLink } from '../../src/payment-links/model/payment-link.entity.ts';
import { TermsChanged } from '../../src/payment-links/payment/attempt-decision.ts';
import { createChange } from '../../src/payment-links/store/change.ts';
import { Taken } from '../../src/payment-links/store/change-once.ts';
import type { LinkStore, Write } from '../../src/payment-links/store/port.ts';
import { ProcessorUnavailable } from '../../src/processors/processor.ts';
import { MemoryStore } from '../payment-links/store/memory.ts';
import { ACCOUNT, Actor } from './actors.ts';
import { Bank, type BankPayment, type Message } from './bank.ts';
import { faultyStore } from './faults.ts';
import { checkChange, checkLink, checkSettled, Sent } from './invariants.ts';
import { CALM, Scheduler } from './scheduler.ts';

const START = Date.UTC(2030, 0, 1);
const HOUR_MS = 3_600_000;

/** Time that a history lasts at most: all that happens then is within the follow-up window of its payments at its end. */
const LONGEST_MS = 60 * 24 * HOUR_MS;

/** Times that pass in a step. */
const TIMES_MS = [1, 1_000, 61_000, 20 * 60_000, HOUR_MS, 7 * HOUR_MS, 25 * HOUR_MS, 72 * HOUR_MS] as const;

const LINKS = 2;

/** Most actors at once. */
const ACTORS = 6;

const LOG = createLogger('silent');

/** Changes at the processor and of messages, by the number of the action. */
const AT_BANK = [
  'goes on',
  'is refunded',
  'a refund goes on',
  'is disputed',
  'a dispute ends',
  'late request',
  'lost message',
];

/** Refused by the rules, or met by a fault that the caller hears of. Any other error is a fault of the service. */
function isExpected(error: unknown): error is Error {
  return [ApiError, ProcessorUnavailable, DatabaseUnavailable, Taken, TermsChanged].some(
    (type) => error instanceof type,
  );
}

export interface WorldOptions {
  /** Gets the steps in words. */
  trace?: string[] | null;
  owner?: Owner;
  /** Another store, which takes part in each read and write. Actors act one after the other then. */
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
 * Links with their patients, vendors, office and worker, and their processor. Nothing happens by itself: each step is a number of the
 * history. After each step the invariants of the links that it has touched are checked.
 */
export class World {
  readonly links: { id: string; sent: Sent; refundIds: string[] }[] = [];
  readonly memory: MemoryStore;
  /** Actions of actors so far, and of the processor. */
  steps = 0;
  readonly #options: WorldOptions;
  readonly #owner: Owner;
  readonly #scheduler: Scheduler;
  readonly #store: LinkStore;
  readonly #bank: Bank;
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

  /** Does what the number says, as far as it is possible now. */
  async step(number: number): Promise<void> {
    const [action, place, detail] = [number & 63, (number >>> 6) % LINKS, number >>> 9];
    const { waiting } = this.#scheduler;
    this.steps += 1;
    // Most steps let an actor go on. The others begin something.
    if (waiting > 0 && (action < 40 || waiting >= ACTORS)) await this.#goOn(action, detail);
    else await this.#begin(action % 24, place, detail);
    this.#check();
  }

  /** Everything arrives, and the sweeps ask the processor until nothing changes any more. */
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

  /** A waiting actor goes on, or its process stops. */
  async #goOn(action: number, detail: number): Promise<void> {
    const index = detail & 31;
    this.#say(() => `${action === 0 ? 'stops' : 'goes on'}: ${this.#scheduler.placeOf(index)}`);
    if (action > 0) return this.#run(() => this.#scheduler.resume(index, detail >>> 5));
    const actor = this.#scheduler.crash(index);
    if (actor !== null) this.memory.abandon(actor);
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

  /** Something happens at the processor or at a bank, or to a message on its way. */
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

  /** The practice refunds, or sends the form of a refund again, maybe of another link. */
  #refund(link: { id: string; refundIds: string[] }, detail: number): Promise<void> {
    const again = detail % 4 === 0 ? pick(this.links[detail % 3]?.refundIds ?? [], detail >>> 2) : undefined;
    const refundId = again ?? newId('refund', new Date(this.#nowMs));
    if (again === undefined) link.refundIds.push(refundId);
    const cents = detail % 5 === 0 ? null : 1 + (detail % 700);
    return this.#start('the practice refunds', (actor) => actor.refund(link.id, refundId, cents));
  }

  /** The worker handles a message. It is due again unless that succeeds, and may come twice. */
  #notify(detail: number): Promise<void> | void {
    const message = pick(this.#bank.messages, detail >>> 3);
    if (message === undefined) return this.#passTime(detail);
    return this.#start('a message arrives', async (actor) => {
      await actor.notify(message);
      if (detail % 8 > 0) remove(this.#bank.messages, message);
    });
  }

  /** The worker asks about what is due. It claims it first, so that another worker does not. */
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

  /** An endpoint or the account changes, or a foreign payment names an attempt of ours. */
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
      // An attempt without a reference takes the first payment of its account that names it.
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
    // Clocks of processes differ.
    return this.#run(() => this.#scheduler.start(this.#process(work, ((this.steps * 7_919) % 5_000) - 2_500)));
  }

  /** Returns the work of a new process. Its entity manager stands for the process. */
  #process(work: (actor: Actor) => Promise<unknown>, skewMs: number): () => Promise<unknown> {
    const em = { fork: () => em } as unknown as EntityManager;
    const clock = { now: () => new Date(this.#nowMs + skewMs), shared: () => new Date(this.#nowMs) };
    const number = this.steps;
    const pause = (at: string) => this.#scheduler.pause(em, `${number} ${at}`);
    // Changes use nothing else of a scope.
    const scope = { em, clock, log: LOG, publicUrl: '' } as unknown as Scope;
    return () => work(new Actor(scope, createChange(faultyStore(this.#store, pause)), this.#bank.portOf(pause)));
  }

  /** Runs until everybody waits. An error that the service expects ends its actor. */
  async #run(go: () => Promise<void>): Promise<void> {
    try {
      await go();
    } catch (error) {
      if (!isExpected(error)) throw error;
      this.#say(() => `  ends: ${error.message}`);
    }
  }

  async #calmly(work: (actor: Actor) => Promise<unknown>): Promise<void> {
    // Nothing refuses what a worker does, and nothing disturbs it any more.
    await this.#scheduler.start(this.#process(work, 0));
    while (this.#scheduler.waiting > 0) {
      this.steps += 1;
      await this.#scheduler.resume(0, CALM);
      this.#check();
    }
  }

  /** All that wait go on without a fault until they end. */
  async #calmDown(): Promise<void> {
    while (this.#scheduler.waiting > 0) {
      this.steps += 1;
      await this.#run(() => this.#scheduler.resume(this.steps, CALM));
      this.#check();
    }
  }

  #written(before: LinkState, after: LinkState, { linkId, events, mails }: Write): void {
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
    ...{
      id,
      practiceId,
      locationId,
      test: false,
      token: id,
      source: 'api',
      status: 'active',
      amountCents: 1_000,
      currency: 'usd',
    },
    ...{ description: 'Cleaning', externalReference: null, metadata: null, patientId: null, patientFirstName: 'Ada' },
    ...{ patientLastName: 'Byron', patientPhone: '+15551000000', patientEmail: null, patientExternalId: null },
    ...{ paidAt: null, closedAt: null, closedBy: null, version: 1, openAttemptId: null, createdAt },
    expiresAt: new Date(START + 30 * 24 * HOUR_MS),
  };
}
