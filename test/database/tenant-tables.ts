/*
 * Tables of the schema, and how their rows belong to practices. `schema.test.ts` compares these lists with the catalogue of the database,
 * so that no table can be forgotten.
 */

/** Tables whose rows belong to no practice, with the reason. */
export const GLOBAL_TABLES: Readonly<Record<string, string>> = {
  console_devices: 'of a person, who may belong to several practices',
  console_sessions: 'of a person, who may belong to several practices',
  job_runner_heartbeats: 'of a process',
  kept_forms: 'of a person, for an hour',
  page_assets: 'of a release; each process records its own',
  passkeys: 'of a person, at the host of a console',
  passkey_challenges: 'of a person or of nobody, for minutes',
  people: 'one person may belong to several practices',
  processor_notifications: 'of an account at the processor, which may be unknown',
  rate_slots: 'of a key or an address, for a minute; unlogged',
  rate_windows: 'of a key or an address, for a minute; unlogged',
  'sandbox.disputes': 'of the simulated processor, which knows no practices',
  'sandbox.open_disputes': 'of the simulated processor, which knows no practices',
  'sandbox.payments': 'of the simulated processor, which knows no practices',
  'sandbox.refunds': 'of the simulated processor, which knows no practices',
  'sandbox.secret': 'of an installation',
  schema_functions: 'of an installation',
  schema_migrations: 'of an installation',
  sign_in_requests: 'of an address, which may be unknown',
  sign_in_tokens: 'of a person, for minutes',
};

/**
 * Conditions that find the rows of a practice, `$1`, through an index. They stand for `practice_id = $1` in tables without an
 * index that begins with the practice. Such an index would cost every create and every delivery.
 */
export const ROWS: Readonly<Record<string, string>> = {
  practices: 'id = $1',
  daily_link_counts: 'api_key_id in (select id from api_keys where practice_id = $1)',
  idempotent_replies: 'api_key_id in (select id from api_keys where practice_id = $1)',
  sealed_replies: 'api_key_id in (select id from api_keys where practice_id = $1)',
  disputes: 'payment_link_id in (select id from payment_links where practice_id = $1)',
  webhook_deliveries: 'endpoint_id in (select id from webhook_endpoints where practice_id = $1)',
  webhook_attempts:
    'delivery_id in (select d.id from webhook_endpoints w join webhook_deliveries d on d.endpoint_id = w.id where w.practice_id = $1)',
  page_openings: 'payment_link_id in (select id from payment_links where practice_id = $1)',
  payment_admin_mails: 'payment_link_id in (select id from payment_links where practice_id = $1)',
  receipt_requests: 'payment_link_id in (select id from payment_links where practice_id = $1)',
  membership_locations: 'membership_id in (select id from memberships where practice_id = $1)',
};
