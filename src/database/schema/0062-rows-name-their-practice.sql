-- Every row names its practice. A database of 1.9.0 has them all; the triggers filled rows that processes of 1.0.0 inserted.
drop function if exists fill_practice_of_key cascade;
drop function if exists fill_practice_of_delivery cascade;

update idempotent_replies t set practice_id = k.practice_id from api_keys k where k.id = t.api_key_id and t.practice_id is null;
update sealed_replies t set practice_id = k.practice_id from api_keys k where k.id = t.api_key_id and t.practice_id is null;
update daily_link_counts t set practice_id = k.practice_id from api_keys k where k.id = t.api_key_id and t.practice_id is null;
update webhook_attempts t set practice_id = d.practice_id from webhook_deliveries d
  where d.id = t.delivery_id and t.practice_id is null;
alter table idempotent_replies alter practice_id set not null;
alter table sealed_replies alter practice_id set not null;
alter table daily_link_counts alter practice_id set not null;
alter table webhook_attempts alter practice_id set not null;
