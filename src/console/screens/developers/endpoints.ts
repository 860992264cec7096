import { codePoints, isCleanText } from '../../../base/text.ts';
import type { PaymentLinkEventType } from '../../../contract/operations-type.ts';
import { inTransaction } from '../../../database/query/transaction.ts';
import type { Location } from '../../../practices/location.entity.ts';
import { timeZoneOf } from '../../../practices/time-zone.ts';
import {
  createEndpoint,
  deleteEndpoint,
  getVisibleEndpoint,
  secretMark,
  updateEndpoint,
} from '../../../webhooks/endpoints/service.ts';
import { listVisibleDeliveries, sendPing } from '../../../webhooks/events/deliveries.ts';
import type { WebhookEndpoint } from '../../../webhooks/model/endpoint.entity.ts';
import { DISABLE_AFTER } from '../../../webhooks/model/transitions.ts';
import { claimForm, isFormId, newFormId } from '../../model/sent-forms.ts';
import { type MemberVisit, modeOf, type Reply } from '../../routing/route.ts';
import { confirmAgain } from '../../routing/step-up.ts';
import { invalidForm, isConfirmed, visibleLocations } from '../../routing/visit.ts';
import { isFresh } from '../../sign-in/sessions.ts';
import { TEXTS } from '../../texts/texts.ts';
import { momentText } from '../formats.ts';
import { endpointView } from './endpoint-view.ts';
import { developerDoneText, developersPath, endpointScope, textsOf, tried } from './visit.ts';

/** Longest note of an endpoint, in characters (openapi.yaml, `CreateWebhookEndpointRequest`). */
const MAX_DESCRIPTION = 500;

/** Types of events that an endpoint can choose. The compiler checks that the texts have all types of the contract. */
const EVENT_TYPES = Object.keys(TEXTS.en.developers.endpoints.eventTexts).filter(
  (type): type is PaymentLinkEventType => type in TEXTS.en.developers.endpoints.eventTexts,
);

/** Values of the form of an endpoint, as the person typed them. */
interface EndpointInput {
  url: string;
  reach: 'all' | 'some';
  events: readonly string[];
  description: string;
  location: string;
}

const NOTHING: EndpointInput = { url: '', reach: 'all', events: [], description: '', location: '' };

/** Shows the form for a new endpoint, with the input of a refused one. */
export async function showNewEndpoint(visit: MemberVisit, refused?: { input: EndpointInput; error: string }) {
  const t = textsOf(visit);
  const locations = await visibleLocations(visit);
  const view = {
    action: developersPath(visit, '/webhooks'),
    formId: newFormId(),
    form: fieldsView(visit, refused?.input ?? NOTHING),
    locations: locations.filter(({ active }) => active).map(({ id, name, city }) => ({ id, name, city })),
    location: refused?.input.location ?? '',
    error: refused?.error,
  };
  const status = refused === undefined ? 200 : 422;
  return { kind: 'page' as const, status, template: 'developers/endpoint-new', title: t.endpoints.newTitle, view };
}

/** Creates an endpoint. A form that is sent twice creates one. */
export async function create(visit: MemberVisit): Promise<Reply> {
  const formId = visit.fields.get('form');
  if (!isFormId(formId)) return invalidForm();
  const t = textsOf(visit);
  const input = inputOf(visit);
  const fault = (await faultOf(visit, input)) ?? locationFault(visit, input, await visibleLocations(visit));
  if (fault !== null) return showNewEndpoint(visit, { input, error: fault });
  const { url, description, location } = input;
  const created = await tried(visit, () =>
    inTransaction(endpointScope(visit), async (scope) => {
      if (!(await claimForm(scope, visit.member.practiceId, formId))) return null;
      const locationId = location === '' ? null : location;
      const wanted = { url, enabledEvents: chosenEvents(input), description: description || null, locationId };
      return createEndpoint(scope, wanted);
    }),
  );
  if (!created.ok) return showNewEndpoint(visit, { input, error: created.error });
  if (created.value === null) return showNewEndpoint(visit, { input: NOTHING, error: t.refusals.sent_before });
  return { kind: 'redirect', to: developersPath(visit, `/webhooks/${created.value.endpoint.id}?done=created`) };
}

/** Shows an endpoint with its forms. */
export async function showEndpoint(visit: MemberVisit): Promise<Reply> {
  return endpointPage(visit, await endpointOf(visit));
}

/** Changes address, events and note of an endpoint. */
export async function change(visit: MemberVisit): Promise<Reply> {
  const endpoint = await endpointOf(visit);
  const input = inputOf(visit);
  const fault = await faultOf(visit, input);
  if (fault !== null) return endpointPage(visit, endpoint, fault, input);
  const { url, description } = input;
  // A new address gets the events of all patients from now on.
  const isNewLiveUrl = modeOf(visit) === 'live' && url !== endpoint.url;
  if (isNewLiveUrl && !isFresh(visit.scope, visit.session)) return confirmAgain(visit);
  const changes = { url, enabledEvents: chosenEvents(input), description: description || null };
  // `faultOf` has checked the address, and refused a wrong one in the person's language.
  const changed = await tried(visit, () => updateEndpoint(endpointScope(visit), visit.checkUrl, endpoint.id, changes));
  return changed.ok ? done(visit, endpoint, 'changed') : endpointPage(visit, endpoint, changed.error, input);
}

/** Enables an endpoint. */
export function enable(visit: MemberVisit): Promise<Reply> {
  return switched(visit, true);
}

/** Disables an endpoint, which skips what waits. */
export async function disable(visit: MemberVisit): Promise<Reply> {
  if (isConfirmed(visit)) return switched(visit, false);
  return endpointPage(visit, await endpointOf(visit), textsOf(visit).refusals.not_confirmed);
}

/** Sends the test event `ping`. */
export async function ping(visit: MemberVisit): Promise<Reply> {
  const endpoint = await endpointOf(visit);
  const sent = await tried(visit, () => sendPing(endpointScope(visit), endpoint.id));
  return sent.ok ? done(visit, endpoint, 'tested') : endpointPage(visit, endpoint, sent.error);
}

/** Deletes an endpoint with its history. */
export async function remove(visit: MemberVisit): Promise<Reply> {
  const endpoint = await endpointOf(visit);
  if (!isConfirmed(visit)) return endpointPage(visit, endpoint, textsOf(visit).refusals.not_confirmed);
  await deleteEndpoint(endpointScope(visit), endpoint.id);
  return { kind: 'redirect', to: developersPath(visit, '?done=deleted') };
}

/** Returns the endpoint of the path. @throws ApiError `not_found`, also for one of another practice or mode */
export function endpointOf(visit: MemberVisit): Promise<WebhookEndpoint> {
  // Another entity manager than that of the change, which reads the row again under its lock.
  const scope = endpointScope(visit);
  return getVisibleEndpoint({ ...scope, em: scope.em.fork() }, visit.params.endpointId ?? '');
}

/** Returns the page of an endpoint; with an error, the refused form keeps its input. */
export async function endpointPage(
  visit: MemberVisit,
  endpoint: WebhookEndpoint,
  error?: string,
  input: EndpointInput = inputFrom(endpoint),
): Promise<Reply> {
  const t = textsOf(visit);
  const locations = await visibleLocations(visit);
  const { previousSecretUntil } = endpoint;
  const isOverlapping = previousSecretUntil !== null && previousSecretUntil > visit.scope.clock.now();
  const view = {
    endpoint: endpointView(visit, endpoint, locations),
    form: fieldsView(visit, input),
    disabledWhy: await disabledWhy(visit, endpoint),
    secretMark: secretMark(endpoint),
    formerUntil: isOverlapping ? momentText(previousSecretUntil, visit.language, timeZoneOf(locations)) : null,
    error,
    done: error === undefined ? developerDoneText(visit) : undefined,
  };
  const status = error === undefined ? 200 : 422;
  return { kind: 'page', status, template: 'developers/endpoint', title: t.endpoints.oneTitle, view };
}

async function switched(visit: MemberVisit, enabled: boolean): Promise<Reply> {
  const endpoint = await endpointOf(visit);
  const changed = await tried(visit, () =>
    updateEndpoint(endpointScope(visit), visit.checkUrl, endpoint.id, { enabled }),
  );
  if (!changed.ok) return endpointPage(visit, endpoint, changed.error);
  return done(visit, endpoint, enabled ? 'enabled' : 'disabled');
}

function done(visit: MemberVisit, { id }: WebhookEndpoint, what: string): Reply {
  return { kind: 'redirect', to: developersPath(visit, `/webhooks/${id}?done=${what}`) };
}

/** Returns the sentences that say who disabled an endpoint, and its last failure; none for an enabled one. */
async function disabledWhy(visit: MemberVisit, { id, status, consecutiveExhausted }: WebhookEndpoint) {
  if (status === 'enabled') return [];
  const { endpoints: t } = textsOf(visit);
  if (consecutiveExhausted < DISABLE_AFTER) return [t.disabledByPractice];
  const filter = { endpointId: id, status: 'exhausted' as const };
  const { data } = await listVisibleDeliveries(endpointScope(visit), filter, { page: 1, pageSize: 1 });
  const { lastResponseStatus = null, lastError = null } = data[0] ?? {};
  const answer = lastResponseStatus === null ? lastError : `HTTP ${lastResponseStatus}`;
  return [t.disabledByFailures(consecutiveExhausted), ...(answer === null ? [] : [t.lastFailure(answer)])];
}

function fieldsView(visit: MemberVisit, input: EndpointInput) {
  const { endpoints: t } = textsOf(visit);
  return {
    ...input,
    types: EVENT_TYPES.map((type) => ({ type, text: t.eventTexts[type], isChosen: input.events.includes(type) })),
  };
}

function inputOf({ fields }: MemberVisit): EndpointInput {
  return {
    url: (fields.get('url') ?? '').trim(),
    reach: fields.get('reach') === 'some' ? 'some' : 'all',
    events: EVENT_TYPES.filter((type) => fields.get(`event.${type}`) === 'on'),
    description: (fields.get('description') ?? '').replaceAll('\r\n', '\n'),
    location: fields.get('location') ?? '',
  };
}

function inputFrom({ url, enabledEvents, description }: WebhookEndpoint): EndpointInput {
  const reach = enabledEvents.length === 0 ? 'all' : 'some';
  return { url, reach, events: enabledEvents, description: description ?? '', location: '' };
}

/** An empty list means all types, so a form without a chosen type is refused before. */
function chosenEvents({ reach, events }: EndpointInput): PaymentLinkEventType[] {
  return reach === 'all' ? [] : EVENT_TYPES.filter((type) => events.includes(type));
}

/** Returns the sentence that refuses the form; null if its values are acceptable. */
async function faultOf(visit: MemberVisit, { url, reach, events, description }: EndpointInput): Promise<string | null> {
  const t = textsOf(visit);
  if (reach === 'some' && events.length === 0) return t.refusals.no_event;
  if (codePoints(description) > MAX_DESCRIPTION || !isCleanText(description, true)) {
    return t.refusals.description_invalid;
  }
  const check = await visit.checkUrl(url);
  return check.ok ? null : t.endpoints.urlFaults[check.reason];
}

function locationFault(visit: MemberVisit, { location }: EndpointInput, locations: readonly Location[]): string | null {
  const isKnown = location === '' || locations.some(({ id, active }) => active && id === location);
  return isKnown ? null : textsOf(visit).refusals.unknown_location;
}
