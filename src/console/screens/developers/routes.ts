import type { Route } from '../../routing/route.ts';
import { change, create, disable, enable, ping, remove, showEndpoint, showNewEndpoint } from './endpoints.ts';
import { createKey, revoke, showKeyAgain, showNewKey, showOneKey } from './keys.ts';
import { showOverview } from './overview.ts';
import { showReplay, startReplay } from './replay.ts';
import { showRequests } from './requests.ts';
import { rotate, show } from './secrets.ts';

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
  { name: 'developers.home', method: 'GET', path: HOME, access: 'developers.view', handle: showOverview },
  { name: 'keys.new', method: 'GET', path: `${KEYS}/new`, access: 'keys.manage', handle: (visit) => showNewKey(visit) },
  { name: 'keys.create', method: 'POST', path: KEYS, access: 'keys.manage', handle: createKey },
  { name: 'keys.one', method: 'GET', path: KEY, access: 'developers.view', handle: showOneKey },
  { name: 'keys.revoke', method: 'POST', path: `${KEY}/revoke`, access: 'keys.manage', handle: revoke },
  { name: 'keys.show', method: 'POST', path: `${KEY}/show`, access: 'secrets.view', handle: showKeyAgain },
  {
    name: 'webhooks.new',
    method: 'GET',
    path: `${ENDPOINTS}/new`,
    access: 'webhooks.manage',
    handle: (visit) => showNewEndpoint(visit),
  },
  {
    name: 'webhooks.create',
    method: 'POST',
    path: ENDPOINTS,
    access: 'webhooks.manage',
    sensitive: 'live',
    handle: create,
  },
  { name: 'webhooks.one', method: 'GET', path: ENDPOINT, access: 'developers.view', handle: showEndpoint },
  { name: 'webhooks.change', method: 'POST', path: ENDPOINT, access: 'webhooks.manage', handle: change },
  { name: 'webhooks.enable', method: 'POST', path: `${ENDPOINT}/enable`, access: 'webhooks.manage', handle: enable },
  { name: 'webhooks.disable', method: 'POST', path: `${ENDPOINT}/disable`, access: 'webhooks.manage', handle: disable },
  { name: 'webhooks.ping', method: 'POST', path: `${ENDPOINT}/ping`, access: 'webhooks.manage', handle: ping },
  {
    name: 'webhooks.delete',
    method: 'POST',
    path: `${ENDPOINT}/delete`,
    access: 'webhooks.manage',
    sensitive: 'live',
    handle: remove,
  },
  { name: 'webhooks.secret', method: 'POST', path: `${ENDPOINT}/secret`, access: 'secrets.view', handle: show },
  { name: 'webhooks.rotate', method: 'POST', path: `${ENDPOINT}/rotate`, access: 'secrets.view', handle: rotate },
  {
    name: 'webhooks.preview',
    method: 'GET',
    path: `${ENDPOINT}/replay`,
    access: 'webhooks.manage',
    handle: showReplay,
  },
  {
    name: 'webhooks.replay',
    method: 'POST',
    path: `${ENDPOINT}/replay`,
    access: 'webhooks.manage',
    sensitive: 'live',
    handle: startReplay,
  },
  {
    name: 'developers.requests',
    method: 'GET',
    path: `${HOME}/requests`,
    access: 'developers.view',
    handle: showRequests,
  },
];
