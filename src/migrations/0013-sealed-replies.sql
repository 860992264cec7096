-- Replies that hold a webhook secret, remembered by idempotency key as those of created links are, but encrypted under the
-- first key of SECRETS_KEY. A key belongs to the API key and the operation that it was sent with.
create table sealed_replies (
  api_key_id text not null references api_keys (id),
  operation text not null,
  idempotency_key text not null,
  -- SHA-256 of the resource's id and the body, as canonical JSON.
  request_hash bytea not null,
  reply_ciphertext text not null,
  created_at timestamptz(3) not null,
  primary key (api_key_id, operation, idempotency_key)
);
create index sealed_replies_age on sealed_replies (created_at);
