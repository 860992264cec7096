create index payment_links_words on payment_links using gin ((
array_to_tsvector(array_remove(array_remove(
  string_to_array(practice_id || case when test then 't' else 'l' end || ':' || replace(translate(lower(regexp_replace(normalize(
    translate(patient_first_name || ' ' || patient_last_name, E'-\u2010\u2011\u2012\u2013\u2014\u2212', '       ') || ' ' || translate(patient_first_name || ' ' || patient_last_name, E'-\u2010\u2011\u2012\u2013\u2014\u2212', ''), nfd),
    '[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0600-\u0605\u0610-\u061a\u061c\u064b-\u065f\u0670\u06d6-\u06dd\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u070f\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]', '', 'g')),
    E',\t\n\u000b\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000đĐøØłŁħĦıςАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩÆŒÞ''‘’ʼ',
    '                         ddoollhhiσабвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґαβγδεζηθικλμνξοπρστυφχψωæœþ'), ' ', ' ' || practice_id || case when test then 't' else 'l' end || ':'), ' ')
  || string_to_array(practice_id || case when test then 't' else 'l' end || '#' || replace(translate(translate(lower(regexp_replace(normalize(
    coalesce(left(external_reference, 100) || E'\x1f', '')
  || coalesce(left(patient_external_id, 100) || E'\x1f', ''), nfd),
    '[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0600-\u0605\u0610-\u061a\u061c\u064b-\u065f\u0670\u06d6-\u06dd\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u070f\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]', '', 'g')),
    E',\t\n\u000b\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000đĐøØłŁħĦıςАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩÆŒÞ''‘’ʼ',
    '                         ddoollhhiσабвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґαβγδεζηθικλμνξοπρστυφχψωæœþ'), E' -\u2010\u2011\u2012\u2013\u2014\u2212', ''), E'\x1f', E'\x1f' || practice_id || case when test then 't' else 'l' end || '#'), E'\x1f'),
  practice_id || case when test then 't' else 'l' end || ':'), practice_id || case when test then 't' else 'l' end || '#'))
)) with (fastupdate = off);
-- Searches of the release before read the links of their practice instead, until its processes have ended.
drop index payment_links_patient_name;
drop index payment_links_patient_external_id;
