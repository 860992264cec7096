alter table api_keys add column created_by text;
alter table webhook_endpoints add column created_by text;
