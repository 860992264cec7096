import { expect } from 'chai';
import { query } from '../harness/database.ts';

/** Data about a patient or a treatment, each with a value that occurs nowhere else. */
export const PERSONAL = {
  firstName: 'Canarina',
  lastName: 'Finchley',
  phone: '+12025550147',
  email: 'canarina@aviary.example',
  externalId: 'MRN-CANARY-1',
  description: 'Crown for a canary',
  externalReference: 'invoice-of-canaries',
  metadata: 'a canary in the metadata',
};

/** Returns the fields of a link with all of these data. */
export function personalLink() {
  const { description, externalReference, metadata, ...patient } = PERSONAL;
  return { description, externalReference, metadata: { note: metadata }, patient };
}

/** Keeps what each job was. Jobs leave the table once they are done. */
export async function keepJobs(databaseUrl: string): Promise<void> {
  await query(
    databaseUrl,
    `create table all_jobs (job text);
     create function keep_job() returns trigger language plpgsql as $$
     begin
       insert into all_jobs values (row_to_json(new)::text);
       return new;
     end $$;
     create trigger keep_job after insert or update on graphile_worker._private_jobs
       for each row execute function keep_job()`,
  );
}

/** Returns all jobs since `keepJobs`, as text. */
export async function keptJobs(databaseUrl: string): Promise<string> {
  return (await query<{ job: string }>(databaseUrl, 'select job from all_jobs')).map(({ job }) => job).join();
}

/** Returns the rows of each table as text, by its name; without the kept jobs. */
export async function rowsByTable(databaseUrl: string): Promise<Map<string, string>> {
  const tables = await query<{ name: string }>(
    databaseUrl,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') and tablename <> 'all_jobs'`,
  );
  const texts = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await query<{ row: string }>(databaseUrl, `select row_to_json(t)::text as row from ${name} as t`);
    texts.set(name, rows.map(({ row }) => row).join());
  }
  return texts;
}

/** Fails by the canary's name, not by showing all that was looked through. */
export function expectNone(where: string, text: string, canaries: readonly string[]): void {
  for (const canary of canaries) {
    const at = text.indexOf(canary);
    expect(at === -1 ? null : text.slice(Math.max(0, at - 200), at + 100), `${canary} in ${where}`).to.equal(null);
  }
}
