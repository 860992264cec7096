/** Reasons why a change of people is refused. */
export type PeopleRefusal =
  | 'invalid_email'
  | 'already_member'
  | 'unknown_member'
  | 'unknown_location'
  | 'owner_with_locations'
  | 'rank_too_high'
  | 'last_owner';

/** Pages that answer instead of the one that was asked for. */
export type Problem =
  | 'not_found'
  | 'forbidden'
  | 'method_not_allowed'
  | 'invalid_form'
  | 'file_too_large'
  | 'foreign_form'
  | 'too_many'
  | 'failure'
  | 'unavailable';
