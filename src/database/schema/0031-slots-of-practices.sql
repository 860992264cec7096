-- The slot says which cell has the practice (docs/decisions/0050-cells.md). Practices of earlier releases, and those that
-- an earlier release still creates, have the first slot. It never leaves the first cell.
alter table practices add column slot smallint not null default 0 check (slot between 0 and 1023);

-- True if the text of the key begins with the slot of its practice. The hash does not show it. A practice with another key
-- can live in the first cell only.
alter table api_keys add column carries_slot boolean not null default false;
