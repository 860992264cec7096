-- More kinds of notifications: each payment, and the expired links of a day.
alter table notification_recipients drop constraint notification_recipients_kind_check;
alter table notification_recipients add constraint notification_recipients_kind_check
  check (kind in ('disputes', 'refunds', 'payments', 'webhooks', 'each_payment', 'expired_links')) not valid;
alter table notification_recipients validate constraint notification_recipients_kind_check;
-- The latest day about whose expired links a mail was queued.
alter table practices add column expired_links_mailed_on date;
