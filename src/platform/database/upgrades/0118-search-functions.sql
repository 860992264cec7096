create function fold_search_text(p_text text) returns text language plpgsql immutable parallel safe as $$
begin
  if octet_length(p_text) = length(p_text) then return translate(lower(p_text), E',\t\n\u000b\f\r''', '      '); end if;
  return translate(lower(regexp_replace(normalize(p_text, nfd),
    '[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0600-\u0605\u0610-\u061a\u061c\u064b-\u065f'
    '\u0670\u06d6-\u06dd\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u070f\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e'
    '\u2060-\u206f\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]', '', 'g')),
    E'\u2010\u2011\u2012\u2013\u2014\u2212' || E',\t\n\u000b\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007'
      || E'\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000' || 'đĐøØłŁħĦıς'
      || 'АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩÆŒÞ' || '''‘’ʼ',
    repeat('-', 6) || repeat(' ', 25) || 'ddoollhhiσ'
      || 'абвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґαβγδεζηθικλμνξοπρστυφχψωæœþ');
end $$;

create function search_words(p_owner text, p_folded text) returns tsvector language plpgsql immutable parallel safe as $$
begin
  return array_to_tsvector(array_remove(array_remove(
    string_to_array(p_owner || ':' || replace(
      replace(split_part(p_folded, E'\x1f', 1), '-', ' ') || ' ' || replace(split_part(p_folded, E'\x1f', 1), '-', ''),
      ' ', ' ' || p_owner || ':'), ' ')
    || (p_owner || '#' || replace(replace(split_part(p_folded, E'\x1f', 2), ' ', ''), '-', ''))
    || (p_owner || '#' || replace(replace(split_part(p_folded, E'\x1f', 3), ' ', ''), '-', '')),
    p_owner || ':'), p_owner || '#'));
end $$;
