-- An event writes each index of its delivery twice. One index answers all lists of an endpoint, also by status and type. Types that
-- end most links are a large part of the list anyway. The others have an index of their own, which those never enter.
create index webhook_deliveries_newest on webhook_deliveries (endpoint_id, created_at desc, id desc) include (status, type);
create index webhook_deliveries_rare_type on webhook_deliveries (endpoint_id, type, created_at desc, id desc)
  where type not in ('payment_link.paid', 'payment_link.cancelled', 'payment_link.expired');
drop index webhook_deliveries_endpoint_status;
drop index webhook_deliveries_type_status;
-- The audit log is read by practice only. So its primary key begins with the practice, and is its order as well.
create unique index audit_log_practice_id on audit_log (practice_id, id);
alter table audit_log drop constraint audit_log_pkey, add constraint audit_log_pkey primary key using index audit_log_practice_id;
drop index audit_log_practice;
