-- Functions that processes of 2.0.0 call while an installation is upgraded. They leave nothing out: a statement that meets a lock fails
-- after its wait, and these processes try its items apart. The release after 3.0.0 drops them.
create or replace function write_links(
  p_writes json, p_now timestamptz, p_shared_now timestamptz, p_lock_wait_ms integer, p_leaves_out boolean
) returns setof text language sql as 'select write_links($1, $2, $3, $4)';

create or replace function create_links(p_creates json, p_now timestamptz, p_lock_wait_ms integer, p_leaves_out boolean)
returns table (outcome text, reply text, terms text) language sql as 'select * from create_links($1, $2, $3)';

create or replace function admit_requests(
  p_subjects text[], p_limits integer[], p_hashes bytea[], p_failure_limit integer, p_now timestamptz,
  p_lock_wait_ms integer, p_leaves_out boolean
) returns setof admission language sql as 'select * from admit_requests($1, $2, $3, $4, $5, $6)';
