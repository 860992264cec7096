-- Version 2.0.0 is installed with a stop. No process of 1.x calls what it has left behind.
drop function if exists take_rate_slot;
