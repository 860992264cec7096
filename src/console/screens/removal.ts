import type { ApiKey } from '../../access/api-key.entity.ts';
import { listLiveKeysCreatedBy } from '../../access/service.ts';
import { listRecipients } from '../../practices/notifications.ts';
import * as ui from '../../web/blocks.ts';
import type { Member } from '../identity/people/members.ts';
import type { MemberVisit } from '../routing/visit.ts';
import { keyName, readEndpoints } from './developers/visit.ts';
import type { Formats } from './formats.ts';

/** Shows what the person leaves behind: live keys, each with a box that revokes it, live endpoints, and notifications to the address. */
export async function whatStays(
  visit: MemberVisit,
  { personId, email }: Member,
  { moment }: Formats,
): Promise<ui.Content> {
  const { scope, member } = visit;
  const { practiceId } = member;
  const keys = await listLiveKeysCreatedBy(scope, practiceId, personId);
  const endpoints = (await readEndpoints(visit)).filter(({ createdBy }) => createdBy === personId);
  const isNotified = Object.values(await listRecipients(scope, practiceId)).some((emails) => emails.includes(email));
  const used = ({ lastUsedAt }: ApiKey) => (lastUsedAt === null ? 'Never' : moment(lastUsedAt));
  return [
    keys.length > 0 && [
      ui.text(
        'The person created these live API keys and may know them. They work on until they are revoked. Programs that use a revoked key need a new one.',
      ),
      ...keys.map((key) => {
        const label = [ui.own(`Revoke ${keyName(key)}`), ` (Last used: `, used(key), ')'];
        return ui.check(`key.${key.id}`, label, visit.fields.has(`key.${key.id}`));
      }),
    ],
    endpoints.length > 0 && [
      ui.text('The person added these live webhook endpoints. They get data of patients until you delete them:'),
      ui.list(
        'ul',
        endpoints.map(({ id, url }) => ui.link(visit.modePath(`/developers/webhooks/${id}`), ui.own(url))),
      ),
    ],
    isNotified &&
      ui.text(
        ui.link(
          visit.path('/settings#notifications'),
          'This address gets notifications of the practice until you remove it.',
        ),
      ),
  ];
}
