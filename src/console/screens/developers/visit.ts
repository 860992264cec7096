import { ApiKey } from '../../../access/api-key.entity.ts';
import * as ui from '../../../web/blocks.ts';
import { listVisibleEndpoints } from '../../../webhooks/endpoints/service.ts';
import type { WebhookEndpoint } from '../../../webhooks/model/endpoint.entity.ts';
import { accessScopeOf, doneText, type MemberVisit, type Reply } from '../../routing/visit.ts';
import type { PracticeView } from '../formats.ts';

const DONE = {
  revoked: 'The key is revoked. It no longer works.',
  created: 'The endpoint receives events from now on. Show its secret to check signatures.',
  enabled: 'The endpoint is enabled. To send what it missed, start a replay.',
  disabled: 'The endpoint is disabled. Nothing more is sent to it.',
  deleted: 'The endpoint and its deliveries are gone.',
};

/** Returns how pages name a key. Several keys may have one name, but rarely the same last four characters. */
export function keyName({ name, lastFour }: ApiKey): string {
  return name === null ? `Key …${lastFour}` : `${name} (…${lastFour})`;
}

/** Returns the names of keys by their ids, also of revoked ones. A key without a name has its last four characters. */
export async function readKeyNames(
  { scope, member }: MemberVisit,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const keys = await scope.em.find(ApiKey, { practiceId: member.practiceId, id: ids.filter((id) => id !== null) });
  return new Map(keys.map(({ id, name, lastFour }) => [id, name === null ? `…${lastFour}` : `${name} (…${lastFour})`]));
}

/** Returns the look of the field with the active locations, or all. */
export function locationField({ activeLocationOptions, locationName }: PracticeView): ui.Field {
  return { all: locationName(null), options: activeLocationOptions };
}

/** Returns true for an active location of the practice, and for all of them. */
export function isActiveLocation(id: string, { activeLocations }: PracticeView): boolean {
  return id === '' || activeLocations.some((location) => location.id === id);
}

/** Returns the endpoints of the page's mode: at most ten. */
export async function readEndpoints(visit: MemberVisit): Promise<WebhookEndpoint[]> {
  const { data } = await listVisibleEndpoints(accessScopeOf(visit), { page: 1, pageSize: 100 });
  return data;
}

/** Returns the endpoints to choose from. */
export async function readEndpointChoices(visit: MemberVisit): Promise<ui.Option[]> {
  return (await readEndpoints(visit)).map(({ id, url }) => [id, url]);
}

const TABS = { home: 'Keys and endpoints', deliveries: 'Deliveries', requests: 'API requests' };

export function developerTabs({ modePath }: MemberVisit, shown: keyof typeof TABS): ui.Block {
  const hrefs = {
    home: modePath('/developers'),
    deliveries: modePath('/deliveries'),
    requests: modePath('/developers/requests'),
  };
  return ui.tabs({ title: 'Developers', tabs: TABS }, hrefs, shown);
}

/** Returns the page that shows a key or a secret to copy. */
export function secretPage(
  { modePath }: MemberVisit,
  title: string,
  { value, label, text }: Record<'value' | 'label' | 'text', string>,
  back: string,
): Reply {
  const field = { class: 'secret', type: 'text', readonly: true, ...ui.CODE };
  return ui.page(title, { done: text }, [
    ui.card(null, [
      ui.field('secret', label, value, field),
      ui.copyButton('secret', { copy: 'Copy', copied: 'Copied' }, 'quiet'),
    ]),
    ui.text(ui.link(modePath(back), 'Back')),
  ]);
}

/** Returns the text of an act of this part that was done. That of a replay has the number of events. */
export function developerDoneText(visit: MemberVisit): string | undefined {
  const count = Number(/^\d{1,4}$/.exec(visit.query.get('count') ?? '')?.[0] ?? 0);
  return doneText(visit, { ...DONE, replayed: `Events on their way: ${count}.` });
}
