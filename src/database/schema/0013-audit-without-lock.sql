-- The audit log names its practice without a foreign key. A check of the key would wait for a locked row of the practice. One
-- statement changes links of many practices, and records all of their acts. No practice is ever deleted.
alter table audit_log drop constraint audit_log_practice_id_fkey;
