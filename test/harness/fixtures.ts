import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { accept, Receiver } from './receiver.ts';
import { type ServiceOptions, TestService } from './service.ts';

/** Returns the service of a `describe`: it starts before its first test, and closes after its own `after`. */
export function useService(options: ServiceOptions = {}): TestService {
  const service = new TestService(options);
  before(async function () {
    this.test?.parent?.afterAll(() => service.close());
    await service.start();
  });
  return service;
}

/** Returns the service of a `describe`: each test has a new one, on a database of its own, at the clock's first time. */
export function useServiceForEach(options: ServiceOptions = {}): TestService {
  const service = new TestService(options);
  beforeEach(() => {
    service.clock.reset();
    return service.start();
  });
  afterEach(() => service.close());
  return service;
}

/**
 * Returns the receiver of a `describe`. Before each test it forgets what it received, and accepts from then on. After the
 * last test, every request must have been as the contract says.
 */
export function useReceiver(): Receiver {
  const receiver = new Receiver();
  before(() => receiver.start());
  beforeEach(() => {
    receiver.received.length = 0;
    receiver.maxInFlight = 0;
    receiver.answer = accept;
  });
  after(async () => {
    await receiver.close();
    expect(receiver.faults).to.deep.equal([]);
  });
  return receiver;
}

/** Returns the path of a folder. Each test of a `describe` finds it empty. */
export function useFolder(prefix: string): string {
  const folder = join(tmpdir(), `paylinks-${prefix}-${randomUUID()}`);
  beforeEach(() => void mkdirSync(folder));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns an object that has, from the first test of a `describe` on, the properties of the one that `make` returns. */
export function madeOnce<T extends object>(make: () => Promise<T>): T {
  return filledBy(before, make);
}

/** Returns an object that has, in each test of a `describe`, the properties of a new one that `make` returns. */
export function madeForEach<T extends object>(make: () => Promise<T>): T {
  return filledBy(beforeEach, make);
}

function filledBy<T extends object>(hook: (fill: () => Promise<void>) => void, make: () => Promise<T>): T {
  // Empty until the hook has run. No test runs before.
  const filled = {} as T;
  hook(async () => {
    const made = await make();
    for (const name of Object.keys(filled)) Reflect.deleteProperty(filled, name);
    Object.assign(filled, made);
  });
  return filled;
}
