import { get, post, type Route } from '../../routing/route.ts';
import * as endpoints from './endpoints.ts';
import { sendOne, showEvents } from './events.ts';
import { createKey, rename, revoke, showKeyAgain, showNewKey, showOneKey } from './keys.ts';
import { showOverview } from './overview.ts';
import { showReplay, startReplay } from './replay.ts';
import { showRequests } from './requests.ts';

const HOME = '/console/:practiceId/:mode/developers';
const KEYS = `${HOME}/keys`;
const KEY = `${KEYS}/:keyId`;
const ENDPOINTS = `${HOME}/webhooks`;
const ENDPOINT = `${ENDPOINTS}/:endpointId`;

/**
 * Pages for developers. Acts on keys, those that show a secret, and those that send live events to a new address or once more need
 * a fresh sign-in. No page of this part shows data of patients.
 */
export const DEVELOPER_ROUTES: readonly Route[] = [
  get('developers.home', HOME, 'developers.view', showOverview),
  get('keys.new', `${KEYS}/new`, 'keys.manage', (visit) => showNewKey(visit)),
  post('keys.create', KEYS, 'keys.manage', createKey),
  get('keys.one', KEY, 'developers.view', showOneKey),
  post('keys.rename', `${KEY}/rename`, 'keys.manage', rename),
  post('keys.revoke', `${KEY}/revoke`, 'keys.manage', revoke),
  post('keys.show', `${KEY}/show`, 'secrets.view', showKeyAgain),
  get('webhooks.new', `${ENDPOINTS}/new`, 'webhooks.manage', (visit) => endpoints.showNewEndpoint(visit)),
  post('webhooks.create', ENDPOINTS, 'webhooks.manage', endpoints.create, { sensitive: 'live' }),
  get('webhooks.one', ENDPOINT, 'developers.view', endpoints.showEndpoint),
  post('webhooks.change', ENDPOINT, 'webhooks.manage', endpoints.change),
  post('webhooks.enable', `${ENDPOINT}/enable`, 'webhooks.manage', endpoints.enable),
  post('webhooks.disable', `${ENDPOINT}/disable`, 'webhooks.manage', endpoints.disable),
  post('webhooks.ping', `${ENDPOINT}/ping`, 'webhooks.manage', endpoints.ping),
  post('webhooks.delete', `${ENDPOINT}/delete`, 'webhooks.manage', endpoints.remove, { sensitive: 'live' }),
  post('webhooks.secret', `${ENDPOINT}/secret`, 'secrets.view', endpoints.show),
  post('webhooks.rotate', `${ENDPOINT}/rotate`, 'secrets.view', endpoints.rotate),
  get('webhooks.preview', `${ENDPOINT}/replay`, 'webhooks.manage', showReplay),
  post('webhooks.replay', `${ENDPOINT}/replay`, 'webhooks.manage', startReplay, { sensitive: 'live' }),
  get('developers.events', `${HOME}/events`, 'developers.view', showEvents),
  post('webhooks.example', `${HOME}/events`, 'webhooks.manage', sendOne),
  get('developers.requests', `${HOME}/requests`, 'developers.view', showRequests),
];
