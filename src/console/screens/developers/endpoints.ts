import { codePoints, isCleanText } from '../../../base/text.ts';
import { inTransaction } from '../../../database/query/transaction.ts';
import type { Location } from '../../../practices/location.entity.ts';
import { timeZoneOf } from '../../../practices/time-zone.ts';
import {
  createEndpoint,
  deleteEndpoint,
  getVisibleEndpoint,
  rotateSecret,
  secretMark,
  showSecret,
  updateEndpoint,
} from '../../../webhooks/endpoints/service.ts';
import { listVisibleDeliveries, sendPing } from '../../../webhooks/events/deliveries.ts';
import type { WebhookEndpoint } from '../../../webhooks/model/endpoint.entity.ts';
import { DISABLE_AFTER } from '../../../webhooks/model/transitions.ts';
import { claimForm, isFormId, newFormId } from '../../model/sent-forms.ts';
import * as ui from '../../render/blocks.ts';
import { type MemberVisit, modeOf, modePath, type Reply } from '../../routing/route.ts';
import { confirmAgain } from '../../routing/step-up.ts';
import { invalidForm, isConfirmed, visibleLocations } from '../../routing/visit.ts';
import { isFresh } from '../../sign-in/sessions.ts';
import { momentText } from '../formats.ts';
import {
  chosenEvents,
  type EndpointInput,
  fieldsOf,
  inputFrom,
  inputOf,
  MAX_DESCRIPTION,
  NOTHING,
} from './endpoint-form.ts';
import {
  activeChoices,
  developerDoneText,
  developersPath,
  endpointScope,
  locationName,
  textsOf,
  tried,
} from './visit.ts';

export async function showNewEndpoint(visit: MemberVisit, refused?: { input: EndpointInput; error: string }) {
  const t = textsOf(visit);
  const locations = await visibleLocations(visit);
  const input = refused?.input ?? NOTHING;
  const { newTitle, location, locationHelp, afterCreate, create } = t.endpoints;
  return ui.page(
    newTitle,
    [
      ui.form({
        action: developersPath(visit, '/webhooks'),
        hidden: { form: newFormId() },
        blocks: [
          ...fieldsOf(visit, input),
          ui.select('location', location, input.location, activeChoices(locations), {
            all: t.keys.allLocations,
            hint: locationHelp,
          }),
          ui.text(afterCreate),
        ],
        button: create,
      }),
    ],
    { error: refused?.error },
  );
}

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
  if (typeof created === 'string') return showNewEndpoint(visit, { input, error: created });
  if (created === null) return showNewEndpoint(visit, { input: NOTHING, error: t.refusals.sent_before });
  return done(visit, created.endpoint, 'created');
}

export async function showEndpoint(visit: MemberVisit): Promise<Reply> {
  return endpointPage(visit, await endpointOf(visit));
}

export const change = onEndpoint(async (visit, endpoint) => {
  const input = inputOf(visit);
  const fault = await faultOf(visit, input);
  if (fault !== null) return fault;
  const { url, description } = input;
  // A new address gets the events of all patients from now on.
  const isNewLiveUrl = modeOf(visit) === 'live' && url !== endpoint.url;
  if (isNewLiveUrl && !isFresh(visit.scope, visit.session)) return confirmAgain(visit);
  const changes = { url, enabledEvents: chosenEvents(input), description: description || null };
  // `faultOf` has checked the address, and refused a wrong one in the person's language.
  await updateEndpoint(endpointScope(visit), visit.checkUrl, endpoint.id, changes);
  return done(visit, endpoint, 'changed');
});

export const enable = onEndpoint(async (visit, endpoint) => {
  await updateEndpoint(endpointScope(visit), visit.checkUrl, endpoint.id, { enabled: true });
  return done(visit, endpoint, 'enabled');
});

export const disable = onEndpoint(async (visit, endpoint) => {
  await updateEndpoint(endpointScope(visit), visit.checkUrl, endpoint.id, { enabled: false });
  return done(visit, endpoint, 'disabled');
}, 'confirmed');

export const ping = onEndpoint(async (visit, endpoint) => {
  await sendPing(endpointScope(visit), endpoint.id);
  return done(visit, endpoint, 'tested');
});

export const remove = onEndpoint(async (visit, endpoint) => {
  await deleteEndpoint(endpointScope(visit), endpoint.id);
  return { kind: 'redirect', to: developersPath(visit, '?done=deleted') };
}, 'confirmed');

/** Shows the secret, with the form that replaces it. */
export const show = onEndpoint(async (visit, endpoint) => {
  const { secret } = await showSecret(endpointScope(visit), endpoint.id);
  return secretPage(visit, secret, textsOf(visit).endpoints.secret.shown);
});

/**
 * Replaces the secret, and shows the new one. The form names the secret that it replaces, so that a form sent twice does
 * not end the overlap.
 */
export const rotate = onEndpoint(async (visit, endpoint) => {
  const mark = visit.fields.get('former') ?? '';
  const { secret } = await rotateSecret(endpointScope(visit), endpoint.id, mark);
  return secretPage(visit, secret, textsOf(visit).endpoints.secret.rotated);
}, 'confirmed');

/** Returns the handler of an act on the endpoint of the path. A refusal, its own or that of a service, is shown on the endpoint's page. */
function onEndpoint(
  act: (visit: MemberVisit, endpoint: WebhookEndpoint) => Promise<Reply | string>,
  needs?: 'confirmed',
): (visit: MemberVisit) => Promise<Reply> {
  return async (visit) => {
    const endpoint = await endpointOf(visit);
    const isRefused = needs === 'confirmed' && !isConfirmed(visit);
    const reply = isRefused ? textsOf(visit).refusals.not_confirmed : await tried(visit, () => act(visit, endpoint));
    return typeof reply === 'string' ? endpointPage(visit, endpoint, reply) : reply;
  };
}

function secretPage(visit: MemberVisit, value: string, text: string): Reply {
  const { secret: t, back } = textsOf(visit).endpoints;
  const view = {
    secret: { id: 'secret', label: t.value, value },
    text,
    back: { href: developersPath(visit, `/webhooks/${visit.params.endpointId}`), text: back },
  };
  return { kind: 'page', template: 'developers/secret', title: t.shownTitle, view };
}

/** Returns the endpoint of the path. @throws ApiError `not_found`, also for one of another practice or mode */
export function endpointOf(visit: MemberVisit): Promise<WebhookEndpoint> {
  // Another entity manager than that of the change, which reads the row again under its lock.
  const scope = endpointScope(visit);
  return getVisibleEndpoint({ ...scope, em: scope.em.fork() }, visit.params.endpointId ?? '');
}

/** Returns the page of an endpoint. A refused form keeps its input. */
async function endpointPage(visit: MemberVisit, endpoint: WebhookEndpoint, error?: string): Promise<Reply> {
  const t = textsOf(visit);
  const input = visit.fields.has('url') ? inputOf(visit) : inputFrom(endpoint);
  const locations = await visibleLocations(visit);
  const { previousSecretUntil } = endpoint;
  const isOverlapping = previousSecretUntil !== null && previousSecretUntil > visit.scope.clock.now();
  const path = developersPath(visit, `/webhooks/${endpoint.id}`);
  const { keys, endpoints: e } = t;
  const isEnabled = endpoint.status === 'enabled';
  const formerUntil = isOverlapping ? momentText(previousSecretUntil, visit.language, timeZoneOf(locations)) : null;
  const why = (await disabledWhy(visit, endpoint)).flatMap((sentence) => [ui.BREAK, sentence]);
  const deliveries = modePath(visit.member, modeOf(visit), `/deliveries?endpointId=${endpoint.id}`);
  return ui.page(
    e.oneTitle,
    [
      ui.facts(
        [
          [e.url, ui.own(endpoint.url), 'address'],
          [e.status, [e[endpoint.status], ...why]],
          [e.location, ui.own(locationName(locations, endpoint.locationId) ?? keys.allLocations)],
        ],
        'card facts',
      ),
      ui.text([ui.link(deliveries, e.deliveries), ' ', ui.link(`${path}/replay`, e.replay.open)]),
      isEnabled ? ui.act(`${path}/ping`, e.test) : ui.act(`${path}/enable`, e.enable),
      ui.form({ action: path, title: e.change.title, blocks: fieldsOf(visit, input), button: e.change.button }),
      ui.section(
        e.secret.title,
        [
          ui.text(e.secret.text),
          formerUntil === null ? null : ui.text(e.secret.former(formerUntil)),
          ui.form({ action: `${path}/secret`, className: undefined, button: e.secret.show, look: 'quiet' }),
          ui.form({
            action: `${path}/rotate`,
            className: undefined,
            subtitle: e.secret.rotate,
            blocks: [ui.text(e.secret.rotateText)],
            hidden: { former: secretMark(endpoint) },
            confirm: e.secret.label,
            confirmId: 'rotate-confirmed',
            button: e.secret.rotate,
            look: 'stop',
          }),
        ],
        { class: 'card' },
      ),
      isEnabled ? ui.act(`${path}/disable`, e.disable, { confirmId: 'disable-confirmed' }) : null,
      ui.act(`${path}/delete`, e.remove, { confirmId: 'delete-confirmed' }),
    ],
    { error, done: error === undefined ? developerDoneText(visit) : undefined },
  );
}

function done(visit: MemberVisit, { id }: Pick<WebhookEndpoint, 'id'>, what: string): Reply {
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
