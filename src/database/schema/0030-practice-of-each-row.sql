-- Rows that named their practice by another row only now name it themselves. A later migration fills them.

alter table idempotent_replies add practice_id text;
alter table sealed_replies add practice_id text;
alter table daily_link_counts add practice_id text;
alter table webhook_attempts add practice_id text;
