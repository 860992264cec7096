import { ApiError } from '../../platform/base/errors.ts';
import { NOTIFICATION_KINDS } from '../../practices/recipient.entity.ts';
import * as ui from '../../web/blocks.ts';
import { type MemberVisit, problem, type Refusal, type Reply, refuse, refuseFields, type Visit } from './visit.ts';

/** Sentences for fields that a service refuses, by their names. */
const FIELD_REFUSALS = {
  name: 'Enter a name of at most 200 characters, without invisible marks of direction.',
  phone: 'Enter a phone number such as (202) 555-0143, or leave it empty.',
  postalAddress: 'Enter up to five lines of 100 characters, without invisible marks of direction.',
  city: 'Enter a city, without invisible marks of direction.',
  state: 'Enter the letters of a US state, such as IL.',
  timeZone: 'Choose a time zone.',
  since: 'Enter a time of the last 30 days.',
  formerMark: 'The secret was replaced since you opened the page. Nothing was changed. Look at the new secret.',
  statementDescriptorSuffix:
    'Enter at most 10 characters with at least one letter. Accents and these characters do not work: < > \\ \' " *',
};

const ADDRESSES_REFUSED = 'Enter at most five email addresses, one per line, such as ada@example.com.';

const DEVELOPER_REFUSALS = {
  endpoint_disabled: 'The endpoint is disabled. Enable it first.',
  webhooks_unavailable: 'Secrets cannot be read or stored at the moment. Try again later, or ask the operator.',
  limit_reached: 'Ten endpoints is the limit. Delete one first.',
};

/** Returns the handler of a form. If `act` refuses it, or a service does, `again` shows its page with the sentence that says why. */
export function catchRefusals<V extends Visit, Rest extends unknown[]>(
  act: (visit: V, ...rest: Rest) => Promise<Reply | Refusal>,
  again: (visit: V, ...rest: [...Rest, error: string]) => Promise<Reply>,
  explain: (error: unknown) => Refusal = explainError,
) {
  return async (visit: V, ...rest: Rest): Promise<Reply> => {
    const reply = await act(visit, ...rest).catch(explain);
    if (reply.kind !== 'refused') return reply;
    return again({ ...visit, faults: reply.faults }, ...rest, reply.sentence);
  };
}

/** Returns what the page of a refused form says above: a sentence, or links to its wrong fields. */
export function explainFaults({ faults }: Visit, error: string | undefined) {
  return { error, faults: faults.map(({ id, sentence }) => ui.link(`#${id}`, sentence, { class: undefined })) };
}

/** Makes the handlers of a record, which the path names. Without an act, or if it is refused, a handler shows the record's page. */
export function withRecord<Entry>(
  find: (visit: MemberVisit) => Promise<Entry | null>,
  page: (visit: MemberVisit, entry: Entry, error?: string) => Promise<Reply>,
  explain?: (error: unknown) => Refusal,
) {
  return (act: (visit: MemberVisit, entry: Entry) => Promise<Reply | Refusal> = page) => {
    const handle = catchRefusals(act, page, explain);
    return async (visit: MemberVisit): Promise<Reply> => {
      const entry = await find(visit);
      return entry === null ? problem('not_found') : handle(visit, entry);
    };
  };
}

/** Returns the refusal of a service in words. Throws any other error on. */
function explainError(error: unknown): Refusal {
  if (!(error instanceof ApiError)) throw error;
  const { code, details } = error;
  const minutes = Math.ceil((details.retryAfterSeconds ?? 60) / 60);
  const codes = {
    ...DEVELOPER_REFUSALS,
    replay_cooldown: `Events of this endpoint were sent again less than ten minutes ago. Try again in ${minutes} min.`,
  };
  const kind = NOTIFICATION_KINDS.find((one) => one === details.param);
  if (kind !== undefined) return refuseFields([{ id: kind, sentence: ADDRESSES_REFUSED }]);
  const [sentences, name] = code === 'validation_error' ? [FIELD_REFUSALS, details.param] : [codes, code];
  const sentence = Object.entries(sentences).find(([one]) => one === name)?.[1];
  if (sentence === undefined) throw error;
  return refuse(sentence);
}
