import { ApiError } from '../../platform/base/errors.ts';
import { PeopleRefused } from '../identity/people/members.ts';
import { PEOPLE_REFUSALS } from '../identity/people/refusals.ts';
import { Refused } from '../model/refusals.ts';
import { DEVELOPER_REFUSALS, FIELD_REFUSALS, NOTIFICATION_REFUSALS } from './refusals.ts';
import { type MemberVisit, problem, type Reply, type Visit } from './visit.ts';

/**
 * Returns the handler of a form. If `act` throws a refusal, `again` shows the page of the form, with the sentence that says why. Other
 * errors are thrown on.
 */
export function catchRefusals<V extends Visit, Found extends unknown[]>(
  act: (visit: V, ...found: Found) => Promise<Reply>,
  again: (visit: V, ...rest: [...found: Found, error: string]) => Promise<Reply>,
): (visit: V, ...found: Found) => Promise<Reply> {
  return async (visit, ...found) => {
    try {
      return await act(visit, ...found);
    } catch (error) {
      const sentence = explainRefusal(error);
      if (sentence === null) throw error;
      const faults = error instanceof Refused ? error.faults : [];
      const refusals = error instanceof PeopleRefused ? error.reasons : [];
      return again({ ...visit, faults, refusals }, ...found, sentence);
    }
  };
}

/**
 * Returns a function that makes the handlers of a record, which the path names. Without an act, a handler shows the record's page.
 * A refused act shows that page, too. An unknown record is answered like an unknown page.
 */
export function withRecord<Found>(
  find: (visit: MemberVisit) => Promise<Found | null>,
  page: (visit: MemberVisit, found: Found, error?: string) => Promise<Reply>,
) {
  return (act: (visit: MemberVisit, found: Found) => Promise<Reply> = page) => {
    const handle = catchRefusals(act, page);
    return async (visit: MemberVisit): Promise<Reply> => {
      const found = await find(visit);
      return found === null ? problem('not_found') : handle(visit, found);
    };
  };
}

/** Returns the sentence of a refusal; null for any other error. */
function explainRefusal(error: unknown): string | null {
  if (error instanceof Refused) return error.message;
  if (error instanceof PeopleRefused) return error.reasons.map((reason) => PEOPLE_REFUSALS[reason]).join(' ');
  if (!(error instanceof ApiError)) return null;
  const { code, details } = error;
  if (code === 'replay_cooldown')
    return `Events of this endpoint were sent again less than ten minutes ago. Try again in ${Math.ceil((details.retryAfterSeconds ?? 60) / 60)} min.`;
  const words = {
    ...FIELD_REFUSALS,
    ...NOTIFICATION_REFUSALS,
    since: 'Enter a time of the last 30 days.',
    formerMark: 'The secret was replaced since you opened the page. Nothing was changed. Look at the new secret.',
  };
  const [known, name] = code === 'validation_error' ? [words, details.param] : [DEVELOPER_REFUSALS, code];
  return Object.entries(known).find(([one]) => one === name)?.[1] ?? null;
}
