import { fresh } from '../../../platform/base/scope.ts';
import { changeRecipients } from '../../../practices/changes-by-people.ts';
import { getPractice } from '../../../practices/find.ts';
import { listRecipients, type Recipients } from '../../../practices/notifications.ts';
import { NOTIFICATION_KINDS, OPTIONAL_KINDS } from '../../../practices/recipient.entity.ts';
import * as ui from '../../../web/blocks.ts';
import { NOTIFICATION_REFUSALS, NOTIFICATION_TEXTS } from '../../routing/handlers.ts';
import type { MemberVisit, Reply } from '../../routing/visit.ts';
import { typedTexts } from '../filters.ts';
import { byPerson } from './changes.ts';

const NOTIFICATIONS = {
  title: 'Emails to your practice',
  text: 'Name up to five addresses for each kind, one per line. People who see only some locations get the emails of these.',
  button: 'Save the addresses',
};

/** Returns the form of the recipients. A refused form keeps what was typed. */
export async function notificationsForm(visit: MemberVisit, error?: string): Promise<ui.Block> {
  const scope = fresh(visit.scope);
  const { adminEmail } = await getPractice(scope, visit.member.practiceId);
  const recipients = await listRecipients(scope, visit.member.practiceId);
  const fields = NOTIFICATION_KINDS.map((kind) => {
    const { name, help } = NOTIFICATION_TEXTS[kind];
    const isOptional = OPTIONAL_KINDS.some((one) => one === kind);
    const empty = isOptional ? 'Leave it empty for none.' : `Leave it empty to send these emails to ${adminEmail}.`;
    return ui.field(kind, name, visit.fields.get(kind) ?? recipients[kind].join('\n'), {
      rows: 2,
      maxlength: 1400,
      ...ui.CODE,
      isWrong: error === NOTIFICATION_REFUSALS[kind],
      isHintAbove: true,
      hint: [`${help} `, ui.own(empty)],
    });
  });
  return ui.form(
    visit.path('/settings/notifications'),
    { ...NOTIFICATIONS, attributes: { id: 'notifications' } },
    fields,
  );
}

export async function changeNotifications(visit: MemberVisit): Promise<Reply> {
  const input = typedTexts(visit.fields, NOTIFICATION_KINDS);
  const wanted = Object.entries(input).map(([kind, text]) => [kind, addressesIn(text)]);
  // Every kind has an entry.
  await changeRecipients(fresh(visit.scope), byPerson(visit), Object.fromEntries(wanted) as Recipients);
  return { kind: 'redirect', to: visit.path('/settings?done=saved') };
}

/** Splits a text at line breaks, commas and semicolons, as people type lists. */
function addressesIn(text: string): string[] {
  return text.split(/[\r\n,;]+/).flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}
