import { DEFAULT_MAJOR, POSTGRES_MAJORS, type PostgresMajor } from 'development-postgres/binaries';

/**
 * The major version of PostgreSQL for tests, benchmarks and chaos runs: `POSTGRES`, as in `make test POSTGRES=15`; 18 when
 * it is unset or empty. Throws for a version that does not come as a package.
 */
export const postgresMajor: PostgresMajor = majorOf(process.env.POSTGRES);

function majorOf(asked: string | undefined): PostgresMajor {
  if (asked === undefined || asked === '') return DEFAULT_MAJOR;
  const major = POSTGRES_MAJORS.find((known) => String(known) === asked);
  if (major !== undefined) return major;
  throw new Error(`POSTGRES is "${asked}"; it must be one of ${POSTGRES_MAJORS.join(', ')}.`);
}
