-- Without the practice, an entry of these indexes has a third fewer bytes, and those of one object lie together.
create index audit_log_actor_id on audit_log (actor_id, id);
comment on index audit_log_actor_id is 'console: audit log';
create index audit_log_target_id on audit_log (target_id, id);
comment on index audit_log_target_id is 'console: page of a link';
drop index audit_log_actor;
drop index audit_log_target;
