import type { ApiKey } from '../../keys/api-key.entity.ts';
import { listLiveKeysCreatedBy } from '../../keys/service.ts';
import { listRecipients } from '../../practices/notifications.ts';
import type { User } from '../people/users.ts';
import * as ui from '../render/blocks.ts';
import type { MemberVisit } from '../routing/visit.ts';
import { keyName, readEndpoints } from './developers/visit.ts';
import type { Formats } from './formats.ts';

/** Shows what the person leaves behind: live keys, each with a box that revokes it, live endpoints, and notifications to the address. */
export async function whatStays(
  visit: MemberVisit,
  { personId, email }: User,
  { moment }: Formats,
): Promise<ui.Content> {
  const { scope, member, t } = visit;
  const { stays } = t.people.remove;
  const { practiceId } = member;
  const keys = await listLiveKeysCreatedBy(scope, practiceId, personId);
  const endpoints = (await readEndpoints(visit)).filter(({ createdBy }) => createdBy === personId);
  const isNotified = Object.values(await listRecipients(scope, practiceId)).some((emails) => emails.includes(email));
  const used = ({ lastUsedAt }: ApiKey) => (lastUsedAt === null ? t.labels.never : moment(lastUsedAt));
  return [
    keys.length > 0 && [
      ui.text(stays.keys),
      ...keys.map((key) => {
        const label = [ui.own(stays.revoke(keyName(visit, key))), ` (${t.labels.lastUsed}: `, used(key), ')'];
        return ui.check(`key.${key.id}`, label, visit.fields.has(`key.${key.id}`));
      }),
    ],
    endpoints.length > 0 && [
      ui.text(stays.endpoints),
      ui.list(
        'ul',
        endpoints.map(({ id, url }) => ui.link(visit.modePath(`/developers/webhooks/${id}`), ui.own(url))),
      ),
    ],
    isNotified && ui.text(ui.link(visit.path('/settings/notifications'), stays.notifications)),
  ];
}
