-- The few practices that move. Recurring jobs leave them out. 0030 adds the column.
create index practices_moving on practices (id) where move_state is not null;
