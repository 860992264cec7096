-- Pages for developers in the console: the log of API requests, and forms that create something once.

----------------------------------------------------------------------------------------------------
-- keys: requests of API keys, for three days
----------------------------------------------------------------------------------------------------

-- One row per logged request, without path, query and body, so that no row names a patient. Rows are written in
-- batches after the answer. Practices and keys are not referenced, because the check would wait for their locks.
create table api_requests (
  -- Ids ascend by time, so pages and the retention are ranges of an index.
  id text primary key,
  practice_id text not null,
  test boolean not null,
  api_key_id text not null,
  -- The Request-Id of the answer.
  request_id text not null,
  -- Operation of the contract, such as createPaymentLink.
  operation text not null,
  status integer not null,
  -- Code of the error's envelope; null for answers without an error.
  error_code text,
  duration_ms integer not null,
  created_at timestamptz(3) not null
);
create index api_requests_practice on api_requests (practice_id, test, id);
create index api_requests_key on api_requests (practice_id, api_key_id, id);
create index api_requests_refused on api_requests (practice_id, test, id) where status >= 400;

----------------------------------------------------------------------------------------------------
-- console: forms that were carried out
----------------------------------------------------------------------------------------------------

-- Forms that created something, by the value that the server put into the form. A second one with it is refused.
create table sent_forms (
  practice_id text not null references practices (id),
  form_id text not null,
  created_at timestamptz(3) not null,
  primary key (practice_id, form_id)
);
create index sent_forms_age on sent_forms (created_at);
