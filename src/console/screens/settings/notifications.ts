import { fresh } from '../../../base/scope.ts';
import { inTransaction } from '../../../database/query/transaction.ts';
import { getPractice } from '../../../practices/find.ts';
import { listRecipients, type Recipients, setRecipients } from '../../../practices/notifications.ts';
import { NOTIFICATION_KINDS } from '../../../practices/recipient.entity.ts';
import * as ui from '../../render/blocks.ts';
import { catchRefusals } from '../../routing/handlers.ts';
import { NOTIFICATION_TEXTS } from '../../routing/refusals.ts';
import { doneText, type MemberVisit, type Reply } from '../../routing/visit.ts';
import { typedTexts } from '../filters.ts';
import { auditChange, tabs } from './changes.ts';

/** Shows the recipients. A refused form keeps what was typed. */
export async function showNotifications(visit: MemberVisit, error?: string): Promise<Reply> {
  const scope = fresh(visit.scope);
  const { adminEmail } = await getPractice(scope, visit.member.practiceId);
  const recipients = await listRecipients(scope, visit.member.practiceId);
  const fields = NOTIFICATION_KINDS.map((name) =>
    ui.field(name, NOTIFICATION_TEXTS[name].name, visit.fields.get(name) ?? recipients[name].join('\n'), {
      rows: 3,
      maxlength: 1400,
      ...ui.CODE,
      isWrong:
        error ===
        `${NOTIFICATION_TEXTS[name].name}: enter at most five email addresses, one per line, such as ada@example.com.`,
      isHintAbove: true,
      hint: [`${NOTIFICATION_TEXTS[name].help} `, ui.own(`Leave it empty to send these emails to ${adminEmail}.`)],
    }),
  );
  const done = doneText(visit);
  return ui.page('Notifications', { error, done }, [
    tabs(visit, 'notifications'),
    ui.lead('These emails need someone to act. Name up to five addresses for each kind, one per line.'),
    ui.form(visit.path('/settings/notifications'), { button: 'Save' }, fields),
  ]);
}

export const saveNotifications = catchRefusals(async (visit: MemberVisit) => {
  const { practiceId } = visit.member;
  const input = typedTexts(visit.fields, NOTIFICATION_KINDS);
  const wanted = Object.entries(input).map(([kind, text]) => [kind, addressesIn(text)]);
  await inTransaction(fresh(visit.scope), async (scope) => {
    const before = await listRecipients(scope, practiceId);
    // Every kind has an entry.
    const after = await setRecipients(scope, practiceId, Object.fromEntries(wanted) as Recipients);
    auditChange(visit, scope, { action: 'notifications.changed', before, after });
  });
  return { kind: 'redirect', to: visit.path('/settings/notifications?done=saved') };
}, showNotifications);

/** Splits a text at line breaks, commas and semicolons, as people type lists. */
function addressesIn(text: string): string[] {
  return text.split(/[\r\n,;]+/).flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}
