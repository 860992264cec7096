-- Closed links lie with all others again. `migrate` has brought archived ones back before (src/database/archived-links.ts).
do $$
begin
  if exists (select from archive.payment_links) then raise exception 'the archive still has links'; end if;
end $$;
drop schema archive cascade;
drop table archive_walk;

drop function if exists archivable_links, archive_candidates, archive_chosen_links, archive_links, attach_archive, move_links,
  restore_links;
