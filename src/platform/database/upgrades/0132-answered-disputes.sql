-- The time at which a person said that the practice has sent its answer to a dispute; null while it has not.
alter table disputes add column answered_at timestamptz(3);
