import { ApiError } from '../../platform/base/errors.ts';
import { NOTIFICATION_KINDS, type NotificationKind } from '../../practices/recipient.entity.ts';
import { type MemberVisit, problem, type Refusal, type Reply, refuse, type Visit } from './visit.ts';

/** Sentences for fields of settings that a service refuses, by their names. */
const FIELD_REFUSALS = {
  name: 'Enter a name of at most 200 characters, without invisible marks of direction.',
  phone: 'Enter a phone number such as (202) 555-0143, or leave it empty.',
  postalAddress: 'Enter up to five lines of 100 characters, without invisible marks of direction.',
  city: 'Enter a city, without invisible marks of direction.',
  state: 'Enter the letters of a US state, such as IL.',
  timeZone: 'Choose a time zone.',
  statementDescriptorSuffix:
    'Enter at most 10 characters with at least one letter. Accents and these characters do not work: < > \\ \' " *',
};

const DEVELOPER_REFUSALS = {
  endpoint_disabled: 'The endpoint is disabled. Enable it first.',
  webhooks_unavailable: 'Secrets cannot be read or stored at the moment. Try again later, or ask the operator.',
  limit_reached: 'Ten endpoints is the limit. Delete one first.',
};

export const NOTIFICATION_TEXTS = {
  disputes: { name: 'Disputes', help: 'A patient contests a payment at the bank, or the bank has decided.' },
  refunds: { name: 'Refunds', help: 'A refund failed, or was paid twice.' },
  payments: {
    name: 'Problems with payments',
    help: 'A bank returned a debit. Or a payment came late or twice, does not match its link, or its outcome is unknown.',
  },
  webhooks: { name: 'Webhooks', help: 'An endpoint fails or was disabled.' },
  each_payment: { name: 'Each payment', help: 'A patient has paid. One email for each payment.' },
  expired_links: {
    name: 'Expired links',
    help: 'Links that expired without a payment. One email for each day, the morning after.',
  },
} satisfies Record<NotificationKind, { name: string; help: string }>;

export const NOTIFICATION_REFUSALS: Readonly<Record<string, string>> = Object.fromEntries(
  NOTIFICATION_KINDS.map((kind) => [
    kind,
    `${NOTIFICATION_TEXTS[kind].name}: enter at most five email addresses, one per line, such as ada@example.com.`,
  ]),
);

/** Returns the handler of a form. If `act` refuses it, or a service does, `again` shows its page with the sentence that says why. */
export function catchRefusals<V extends Visit, Rest extends unknown[]>(
  act: (visit: V, ...rest: Rest) => Promise<Reply | Refusal>,
  again: (visit: V, ...rest: [...Rest, error: string]) => Promise<Reply>,
  explain: (error: unknown) => Refusal = explainError,
) {
  return async (visit: V, ...rest: Rest): Promise<Reply> => {
    const reply = await act(visit, ...rest).catch(explain);
    if (reply.kind !== 'refused') return reply;
    const { sentence, faults, refusals } = reply;
    return again({ ...visit, faults, refusals }, ...rest, sentence);
  };
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
  const fields = {
    ...FIELD_REFUSALS,
    ...NOTIFICATION_REFUSALS,
    since: 'Enter a time of the last 30 days.',
    formerMark: 'The secret was replaced since you opened the page. Nothing was changed. Look at the new secret.',
  };
  const codes = {
    ...DEVELOPER_REFUSALS,
    replay_cooldown: `Events of this endpoint were sent again less than ten minutes ago. Try again in ${minutes} min.`,
  };
  const [sentences, name] = code === 'validation_error' ? [fields, details.param] : [codes, code];
  const sentence = Object.entries(sentences).find(([one]) => one === name)?.[1];
  if (sentence === undefined) throw error;
  return refuse(sentence);
}
