-- The addition of a practice to the name of its account on card statements.

alter table practices
  -- Capital letters as on the statement; null for none. A statement has 22 characters. The name of the account has at most 10,
  -- and the processor puts an asterisk and a space behind it. So every addition fits behind every name.
  add statement_descriptor_suffix text check (
    statement_descriptor_suffix ~ '^[ -~]{1,10}$' and statement_descriptor_suffix ~ '[A-Z]'
    and statement_descriptor_suffix !~ '[<>\\''"*a-z]'
  );

alter table sandbox.payments add statement_descriptor_suffix text;
