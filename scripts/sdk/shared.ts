import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

// Shared steps of the scenarios of all TypeScript SDKs, which need no SDK. The file is copied beside the scenario.

const HOUR_MS = 3_600_000;

/** Reports a step of `scripts/sdk/steps.ts` as done. */
export function step(name: string): void {
  console.log(`step ${name}`);
}

export const reference = `sdk-${randomUUID()}`;
export const since = new Date(Date.now() - HOUR_MS).toISOString();

/** Body of the request that creates a link. */
export const linkBody = {
  amount: 125.5,
  description: 'Cleaning',
  patient: { firstName: 'Ada', lastName: 'Byron' },
  locationId: process.env.PAYLINKS_LOCATION_ID,
  externalReference: reference,
};

/** Every filter of a list of links. The paid link of the scenario alone matches. */
export function linkFilters() {
  const filters = {
    status: 'paid',
    externalReference: reference,
    locationId: process.env.PAYLINKS_LOCATION_ID,
  } as const;
  const createdBefore = new Date(Date.now() + HOUR_MS).toISOString();
  return { ...filters, createdAfter: since, createdBefore, paidAfter: since, page: 1, pageSize: 1 };
}

/** Every filter of a list of deliveries. That of the payment alone matches. */
export function deliveryFilters(endpointId: string, paymentLinkId: string) {
  const filters = { endpointId, paymentLinkId, type: 'payment_link.paid', status: 'skipped', since } as const;
  return { ...filters, page: 1, pageSize: 1 };
}

/** Returns the body of a webhook: `known.json`, `unknown-type.json` or `unknown-values.json`. */
export function sample(name: string): string {
  return readFileSync(`${process.env.PAYLINKS_SAMPLES}/${name}`, 'utf8');
}

/** Returns true if the module for receivers accepts the body with the signature of the known sample. */
export function isGenuine(body: string): boolean {
  const { PAYLINKS_VERIFY, PAYLINKS_WEBHOOK_SECRET, PAYLINKS_SIGNATURE } = process.env;
  const args = [`${PAYLINKS_VERIFY}/typescript/verify.ts`, `${PAYLINKS_WEBHOOK_SECRET}`, `${PAYLINKS_SIGNATURE}`];
  return spawnSync(process.execPath, args, { input: body }).status === 0;
}
