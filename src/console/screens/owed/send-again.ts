import { ALL_OWED, listOwed } from '../../../payment-links/billing/list-owed.ts';
import { queuePatientMail, type SendOutcome } from '../../../payment-links/office/mail-queue.ts';
import * as ui from '../../../web/blocks.ts';
import { LANGUAGES } from '../../../web/language.ts';
import { catchRefusals } from '../../routing/handlers.ts';
import { type MemberVisit, refuse, staffOf, viewerOf } from '../../routing/visit.ts';
import { tickedIds } from '../grant-fields.ts';
import { NO_SENDER, NOT_SENT } from '../links/change-cancel-send.ts';
import { PAGE_SIZE, showOwed, TICKED } from './list.ts';

const SENT = 'The email is on its way.';

const ENDED = 'Not sent: nothing is owed any more.';

const OUTCOMES = { ...NOT_SENT, queued: SENT, repeated: SENT, unknown: ENDED } satisfies Record<SendOutcome, string>;

/**
 * Emails each ticked link again, in the language of its last email, and says what came of each. A tick carries the number of emails so
 * far, so that a form that is sent twice sends one.
 */
export const sendAgain = catchRefusals(
  async (visit: MemberVisit) => {
    const { scope, fields, mailsPatients } = visit;
    if (!mailsPatients) return refuse(NO_SENDER);
    const [one, number] = fields.get('only')?.split('.') ?? [];
    const ids = one === undefined ? tickedIds(fields, TICKED) : [one];
    if (ids.length === 0) return refuse('Tick the links to send again.');
    const place = { order: 'age', cursor: null, size: PAGE_SIZE } as const;
    const { rows } = await listOwed(scope, viewerOf(visit), { ...ALL_OWED, ids: ids.slice(0, PAGE_SIZE) }, place);
    const results: ui.Content[] = [];
    for (const { id, firstName, lastName, sentLanguage } of rows) {
      const language = LANGUAGES.find((name) => name === sentLanguage) ?? 'en';
      const sent = Number(number ?? fields.get(`${TICKED}.${id}`));
      const outcome = await queuePatientMail(scope, staffOf(visit), id, language, sent);
      results.push([ui.own(`${firstName} ${lastName}`), ` · ${OUTCOMES[outcome]}`]);
    }
    const ended = ids.filter((id) => !rows.some((row) => row.id === id));
    return showOwed(visit, undefined, [...results, ...ended.map(() => ENDED)]);
  },
  (visit, error) => showOwed(visit, error),
);
