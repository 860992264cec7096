-- Job runners that are alive. Jobs locked by a runner without a recent heartbeat are unlocked; see src/jobs/heartbeat.ts.
create table job_runner_heartbeats (
  runner_id text primary key,
  seen_at timestamptz not null
);
