-- Without the practice, an entry of these indexes has a third fewer bytes, and those of one object lie together.
create index audit_log_actor_id on audit_log (actor_id, id);
create index audit_log_target_id on audit_log (target_id, id);
drop index audit_log_actor;
drop index audit_log_target;
