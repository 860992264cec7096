import { EVENT_TYPES } from '../../../contract/document.ts';
import { fresh } from '../../../platform/base/scope.ts';
import { codePoints, findUnfit } from '../../../platform/base/text.ts';
import { inTransaction } from '../../../platform/database/query/transaction.ts';
import * as ui from '../../../web/blocks.ts';
import * as service from '../../../webhooks/endpoints/service.ts';
import { sendExample } from '../../../webhooks/events/deliveries.ts';
import type { WebhookEndpoint } from '../../../webhooks/model/endpoint.entity.ts';
import { DISABLE_AFTER } from '../../../webhooks/model/transitions.ts';
import type { UrlReason } from '../../../webhooks/send/destination.ts';
import { isSignInFresh } from '../../identity/sign-in/sessions.ts';
import { claimForm, newFormId } from '../../model/sent-forms.ts';
import { EVENT_NAMES, SENT_BEFORE } from '../../render/labels.ts';
import { catchRefusals, explainFaults, withRecord } from '../../routing/handlers.ts';
import { accessScopeOf, type MemberVisit, problem, type Reply, refuse, refuseFields } from '../../routing/visit.ts';
import { typedTexts } from '../filters.ts';
import { readPracticeView } from '../formats.ts';
import { allOrSome } from '../grant-fields.ts';
import { arrivedText, failureText, readHealth, stateMark } from './overview.ts';
import { developerDoneText, isActiveLocation, locationField, NO_LOCATION, secretPage } from './visit.ts';

const FIELDS = {
  url: 'Address (URL)',
  urlHelp: 'An https address that everyone can reach, such as https://billing.example.com/hooks.',
  description: 'Note (optional)',
  descriptionHelp: 'For you, such as the name of the program.',
  location: 'Location',
  locationHelp: 'The endpoint gets events of links of this location. It cannot be changed later.',
};

const URL_FAULTS = {
  too_long: 'Use at most 2,048 characters.',
  forbidden_character: 'The address has white space, a control character or a backslash.',
  not_ascii: 'Write the host in Punycode (xn--…), and other letters with accents as %-escapes, such as %C3%A9.',
  invalid_url: 'Enter an address such as https://billing.example.com/hooks.',
  not_https: 'The address must begin with https://.',
  credentials: 'The address must have no user or password.',
  fragment: 'The address must have no part after “#”.',
  trailing_dot: 'The host must not end with a dot.',
  bare_host: 'The host needs a public name, with a dot.',
  internal_name: 'The host is a name of private networks.',
  not_public: 'The address must lead to public networks.',
} satisfies Record<UrlReason, string>;

const FORMS = {
  test: {
    title: 'Send a test event',
    text: 'Your program must answer with a status from 200 to 299 within ten seconds.',
    button: 'Send it',
  },
  enable: { title: 'Enable', text: 'Events from now on are sent. Those of the time in between need a replay.' },
  disable: {
    title: 'Disable',
    text: 'Nothing more is sent. Events that wait are skipped; a replay can send them later.',
    label: 'Yes, disable this endpoint',
  },
  delete: {
    title: 'Delete',
    text: 'The endpoint, its secret and the history of its deliveries disappear. This cannot be undone.',
    label: 'Yes, delete this endpoint',
  },
};

/** Longest note of an endpoint, in characters (openapi.yaml, `CreateWebhookEndpointRequest`). */
const MAX_DESCRIPTION_LENGTH = 500;

const SELECTABLE_TYPES = EVENT_TYPES.filter((type) => type !== 'ping');

type EndpointInput = ReturnType<typeof readInput>;

export async function showNewEndpoint(visit: MemberVisit, error?: string) {
  const input = readInput(visit);
  const location = locationField(await readPracticeView(visit));
  const words = { button: 'Add the endpoint', hidden: { form: newFormId() } };
  return ui.page('Add a webhook endpoint', explainFaults(visit, error), [
    ui.form(visit.modePath('/developers/webhooks'), words, [
      ...endpointFields(visit, input),
      ui.fields(FIELDS, input, { location }),
      ui.text('Afterward you can see its secret, with which your program checks signatures.'),
    ]),
  ]);
}

export const create = catchRefusals(async (visit: MemberVisit) => {
  const { location } = readInput(visit);
  const input = await parseEndpoint(visit);
  if ('kind' in input) return input;
  if (!isActiveLocation(location, await readPracticeView(visit))) return refuse(NO_LOCATION);
  const result = await inTransaction(accessScopeOf(visit), async (scope) => {
    const isFirst = await claimForm(scope, visit);
    return isFirst ? service.createEndpoint(scope, { ...input, locationId: location || null }) : null;
  });
  if (result === null) return showNewEndpoint({ ...visit, fields: new Map() }, SENT_BEFORE);
  return done(visit, result.endpoint, 'created');
}, showNewEndpoint);

const withEndpoint = withRecord(findEndpointOfPath, endpointPage);

export const showEndpoint = withEndpoint();

export const change = withEndpoint(async (visit, endpoint) => {
  const changes = await parseEndpoint(visit);
  if ('kind' in changes) return changes;
  // A new address gets the events of all patients from now on.
  const isNewLiveUrl = visit.mode === 'live' && changes.url !== endpoint.url;
  if (isNewLiveUrl && !isSignInFresh(visit.scope, visit.session)) return problem('old_sign_in');
  await service.updateEndpoint(accessScopeOf(visit), visit.checkUrl, endpoint.id, changes);
  return done(visit, endpoint, 'saved');
});

export const enable = withEndpoint((visit, endpoint) => setEnabled(visit, endpoint, true));
export const disable = withEndpoint((visit, endpoint) => setEnabled(visit, endpoint, false));

async function setEnabled(visit: MemberVisit, endpoint: WebhookEndpoint, enabled: boolean): Promise<Reply> {
  await service.updateEndpoint(accessScopeOf(visit), visit.checkUrl, endpoint.id, { enabled });
  return done(visit, endpoint, enabled ? 'enabled' : 'disabled');
}

/** Sends a test event, and leads to its delivery. Live data get a `ping` only: a program would take an example for a payment. */
export const sendTest = withEndpoint(async (visit, endpoint) => {
  const name = visit.fields.get('type') ?? 'ping';
  const type = EVENT_TYPES.find((type) => type === name);
  if (type === undefined || (type !== 'ping' && visit.mode === 'live')) return problem('invalid_form');
  const { id } = await sendExample(accessScopeOf(visit), endpoint.id, type);
  return { kind: 'redirect', to: visit.modePath(`/deliveries/${id}?done=tested`) };
});

export const remove = withEndpoint(async (visit, endpoint) => {
  await service.deleteEndpoint(accessScopeOf(visit), endpoint.id);
  return { kind: 'redirect', to: visit.modePath('/developers?done=deleted') };
});

export const show = withEndpoint(async (visit, endpoint) => {
  const { secret } = await service.showSecret(accessScopeOf(visit), endpoint.id);
  return secretShown(visit, secret, 'Keep it where only your program reads it.');
});

/** Replaces the secret. The form names the former one, so that a form sent twice does not end the overlap. */
export const rotate = withEndpoint(async (visit, endpoint) => {
  const mark = visit.fields.get('former') ?? '';
  const { secret } = await service.rotateSecret(accessScopeOf(visit), endpoint.id, mark);
  return secretShown(visit, secret, 'For 24 hours, the former one signs, too.');
});

function secretShown(visit: MemberVisit, value: string, text: string): Reply {
  const path = `/developers/webhooks/${visit.params.endpointId}`;
  return secretPage(visit, 'Secret of the endpoint', 'Secret', value, text, path);
}

/** Returns the endpoint of the path. @throws ApiError `not_found`, also for one of another practice or mode */
export function findEndpointOfPath(visit: MemberVisit): Promise<WebhookEndpoint> {
  // Another entity manager than in the change, which reads the row again under its lock.
  return service.getVisibleEndpoint(fresh(accessScopeOf(visit)), visit.params.endpointId ?? '');
}

async function endpointPage(visit: MemberVisit, endpoint: WebhookEndpoint, error?: string): Promise<Reply> {
  const input = visit.fields.has('url') ? readInput(visit) : inputFrom(endpoint);
  const { formats, locationName } = await readPracticeView(visit);
  const { previousSecretUntil } = endpoint;
  const isOverlapping = previousSecretUntil !== null && previousSecretUntil > visit.scope.clock.now();
  const path = visit.modePath(`/developers/webhooks/${endpoint.id}`);
  const isEnabled = endpoint.status === 'enabled';
  const formerUntil = isOverlapping ? formats.moment(previousSecretUntil) : null;
  const health = (await readHealth(visit)).get(endpoint.id);
  const why = explainDisabled(endpoint);
  const tests = EVENT_TYPES.map((type) => [type, type] as const);
  const testType = visit.mode === 'test' && ui.field('type', 'Event', 'ping', { options: tests });
  const rotation = {
    button: 'Replace the secret',
    label: 'Yes, replace the secret',
    hidden: { former: service.secretMark(endpoint) },
  };
  return ui.page('Webhook endpoint', { ...explainFaults(visit, error), done: developerDoneText(visit) }, [
    ui.facts('card facts', [
      ['Address (URL)', ui.own(endpoint.url), 'address'],
      ['Status', [stateMark(endpoint, health), why !== null && [ui.BREAK, why]]],
      ['Arrived in 7 days', arrivedText(health)],
      ['Last failure', failureText(health, formats)],
      ['Location', ui.own(locationName(endpoint.locationId))],
    ]),
    ui.text([
      ui.link(visit.modePath(`/deliveries?endpointId=${endpoint.id}`), 'Deliveries of this endpoint'),
      ' ',
      ui.link(`${path}/replay`, 'Replay missed events'),
    ]),
    isEnabled ? ui.form(`${path}/test`, FORMS.test, testType) : ui.form(`${path}/enable`, FORMS.enable),
    ui.form(path, { title: 'Change', button: 'Save' }, endpointFields(visit, input)),
    ui.card('Secret', [
      ui.text('Your program checks the signature of each event with it. The audit log records who saw it.'),
      formerUntil !== null && ui.text(`The former secret signs, too, until ${formerUntil}.`),
      ui.form(`${path}/secret`, { button: 'Show the secret', look: 'quiet' }),
      ui.form(`${path}/rotate`, rotation, [
        ui.mark('h3', 'Replace the secret'),
        ui.text('The former secret signs in addition for 24 hours. An even older one stops at once.'),
      ]),
    ]),
    isEnabled && ui.form(`${path}/disable`, FORMS.disable),
    ui.form(`${path}/delete`, FORMS.delete),
  ]);
}

function done(visit: MemberVisit, { id }: Pick<WebhookEndpoint, 'id'>, what: string): Reply {
  return { kind: 'redirect', to: visit.modePath(`/developers/webhooks/${id}?done=${what}`) };
}

function explainDisabled({ status, consecutiveExhausted }: WebhookEndpoint): string | null {
  if (status === 'enabled') return null;
  return consecutiveExhausted < DISABLE_AFTER
    ? 'The practice or an API key disabled it.'
    : `The service disabled it: ${consecutiveExhausted} events in a row did not arrive, after eight attempts each.`;
}

/** Parses the form. An empty list means all types, so a form is refused that chooses some types without a tick, or all types with one. */
async function parseEndpoint(visit: MemberVisit) {
  const { url, reach, events, description } = readInput(visit);
  if ((reach === 'all') !== (events.length === 0)) {
    return refuseFields([{ id: 'reach-some', sentence: 'Choose all types, or only these and at least one of them.' }]);
  }
  if (codePoints(description) > MAX_DESCRIPTION_LENGTH || findUnfit(description, true) !== null) {
    return refuse('A note has at most 500 characters, without special control characters.');
  }
  const check = await visit.checkUrl(url);
  if (!check.ok) return refuse(URL_FAULTS[check.reason]);
  return { url, enabledEvents: reach === 'all' ? [] : events, description: description || null };
}

function endpointFields(visit: MemberVisit, input: EndpointInput): ui.Content[] {
  const types = SELECTABLE_TYPES.map((type) => {
    const label = [ui.mark('code', type), `: ${EVENT_NAMES[type]}`];
    return ui.check(`event.${type}`, label, input.events.includes(type), true);
  });
  return [
    ui.fields(FIELDS, input, { url: { type: 'url', required: true, maxlength: 2048, ...ui.CODE } }),
    allOrSome(visit, 'Events', ['All types, also future ones', 'Only these types'], input.reach, types),
    ui.fields(FIELDS, input, { description: { rows: 2, maxlength: MAX_DESCRIPTION_LENGTH } }),
  ];
}

function readInput({ fields }: MemberVisit) {
  return {
    ...typedTexts(fields, ['url', 'description', 'location']),
    reach: fields.get('reach') === 'some' ? 'some' : 'all',
    events: SELECTABLE_TYPES.filter((type) => fields.get(`event.${type}`) === 'on'),
  };
}

function inputFrom({ url, enabledEvents, description }: WebhookEndpoint): EndpointInput {
  const reach = enabledEvents.length === 0 ? 'all' : 'some';
  return { url, reach, events: enabledEvents, description: description ?? '', location: '' };
}
