import { spawnSync } from 'node:child_process';
import type { ReportedViolation } from '../../src/platform/database/query/rule-invariant.ts';
import { PROGRAM } from '../../test/harness/service-process.ts';
import type { Evidence, Query, Rule } from './evidence.ts';
import { PAYMENT_RULES, SHOWN_RULE } from './payments/rules.ts';
import type { Arrival } from './receivers.ts';
import { ASKED_RULES, REFUND_RULES } from './refunds/rules.ts';
import { ARRIVAL_RULES } from './rules-of-arrivals.ts';
import { TABLE_RULES } from './rules-of-tables.ts';

/**
 * Checks a database against the rules, and against the records of receivers and callers. Deliveries must have ended: one that
 * still waits breaks Q1.
 *
 * @returns what broke each rule. `lost` was committed or confirmed, and is neither delivered nor exhausted nor skipped. `doubled` are
 * answers 2xx beyond the first, summed over the events
 */
export async function examine(query: Query, evidence: Evidence) {
  const results: { rule: string; broken: string[] }[] = [];
  const apply = async <Known>(rules: readonly Rule<Known>[], known: Known) => {
    for (const { name, find } of rules) results.push({ rule: name, broken: await find(query, known) });
  };
  await apply([...TABLE_RULES, ...REFUND_RULES], undefined);
  await apply(ARRIVAL_RULES, evidence);
  const { refunds, payments } = evidence;
  if (refunds !== undefined) await apply(ASKED_RULES, refunds);
  if (payments !== undefined) {
    await apply(PAYMENT_RULES, undefined);
    await apply([SHOWN_RULE], payments);
  }
  const lost = results.filter(({ rule }) => LOSSES.includes(rule)).reduce((sum, { broken }) => sum + broken.length, 0);
  return { results, lost, doubled: countDoubled(evidence.arrivals) };
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

/** Results at the end of a run. */
interface Ending {
  query: Query;
  databaseUrl: string;
  evidence: Evidence;
  /** Endpoints with a due delivery that no worker attempted in time. */
  overdue: readonly string[];
  wrongAnswers: readonly string[];
  unexpectedEnds: readonly string[];
  /** The command of another version of the service, for `paylinks check`. */
  program?: string;
}

/** Examines the database of a run. `violations` has a sentence for everything that broke a rule. */
export async function judge({ query, databaseUrl, evidence, program, ...ending }: Ending) {
  const examination = await examine(query, evidence);
  const stored = checkStoredData(databaseUrl, program);
  const violations = [
    ...ending.overdue.map((text) => `Q6 due, but not attempted within lease and sweep: ${text}`),
    ...examination.results.flatMap(({ rule, broken }) => broken.map((text) => `${rule}: ${text}`)),
    ...stored.map((text) => `Q9 paylinks check found: ${text}`),
    ...ending.wrongAnswers.map((text) => `wrong answer: ${text}`),
    ...ending.unexpectedEnds.map((text) => `unexpected end: ${text}`),
  ];
  return { ...examination, stored, violations };
}

/**
 * Runs `paylinks check` on a database, as an operator does after a failure. Returns the violations.
 *
 * @param program the command of another version of the service
 */
export function checkStoredData(databaseUrl: string, program = PROGRAM): string[] {
  const env = { ...process.env, DATABASE_URL: databaseUrl, PROCESSOR: 'sandbox' };
  const { stdout, stderr } = spawnSync(process.execPath, [program, 'check', '--json'], { env, encoding: 'utf8' });
  if (stdout === '') return [`the check itself failed: ${stderr}`];
  // The command prints one JSON document of this form.
  const { data } = JSON.parse(stdout) as { data: ReportedViolation[] };
  return data.map(({ invariant, problem }) => `${invariant}: ${problem}`);
}
