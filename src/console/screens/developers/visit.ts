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
  return new Map(keys.map((key) => [key.id, key.name === null ? `…${key.lastFour}` : keyName(key)]));
}

export function locationField({ activeLocationOptions, locationName }: PracticeView): ui.Field {
  return { all: locationName(null), options: activeLocationOptions };
}

export const NO_LOCATION = 'Choose a location in use, or all.';

export function isActiveLocation(id: string, { activeLocations }: PracticeView): boolean {
  return id === '' || activeLocations.some((location) => location.id === id);
}

export async function readEndpoints(visit: MemberVisit): Promise<WebhookEndpoint[]> {
  const { data } = await listVisibleEndpoints(accessScopeOf(visit), { page: 1, pageSize: 100 });
  return data;
}

export function developerTabs({ modePath }: MemberVisit, shown: 'home' | 'deliveries' | 'requests'): ui.Block {
  const pages = [
    ['home', 'Keys and endpoints', modePath('/developers')],
    ['deliveries', 'Deliveries', modePath('/deliveries')],
    ['requests', 'API requests', modePath('/developers/requests')],
  ] as const;
  return ui.tabs('Developers', pages, shown);
}

export function secretPage(
  { modePath }: MemberVisit,
  title: string,
  label: string,
  value: string,
  text: string,
  back: string,
): Reply {
  const field = { class: 'secret', type: 'text', readonly: true, ...ui.CODE };
  return ui.page(title, { done: text }, [
    ui.card(null, [ui.field('secret', label, value, field), ui.copyButton('secret', 'Copy')]),
    ui.text(ui.link(modePath(back), 'Back')),
  ]);
}

/** Returns the text of an act of this part that was done. The text of a replay has the number of events. */
export function developerDoneText(visit: MemberVisit): string | undefined {
  const count = Number(/^\d{1,4}$/.exec(visit.query.get('count') ?? '')?.[0] ?? 0);
  return doneText(visit, { ...DONE, replayed: `Events on their way: ${count}.` });
}
