import type { PaymentLinkEventType } from '../../../contract/operations-type.ts';
import type { WebhookEndpoint } from '../../../webhooks/model/endpoint.entity.ts';
import * as ui from '../../render/blocks.ts';
import type { MemberVisit } from '../../routing/route.ts';
import { TEXTS } from '../../texts/texts.ts';

/** Longest note of an endpoint, in characters (openapi.yaml, `CreateWebhookEndpointRequest`). */
export const MAX_DESCRIPTION = 500;

/** Types of events that an endpoint can choose. The compiler checks that the texts have all types of the contract. */
const EVENT_TYPES = Object.keys(TEXTS.en.developers.endpoints.eventTexts).filter(
  (type): type is PaymentLinkEventType => type in TEXTS.en.developers.endpoints.eventTexts,
);

export interface EndpointInput {
  url: string;
  reach: 'all' | 'some';
  events: readonly string[];
  description: string;
  location: string;
}

export const NOTHING: EndpointInput = { url: '', reach: 'all', events: [], description: '', location: '' };

export function fieldsOf(visit: MemberVisit, input: EndpointInput): ui.Content[] {
  const { endpoints: t } = visit.t.developers;
  const types = EVENT_TYPES.map((type) => {
    const label = [ui.mark('code', type), `: ${t.eventTexts[type]}`];
    return ui.check(`event.${type}`, label, input.events.includes(type), { id: type, isIndented: true });
  });
  return [
    ui.fields(t, input, { url: { type: 'url', required: true, maxlength: 2048, ...ui.CODE } }),
    ui.fieldset(t.events, [
      ui.radio('reach', 'all', t.allEvents, input.reach === 'all'),
      ui.radio('reach', 'some', t.someEvents, input.reach === 'some'),
      ...types,
    ]),
    ui.fields(t, input, { description: { rows: 2, maxlength: MAX_DESCRIPTION } }),
  ];
}

export function inputOf({ fields }: MemberVisit): EndpointInput {
  return {
    url: (fields.get('url') ?? '').trim(),
    reach: fields.get('reach') === 'some' ? 'some' : 'all',
    events: EVENT_TYPES.filter((type) => fields.get(`event.${type}`) === 'on'),
    description: (fields.get('description') ?? '').replaceAll('\r\n', '\n'),
    location: fields.get('location') ?? '',
  };
}

export function inputFrom({ url, enabledEvents, description }: WebhookEndpoint): EndpointInput {
  const reach = enabledEvents.length === 0 ? 'all' : 'some';
  return { url, reach, events: enabledEvents, description: description ?? '', location: '' };
}

/** An empty list means all types, so a form without a chosen type is refused before. */
export function chosenEvents({ reach, events }: EndpointInput): PaymentLinkEventType[] {
  return reach === 'all' ? [] : EVENT_TYPES.filter((type) => events.includes(type));
}
