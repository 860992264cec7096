import type { Scope } from '../base/scope.ts';
import { sqlState } from '../base/sql-state.ts';
import { answerWithin } from '../base/time/time-budget.ts';
import { STATEMENT_TIMEOUT, STATEMENT_TIMEOUT_HINT } from './connection/unusable-database.ts';
import { isTooNew, readSchemaState } from './migrate.ts';
import { findKeyFaults, type KeyFaults } from './query/key-faults.ts';
import type { SecretColumn } from './query/rotate-secrets.ts';
import { sql } from './query/sql.ts';

const FRESH_MS = 1_000;
const TIMEOUT_MS = 1_000;
/** The comparison of a keyring reads whole tables. */
const KEYRING_FRESH_MS = 60_000;

/** Seconds of difference at which a process warns, and is not ready. */
const CLOCK_WARNING_SECONDS = 5;
const CLOCK_LIMIT_SECONDS = 60;

export const REASONS = ['stopping', 'database', 'standby', 'read_only', 'schema', 'keyring', 'clock'] as const;

export interface ReadinessReport {
  /** Explanations for operators. Empty if the process is ready. */
  reasons: Partial<Record<(typeof REASONS)[number], string>>;
  /** Seconds ahead of the database; null if unknown. */
  clockOffsetSeconds: number | null;
  unusableKeys: readonly string[];
}

export interface Readiness {
  report(): Promise<ReadinessReport>;
  /** Makes the process not ready for good: it stops. */
  stop(): void;
}

const UNKNOWN: Omit<ReadinessReport, 'reasons'> = { clockOffsetSeconds: null, unusableKeys: [] };

/** The report is at most two seconds old. */
export function createReadiness(newScope: () => Scope, columns: readonly SecretColumn[]): Readiness {
  let answer: Promise<ReadinessReport> | undefined;
  let isSettled = true;
  let isStopping = false;
  let askedMs = Number.NEGATIVE_INFINITY;
  const keyring = createKeyringCheck(newScope, columns);
  const logChange = createChangeLog(newScope);
  const ask = async (): Promise<ReadinessReport> => {
    const faults = keyring();
    let report: ReadinessReport;
    const check = async () => {
      // It may still wait for a connection after its timeout; until then, no other query starts.
      isSettled = false;
      try {
        return makeReport(await readState(newScope()), await faults);
      } finally {
        isSettled = true;
      }
    };
    try {
      report = await answerWithin({ totalMs: TIMEOUT_MS }, check);
    } catch (error) {
      const isCancelled = sqlState(error) === STATEMENT_TIMEOUT;
      const database = isCancelled ? STATEMENT_TIMEOUT_HINT : 'the database does not answer in time';
      report = { ...UNKNOWN, reasons: { database } };
    }
    logChange(report);
    return report;
  };
  return {
    async report() {
      if (isStopping) return { ...UNKNOWN, reasons: { stopping: 'the process stops' } };
      const nowMs = performance.now();
      if (answer === undefined || (isSettled && nowMs - askedMs >= FRESH_MS)) {
        askedMs = nowMs;
        answer = ask();
      }
      return answer;
    },
    stop() {
      isStopping = true;
    },
  };
}

/** A keyring that fits is compared again once a minute, and another at each call. Null as long as nothing is known. */
function createKeyringCheck(newScope: () => Scope, columns: readonly SecretColumn[]): () => Promise<KeyFaults | null> {
  let lastFaults: KeyFaults | null = null;
  let running: Promise<KeyFaults | null> | undefined;
  let checkedMs = Number.NEGATIVE_INFINITY;
  const compare = async (): Promise<KeyFaults | null> => {
    try {
      const scope = newScope();
      lastFaults = await findKeyFaults(scope, scope.keyring, columns);
      checkedMs = performance.now();
    } catch {
      // The database does not answer. The check of the database says so.
    }
    running = undefined;
    return lastFaults;
  };
  return () => {
    const isFine = lastFaults !== null && !lastFaults.readsNothing;
    if (!isFine || performance.now() - checkedMs >= KEYRING_FRESH_MS) running ??= compare();
    return isFine || running === undefined ? Promise.resolve(lastFaults) : running;
  };
}

/** Logs when a report has other reasons than the one before. */
function createChangeLog(newScope: () => Scope): (report: ReadinessReport) => void {
  let formerNames = '';
  let wasOff = false;
  return ({ reasons, clockOffsetSeconds }) => {
    const { log } = newScope();
    const names = Object.keys(reasons).join();
    if (names !== formerNames) {
      if (names === '') log.info('the process is ready again');
      else log.error({ reasons }, 'the process is not ready');
      formerNames = names;
    }
    if (clockOffsetSeconds === null) return;
    const isOff = Math.abs(clockOffsetSeconds) >= CLOCK_WARNING_SECONDS;
    if (isOff && !wasOff)
      log.warn({ clockOffsetSeconds }, 'the clock differs from the clock of the database: run NTP everywhere');
    wasOff = isOff;
  };
}

type State = Awaited<ReturnType<typeof readState>>;

async function readState({ em, clock }: Scope) {
  const schema = await readSchemaState(em);
  const startedMs = performance.now();
  const [row] = await sql<{ isStandby: boolean; isReadOnly: boolean; nowMs: number }>(
    em,
    `select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only')::boolean as "isReadOnly",
       (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`,
  );
  if (row === undefined) throw new Error('the statement returns one row');
  // The server read its clock about in the middle of the round trip. A settable clock is the time of both.
  const offsetMs = clock.now().getTime() - (performance.now() - startedMs) / 2 - row.nowMs;
  return { ...row, schema, clockOffsetSeconds: clock.shared() === null ? offsetMs / 1_000 : null };
}

/** A newer release of the same major version has added to the schema only, so this process goes on. */
function makeReport(state: State, keyFaults: KeyFaults | null): ReadinessReport {
  const { isStandby, isReadOnly, clockOffsetSeconds } = state;
  const { pendingMigrations, release } = state.schema;
  const reasons: ReadinessReport['reasons'] = {};
  if (isStandby) reasons.standby = 'the server is a standby, which takes no writes';
  else if (isReadOnly)
    reasons.read_only =
      'the database takes no writes: default_transaction_read_only is on for the server, database or role';
  if (pendingMigrations.length > 0)
    reasons.schema = `the database lacks ${pendingMigrations.join(', ')}; run: scripts/paylinks migrate`;
  else if (isTooNew(state.schema))
    reasons.schema = `release ${release?.join('.')} has migrated the database; update this process`;
  if (keyFaults?.readsNothing) reasons.keyring = 'SECRETS_KEY reads none of the stored secrets';
  if (clockOffsetSeconds !== null && Math.abs(clockOffsetSeconds) > CLOCK_LIMIT_SECONDS)
    reasons.clock = `the clock differs by ${Math.round(clockOffsetSeconds)} seconds from the clock of the database`;
  const unusableKeys = keyFaults === null ? [] : [...keyFaults.missing, ...keyFaults.wrong];
  return { reasons, clockOffsetSeconds, unusableKeys };
}
