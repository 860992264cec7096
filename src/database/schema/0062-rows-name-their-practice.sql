-- The triggers filled the practice of rows that processes of 1.0.0 inserted. `migrate` fills the existing rows itself.
drop function if exists fill_practice_of_key cascade;
drop function if exists fill_practice_of_delivery cascade;
