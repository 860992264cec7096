import type { Scope } from '../base/scope.ts';
import { answerWithin } from '../base/time/time-budget.ts';
import { DatabaseUnavailable } from './query/errors.ts';
import { sql } from './query/sql.ts';
import { MIGRATIONS, RELEASE } from './schema-files.ts';

/** Time for which an answer of the database is reused. */
const FRESH_MS = 1_000;

/** Longest wait for an answer of the database, and for a connection of the pool. */
const TIMEOUT_MS = 1_000;

/** Readiness of a process. */
export interface Readiness {
  /** Resolves while the process can work. @throws DatabaseUnavailable otherwise, with the reason as its cause */
  require(): Promise<void>;
  /** Makes the process not ready for good: it stops. */
  stop(): void;
}

/**
 * Creates the readiness of a process. It is ready while the database answers in time, over the pool of all work, and its
 * schema fits. The result is at most two seconds old. The check makes at most one query per second.
 */
export function createReadiness(newScope: () => Scope): Readiness {
  let answer: Promise<void> | undefined;
  let isSettled = true;
  let isStopping = false;
  let askedMs = Number.NEGATIVE_INFINITY;
  const ask = async (): Promise<void> => {
    try {
      await answerWithin({ totalMs: TIMEOUT_MS }, () => check(newScope()));
    } catch (error) {
      throw new DatabaseUnavailable(error);
    }
  };
  /** Runs the query. It may still wait for a connection after its timeout; until it ends, no other query starts. */
  const check = async (scope: Scope): Promise<void> => {
    isSettled = false;
    try {
      await requireFittingSchema(scope);
    } finally {
      isSettled = true;
    }
  };
  return {
    require() {
      if (isStopping) return Promise.reject(new DatabaseUnavailable(new Error('the process stops')));
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

const NAMES = MIGRATIONS.map(({ name }) => name);
const [MAJOR = 0] = RELEASE;

/**
 * Compares the schema with this release. A newer release of the same major version has added to the schema only, so this
 * process goes on during a deploy.
 *
 * @throws Error if a migration is missing, if a later major version has migrated the database, or if it takes no writes
 */
async function requireFittingSchema({ em }: Scope): Promise<void> {
  const [row] = await sql<{ missing: string[] | null; major: number | null; standby: boolean }>(
    em,
    `select (select array_agg(wanted.name) from unnest($1::text[]) as wanted (name)
         where not exists (select from schema_migrations m where m.name = wanted.name)) as missing,
       (select max(release[1]) from schema_functions) as major, pg_is_in_recovery() as standby`,
    [NAMES],
  );
  if (row?.standby) throw new Error('the server is a standby, which takes no writes');
  if (row?.missing) throw new Error(`the database lacks ${row.missing.join(', ')}; run: scripts/paylinks migrate`);
  if ((row?.major ?? MAJOR) > MAJOR)
    throw new Error(`release ${row?.major} has migrated the database; update this process`);
}
