-- Lists of deliveries by type and status. The index answers alone, also far pages and totals. Each success writes all indexes anyway.
create index webhook_deliveries_type_status on webhook_deliveries (endpoint_id, type, created_at desc, id desc) include (status);
drop index webhook_deliveries_type;
