-- Practices stay in their cell (docs/decisions/0051-a-full-cell.md). In a database of 1.9.0, `migrate` refuses while one is in
-- a move, or left rows behind.
drop index if exists practices_moving;
alter table practices drop column if exists move_state;
alter table test_event_readers drop column if exists moved_by;
drop table if exists practice_moves;
drop function if exists refuse_write_of_moving_practice;
