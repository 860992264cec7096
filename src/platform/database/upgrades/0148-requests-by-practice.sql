-- The list of a key reads the requests of its practice, of which three days are kept.
drop index api_requests_key;
