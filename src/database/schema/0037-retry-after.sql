-- The wait that the receiver asked for by a 429 or 503, in seconds from the end of the attempt. It is null if there was none. "Send
-- now" leaves a waiting delivery alone before that moment. A redelivery of an exhausted one does not wait for it
-- (docs/decisions/0008-small-rules.md).
alter table webhook_attempts add column retry_after_seconds integer;
