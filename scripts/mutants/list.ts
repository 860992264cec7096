import { BASE_TO_KEYS } from './base-to-keys.ts';
import { BILLING } from './billing.ts';
import { CONSOLE } from './console.ts';
import { CONSOLE_SETTINGS } from './console-settings.ts';
import { CONSOLE_SIGN_IN } from './console-sign-in.ts';
import { CONSOLE_DELIVERIES } from './deliveries.ts';
import { DEVELOPERS } from './developers.ts';
import { EDGES } from './edges.ts';
import { LINKS } from './links.ts';
import type { Mutant } from './mutant.ts';
import { PAYMENTS } from './payments.ts';
import { TEST_HELPERS } from './test-helpers.ts';
import { WEBHOOK_EVENTS } from './webhook-events.ts';
import { WEBHOOKS } from './webhooks.ts';

/** All mutants, in the order of the rooms. */
export const MUTANTS: readonly Mutant[] = [
  ...BASE_TO_KEYS,
  ...WEBHOOKS,
  ...WEBHOOK_EVENTS,
  ...PAYMENTS,
  ...TEST_HELPERS,
  ...LINKS,
  ...CONSOLE,
  ...CONSOLE_SETTINGS,
  ...CONSOLE_DELIVERIES,
  ...BILLING,
  ...CONSOLE_SIGN_IN,
  ...DEVELOPERS,
  ...EDGES,
];
