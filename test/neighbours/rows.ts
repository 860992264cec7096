/** One id of each kind of a practice, for locking one of its rows. */
export interface LockableRows {
  practiceId: string;
  endpointId: string;
  linkId: string;
  deliveryId: string;
}

/** A statement with its values. */
type Select = [text: string, values: string[]];

/** Selects rows of a practice to lock, by the kind of row; the caller adds `for update`. */
export const ROWS: Readonly<Record<string, (of: LockableRows) => Select>> = {
  practice: ({ practiceId }) => ['select from practices where id = $1', [practiceId]],
  key: ({ practiceId }) => ['select from api_keys where practice_id = $1 and test', [practiceId]],
  location: ({ practiceId }) => ['select from locations where practice_id = $1', [practiceId]],
  endpoint: ({ endpointId }) => ['select from webhook_endpoints where id = $1', [endpointId]],
  link: ({ linkId }) => ['select from payment_links where id = $1', [linkId]],
  delivery: ({ deliveryId }) => ['select from webhook_deliveries where id = $1', [deliveryId]],
  'daily count': ({ practiceId }) => [
    'select from daily_link_counts where api_key_id in (select id from api_keys where practice_id = $1)',
    [practiceId],
  ],
  'rate window': ({ practiceId }) => [
    `select from rate_windows where subject like any (
       select 'key:' || id || '/%' from api_keys where practice_id = $1)`,
    [practiceId],
  ],
};
