-- Raises the version of a link when the link, or a row of its payment, changes.
--
-- Arguments: none; it is a trigger of payment_links, payment_attempts, transactions, refunds, disputes and bank_reversals.
-- Returns: the new row.
-- Locks: the link's row. All writers of these tables have it already.
-- Callers: src/database/triggers.sql
-- Why in the database: no statement that changes the state of a link can forget it.
create or replace function raise_version() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'payment_links' then
    new.version := old.version + 1;
  else
    -- A link that this transaction has changed has its new version already.
    update payment_links set version = version
      where id = new.payment_link_id and xmin <> pg_current_xact_id()::xid;
  end if;
  return new;
end $$;
