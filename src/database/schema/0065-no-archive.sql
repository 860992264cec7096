-- Closed links lie with all others again. In a database of 1.9.0, one of its functions brings them back, in batches.
do $$
declare
  ids text[];
begin
  if to_regnamespace('archive') is null then return; end if;
  loop
    ids := array(select id from archive.payment_links order by id limit 500);
    exit when ids = '{}';
    perform restore_links(ids);
  end loop;
end $$;
drop schema if exists archive cascade;
drop table if exists archive_walk;

drop function if exists archivable_links, archive_candidates, archive_chosen_links, archive_links, attach_archive, move_links,
  restore_links;
