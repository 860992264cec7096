-- The job queue enables row level security without a policy, so that only the owner of its tables sees jobs. The processes may run as
-- another role (operations/postgresql/roles.sql). Grants alone decide who may read or write these tables.
alter table graphile_worker._private_jobs disable row level security;
alter table graphile_worker._private_tasks disable row level security;
alter table graphile_worker._private_job_queues disable row level security;
alter table graphile_worker._private_known_crontabs disable row level security;
