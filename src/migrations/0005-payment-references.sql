-- The sandbox gives a payment its reference before it is confirmed, as processors do.

alter table sandbox.payments
  drop constraint payments_state_check,
  add check (state in ('created', 'requires_action', 'processing', 'succeeded', 'failed', 'cancelled'));
