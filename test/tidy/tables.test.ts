import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The tables of each room, left to right. The SQL of a room names its own tables and those of rooms to its left. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  platform: [
    'schema_functions',
    'schema_migrations',
    'job_runner_heartbeats',
    'graphile_worker.jobs',
    'graphile_worker._private_jobs',
  ],
  contract: [],
  practices: ['practices', 'locations', 'practice_logos', 'notification_recipients', 'audit_log'],
  processors: ['sandbox.secret', 'sandbox.payments', 'sandbox.open_disputes', 'sandbox.refunds', 'sandbox.disputes'],
  access: ['api_keys', 'api_requests', 'sealed_replies', 'rate_windows', 'rate_slots'],
  webhooks: ['webhook_endpoints', 'webhook_deliveries', 'webhook_attempts', 'test_events', 'test_event_readers'],
  'payment-links': [
    ...['payment_links', 'payment_attempts', 'transactions', 'refunds', 'bank_reversals', 'disputes', 'patients'],
    ...[
      'page_openings',
      'link_resolutions',
      'refund_resolutions',
      'daily_link_counts',
      'idempotent_replies',
      'payment_admin_mails',
    ],
    ...['processor_notifications', 'receipt_requests'],
  ],
  web: [],
  'patient-pages': ['page_assets'],
  documentation: [],
  console: [
    ...['people', 'memberships', 'membership_locations', 'invitations', 'invitation_mails', 'invitation_tokens'],
    ...['passkeys', 'passkey_challenges', 'sign_in_requests', 'sign_in_tokens', 'console_sessions', 'console_devices'],
    ...['sent_forms', 'kept_forms'],
  ],
  http: [],
  main: [],
};

const ROOMS = Object.keys(TABLES);

/** Statements on the tables of rooms to the right, with the reason. */
const ACCEPTED: Readonly<Record<string, string>> = {};

/** Returns the code without its comments, which speak of tables, too. */
function withoutComments(path: string): string {
  const text = readFileSync(join(root, path), 'utf8');
  if (path.endsWith('.sql')) return text.replaceAll(/--.*/g, '');
  return text.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/(^|\s)\/\/.*/gm, '');
}

const isSchema = (path: string) => path.startsWith('src/platform/database/') && path.endsWith('.sql');

const files = globSync('src/**/*.{ts,sql}', { cwd: root }).map((path) => {
  const [, room = ''] = path.split('/');
  return { path, room, text: withoutComments(path) };
});

/** The tables that a statement of the text reads or writes, or whose entity it declares. */
function tablesIn(text: string): string[] {
  const named = text.matchAll(
    /\b(?:from|join|into|update|lock table|using|tableName:|selectByPart\(query,) +(?:only )?'?((?:sandbox\.|graphile_worker\.)?[a-z_]+)\b/g,
  );
  return [...new Set([...named].map(([, table = '']) => table))];
}

/** Returns the room whose table it is; null for what is no table. */
function ownerOf(table: string): string | null {
  return ROOMS.find((room) => TABLES[room]?.includes(table)) ?? null;
}

describe('the tables of rooms', () => {
  it('the SQL of a room names its own tables and those of rooms to its left', () => {
    const offences = files
      .filter(({ path, room }) => ROOMS.includes(room) && !isSchema(path) && ACCEPTED[path] === undefined)
      .flatMap(({ path, room, text }) =>
        tablesIn(text).flatMap((table) => {
          const owner = ownerOf(table);
          return owner === null || ROOMS.indexOf(owner) <= ROOMS.indexOf(room) ? [] : [`${path}: ${table} of ${owner}`];
        }),
      );
    expect(offences).to.deep.equal([]);
  });

  it('each table of the schema has one room, whose SQL names it', () => {
    const schema = files.filter(({ path }) => isSchema(path)).map(({ text }) => text.toLowerCase());
    const namesIn = (pattern: RegExp) =>
      schema.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name));
    const gone = [
      ...namesIn(/drop table ([^;]*)/g).flatMap((names) => names.split(/[, ]+/)),
      ...namesIn(/alter table (\w+) rename to/g),
    ];
    const created = namesIn(/create (?:unlogged )?table (?:if not exists )?([\w.]+)/g).filter(
      (name) => !gone.includes(name),
    );
    const owned = Object.values(TABLES).flat();
    expect(created.filter((table) => !owned.includes(table))).to.deep.equal([]);
    const named = new Set(files.flatMap(({ room, text }) => tablesIn(text).map((table) => `${room} ${table}`)));
    const unnamed = ROOMS.flatMap((room) => TABLES[room]?.filter((table) => !named.has(`${room} ${table}`)) ?? []);
    expect(unnamed).to.deep.equal([]);
  });

  it('the latest transaction of a link, and the rows that a key or a person sees, are asked for in one way', () => {
    const copies = (pattern: RegExp) => files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
    expect(copies(/from transactions\b[^`;]*payment_link_id = l\.id[^`;]*desc limit 1/)).to.deep.equal([
      'src/payment-links/model/transaction.entity.ts',
    ]);
    expect(copies(/\bis null or \S*location_id =/)).to.deep.equal(['src/platform/database/query/visible-rows.ts']);
  });
});
