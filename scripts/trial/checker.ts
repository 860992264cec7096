import type { Evidence, Query } from './evidence.ts';
import { PAYMENT_RULES, SHOWN_RULE } from './payments/rules.ts';
import type { Arrival } from './receivers.ts';
import { ASKED_RULES, REFUND_RULES } from './refunds/rules.ts';
import { ARRIVAL_RULES } from './rules-of-arrivals.ts';
import { TABLE_RULES } from './rules-of-tables.ts';

/** Result of a rule: descriptions of what broke it, empty if nothing did. */
export interface RuleResult {
  rule: string;
  broken: string[];
}

/** The whole examination. */
export interface Examination {
  results: RuleResult[];
  /** Committed or confirmed, and neither delivered nor exhausted nor skipped nor waiting. */
  lost: number;
  /** Answers 2xx beyond the first, summed over the events. */
  doubled: number;
}

/**
 * Checks a database against the rules, and against the records of receivers and callers. After a restore there
 * are no such records. Deliveries must have ended: one that still waits breaks Q1.
 */
export async function examine(query: Query, evidence: Evidence | null): Promise<Examination> {
  const results: RuleResult[] = [];
  for (const { name, find } of [...TABLE_RULES, ...REFUND_RULES]) {
    results.push({ rule: name, broken: await find(query) });
  }
  if (evidence !== null) {
    for (const { name, find } of ARRIVAL_RULES) results.push({ rule: name, broken: await find(query, evidence) });
  }
  const { refunds, payments } = evidence ?? {};
  if (refunds !== undefined) {
    for (const { name, find } of ASKED_RULES) results.push({ rule: name, broken: await find(query, refunds) });
  }
  if (payments !== undefined) {
    for (const { name, find } of PAYMENT_RULES) results.push({ rule: name, broken: await find(query) });
    results.push({ rule: SHOWN_RULE.name, broken: await SHOWN_RULE.find(query, payments) });
  }
  const lost = results.filter(({ rule }) => LOSSES.includes(rule)).reduce((sum, { broken }) => sum + broken.length, 0);
  return { results, lost, doubled: evidence === null ? 0 : countDoubled(evidence.arrivals) };
}

/** Rules whose breaches are events that never arrive. */
const LOSSES = [
  'Q1 every change has its events',
  'Q1 every refund and dispute has its events',
  'Q1 what was confirmed is there',
  'Q1 what was confirmed as refunded is there',
  SHOWN_RULE.name,
];

function countDoubled(arrivals: readonly Arrival[]): number {
  const accepted = arrivals.filter(({ answered }) => answered !== null && answered < 300);
  return accepted.length - new Set(accepted.map(({ eventId }) => eventId)).size;
}
