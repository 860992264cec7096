-- Many entries at once are half as much WAL.
alter index payment_links_words reset (fastupdate);
alter index payment_links_words set (gin_pending_list_limit = 128);
