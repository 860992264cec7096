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

export type PasskeyRefusal = 'invalid' | 'too_many' | 'known' | 'no_name';

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

/** Pages that answer instead of the one that was asked for, with their usual statuses. */
export const PROBLEMS = {
  not_found: 404,
  forbidden: 403,
  method_not_allowed: 405,
  invalid_form: 400,
  file_too_large: 413,
  foreign_form: 403,
  too_many: 429,
  failure: 500,
  unavailable: 503,
} as const;

export type Problem = keyof typeof PROBLEMS;
