-- The person who made a key or an endpoint in the console; null for those of the operator and of keys. A removed person still knows them.
alter table api_keys add column created_by text;
alter table webhook_endpoints add column created_by text;
