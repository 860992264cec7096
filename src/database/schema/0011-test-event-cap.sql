-- The newest transaction of the test events that were deleted because their practice had too many; null if there are none.
-- A reader that has not seen it missed events (docs/decisions/0040-test-events.md).
alter table test_event_readers add column dropped_by xid8;
