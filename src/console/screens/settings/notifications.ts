import { ApiError } from '../../../base/errors.ts';
import { fresh } from '../../../base/scope.ts';
import { inTransaction } from '../../../database/query/transaction.ts';
import { getPractice } from '../../../practices/find.ts';
import { listRecipients, type Recipients, setRecipients } from '../../../practices/notifications.ts';
import { NOTIFICATION_KINDS, type NotificationKind } from '../../../practices/recipient.entity.ts';
import * as ui from '../../render/blocks.ts';
import { type MemberVisit, practicePath, type Reply } from '../../routing/route.ts';
import { TEXTS } from '../../texts/texts.ts';
import { textsNamed } from '../filters.ts';
import { record, tabs } from './acts.ts';

/** A refused form: the kind with the fault, and what the person typed. */
interface Refused {
  kind: NotificationKind;
  input: Readonly<Record<NotificationKind, string>>;
}

export async function showNotifications(visit: MemberVisit, refused?: Refused): Promise<Reply> {
  const { language, member } = visit;
  const t = TEXTS[language].settings.notifications;
  const scope = fresh(visit.scope);
  const { adminEmail } = await getPractice(scope, member.practiceId);
  const recipients = await listRecipients(scope, member.practiceId);
  const fields = NOTIFICATION_KINDS.map((name) =>
    ui.field(name, t.kinds[name].name, refused?.input[name] ?? recipients[name].join('\n'), {
      rows: 3,
      attributes: { maxlength: 1400, ...ui.CODE, 'aria-invalid': refused?.kind === name ? 'true' : undefined },
      isHintAbove: true,
      hint: [`${t.kinds[name].help} `, ui.own(t.standard(adminEmail))],
    }),
  );
  const error = refused === undefined ? undefined : t.refused(t.kinds[refused.kind].name);
  const done = refused === undefined && visit.query.get('done') === 'saved' ? t.saved : undefined;
  const action = practicePath(member, '/settings/notifications');
  return ui.page(
    t.title,
    [tabs('notifications'), ui.lead(t.lead), ui.form({ action, blocks: fields, button: t.button })],
    { error, done },
  );
}

export async function saveNotifications(visit: MemberVisit): Promise<Reply> {
  const { practiceId } = visit.member;
  const input = textsNamed(visit.fields, NOTIFICATION_KINDS);
  const wanted: Recipients = {
    disputes: addressesIn(input.disputes),
    refunds: addressesIn(input.refunds),
    payments: addressesIn(input.payments),
    webhooks: addressesIn(input.webhooks),
  };
  try {
    await inTransaction(fresh(visit.scope), async (scope) => {
      const before = await listRecipients(scope, practiceId);
      const after = await setRecipients(scope, practiceId, wanted);
      const target = { kind: 'practice', id: practiceId };
      record(visit, scope, { action: 'notifications.changed', target, before, after });
    });
  } catch (error) {
    const kind = kindOf(error);
    if (kind === undefined) throw error;
    return showNotifications(visit, { kind, input });
  }
  return { kind: 'redirect', to: practicePath(visit.member, '/settings/notifications?done=saved') };
}

function kindOf(error: unknown): NotificationKind | undefined {
  const param = error instanceof ApiError ? error.details.param : null;
  return NOTIFICATION_KINDS.find((kind) => kind === param);
}

/** Splits a text at line breaks, commas and semicolons, as people type lists. */
function addressesIn(text: string): string[] {
  return text.split(/[\r\n,;]+/).flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}
