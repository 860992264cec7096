-- `admit_requests` counts all rate windows, and has other arguments.
drop function if exists admit_requests, take_rate_slots, open_rate_windows, fill_rate_windows, seconds_until_free;
