create table sandbox.open_disputes (
  payment text primary key references sandbox.payments (reference)
);
alter table transactions add returned_at timestamptz(3);
