-- Each success wrote it. Retention finds old deliveries by the primary key, which is in order of time.
drop index webhook_deliveries_delivered;
