-- Rows that named their practice by another row only now name it themselves, and practices can move to another cell
-- (docs/decisions/0051-moving-a-practice.md).

----------------------------------------------------------------------------------------------------
-- Every tenant's table carries its practice. `migrate` fills the columns of existing rows in batches, and then makes them
-- `not null` (src/database/practice-columns.ts). Triggers fill the rows that processes of the release before insert.
----------------------------------------------------------------------------------------------------

alter table idempotent_replies add practice_id text;
alter table sealed_replies add practice_id text;
alter table daily_link_counts add practice_id text;
alter table webhook_attempts add practice_id text;

----------------------------------------------------------------------------------------------------
-- moves: practices that move to another cell, which is another complete installation
----------------------------------------------------------------------------------------------------

-- Set while a practice moves away. While it is draining, no delivery and no payment starts. While it is frozen, nothing is
-- written. If it has moved, another cell serves it, and the rows here wait for their deletion.
alter table practices add move_state text check (move_state in ('draining', 'frozen', 'moved'));

-- The move by which the practice came to this cell, for cursors of test events: they name transactions of their cell.
alter table test_event_readers add moved_by text;

-- Moves of practices, in both cells. The row in the target commits with the copy. So it decides where the practice is: the
-- primary key admits one outcome of a move, `arrived` or `cancelled`.
create table practice_moves (
  -- The same in both cells.
  id text not null,
  -- No foreign key: the row outlasts the practice in the source.
  practice_id text not null,
  side text not null check (side in ('source', 'target')),
  state text not null,
  -- Identity of the target's database, in the source only. An interrupted move can go on to no other cell.
  target text,
  started_at timestamptz not null default clock_timestamp(),
  changed_at timestamptz not null default clock_timestamp(),
  primary key (id, practice_id),
  check (state = any (case side when 'source' then '{moving,moved,deleted,cancelled}'::text[]
    else '{arrived,cancelled}'::text[] end))
);
-- A practice moves once at a time.
create unique index practice_moves_one on practice_moves (practice_id)
  where side = 'source' and state in ('moving', 'moved');
