alter table disputes add column answered_at timestamptz(3);
