import { EVENT_TYPES, exampleOf } from '../../../contract/event-types.ts';
import type { EventType } from '../../../contract/operations-type.ts';
import { sendExample } from '../../../webhooks/events/deliveries.ts';
import { mayDo } from '../../model/roles.ts';
import * as ui from '../../render/blocks.ts';
import { catchRefusals } from '../../routing/handlers.ts';
import { accessScopeOf, type MemberVisit, problem, type Reply } from '../../routing/visit.ts';
import { pathWith } from '../filters.ts';
import { developerTabs, readEndpoints } from './visit.ts';

const PATH = '/developers/events';

/** Lists the types of events, or shows the one that the address names. */
export async function showEvents(visit: MemberVisit, error?: string): Promise<Reply> {
  const { events: t, tabs } = visit.t.developers;
  const { labels } = visit.t;
  const type = findType(visit.fields.get('type') ?? visit.query.get('type'));
  if (type !== undefined) return eventPage(visit, type, error);
  const path = visit.modePath(PATH);
  const open = (type: EventType) => ui.link(pathWith(path, { type }), ui.mark('code', type));
  return ui.page(tabs.events, {}, [
    developerTabs(visit, 'events'),
    ui.table(tabs.events, EVENT_TYPES, [
      [labels.event, open],
      [t.when, (type) => whenText(visit, type)],
    ]),
    ui.text(ui.link('/openapi.json', t.contract)),
  ]);
}

/** Sends the example of a type to an endpoint, and leads to its delivery. */
export const sendOne = catchRefusals(async (visit: MemberVisit) => {
  const type = findType(visit.fields.get('type'));
  const endpointId = visit.fields.get('endpointId');
  if (type === undefined || endpointId === undefined || !maySend(visit, type)) return problem('invalid_form');
  const { id } = await sendExample(accessScopeOf(visit), endpointId, type);
  return { kind: 'redirect', to: visit.modePath(`/deliveries/${id}?done=tested`) };
}, showEvents);

async function eventPage(visit: MemberVisit, type: EventType, error?: string): Promise<Reply> {
  const { events: t } = visit.t.developers;
  const { labels } = visit.t;
  return ui.page(`${labels.event}: ${visit.t.deliveries.types[type]}`, { error }, [
    developerTabs(visit, 'events'),
    ui.lead([ui.mark('code', type), ui.BREAK, `${t.when} ${whenText(visit, type)}.`]),
    ui.heading(t.example),
    ui.code(t.example, JSON.stringify(exampleOf(type), null, 2)),
    ui.text(ui.link(`/docs/reference/${type}`, t.fields)),
    mayDo(visit.member, 'webhooks.manage') && (await sending(visit, type)),
    ui.text(ui.link(visit.modePath(PATH), labels.back)),
  ]);
}

/** Returns the form that sends the example, or the sentence that says why there is none. */
async function sending(visit: MemberVisit, type: EventType): Promise<ui.Block> {
  const { endpoints: words, events } = visit.t.developers;
  const { send: t } = events;
  if (!maySend(visit, type)) return ui.card(t.title, [ui.text(t.live)]);
  const enabled = (await readEndpoints(visit)).filter(({ status }) => status === 'enabled');
  const options = enabled.map(({ id, url }) => [id, url] as const);
  if (options.length === 0) {
    const add = ui.link(visit.modePath('/developers/webhooks/new'), words.add);
    return ui.card(t.title, [ui.text([t.none, ' ', add])]);
  }
  const form = { ...t, text: type === 'ping' ? t.ping : t.text, hidden: { type }, look: 'quiet' } as const;
  return ui.form(visit.modePath(PATH), form, ui.field('endpointId', words.oneTitle, '', { options }));
}

function whenText({ t }: MemberVisit, type: EventType): string {
  const { endpoints, events } = t.developers;
  return { ...endpoints.eventTexts, ping: events.ping }[type];
}

/** Returns true if an example may be sent. Among live data, a program would take one for a payment. */
function maySend({ mode }: MemberVisit, type: EventType): boolean {
  return type === 'ping' || mode === 'test';
}

function findType(name: string | undefined): EventType | undefined {
  return EVENT_TYPES.find((type) => type === name);
}
