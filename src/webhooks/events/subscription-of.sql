-- Returns what decides about an endpoint's deliveries: whether it is enabled, and its filters.
--
-- Arguments:
--   p_endpoint  the endpoint's row
-- Returns: a JSON object. Its text is equal for equal contents.
-- Locks: none.
-- Callers: write_links, src/payment-links/store/postgres.ts
-- Why in the database: write_links compares it with what the caller read, in the transaction that queues deliveries.
create or replace function subscription_of(p_endpoint webhook_endpoints) returns json language sql stable as $$
  select json_build_object('id', p_endpoint.id, 'status', p_endpoint.status, 'locationId', p_endpoint.location_id,
    'enabledEvents', p_endpoint.enabled_events)
$$;
