-- Processes of 2.0.0 still write these two columns during an upgrade. A release after 3.0.0 drops them.
comment on column practices.slot is 'Unused since 3.0.0.';
comment on column api_keys.carries_slot is 'Unused since 3.0.0.';
