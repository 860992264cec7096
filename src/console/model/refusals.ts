/** Reasons why a change of people is refused. */
export type PeopleRefusal =
  | 'invalid_email'
  | 'already_member'
  | 'already_invited'
  | 'practice_limit'
  | 'recipient_limit'
  | 'unknown_member'
  | 'unknown_location'
  | 'owner_with_locations'
  | 'rank_too_high'
  | 'last_owner';

/** The person who acts lost the right during the request, before it could lock what it changes. */
export class RightLost extends Error {}

/** Reasons why a passkey is not added. */
export type PasskeyRefusal = 'invalid' | 'too_many' | 'known' | 'no_name';
/** Reasons why an act on a payment link is refused. */
export type LinkRefusal =
  | 'used_form'
  | 'payments_not_enabled'
  | 'no_active_location'
  | 'link_not_active'
  | 'payment_under_way'
  | 'not_confirmed'
  | 'no_reason'
  | 'no_day'
  | 'no_address'
  | 'no_sender'
  | 'link_limit'
  | 'practice_limit';

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
