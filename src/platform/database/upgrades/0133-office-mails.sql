alter table notification_recipients drop constraint notification_recipients_kind_check;
alter table notification_recipients add constraint notification_recipients_kind_check
  check (kind in ('disputes', 'refunds', 'payments', 'webhooks', 'each_payment', 'expired_links')) not valid;
alter table notification_recipients validate constraint notification_recipients_kind_check;
alter table practices add column expired_links_mailed_on date;
