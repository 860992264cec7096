import type { Route } from '../../routing/route.ts';
import { cancel, change, extend, send, showCancel, showChange, showExtend, showSend } from './acts.ts';
import { showList } from './list.ts';
import { create, showNew } from './new-link.ts';
import { showLink, showSlip } from './one-link.ts';
import { withLink } from './visit.ts';

const LIST = '/console/:practiceId/:mode/links';
const ONE = `${LIST}/:linkId`;

/** The front desk: payment links of a practice. */
export const LINK_ROUTES: readonly Route[] = [
  { name: 'links.list', method: 'GET', path: LIST, access: 'links.view', handle: showList },
  { name: 'links.new', method: 'GET', path: `${LIST}/new`, access: 'links.create', handle: showNew },
  { name: 'links.create', method: 'POST', path: `${LIST}/new`, access: 'links.create', handle: create },
  { name: 'links.one', method: 'GET', path: ONE, access: 'links.view', views: 'linkId', handle: withLink(showLink) },
  {
    name: 'links.slip',
    method: 'GET',
    path: `${ONE}/slip`,
    access: 'links.view',
    views: 'linkId',
    handle: withLink(showSlip),
  },
  {
    name: 'links.change_form',
    method: 'GET',
    path: `${ONE}/change`,
    access: 'links.change',
    views: 'linkId',
    handle: withLink(showChange),
  },
  {
    name: 'links.change',
    method: 'POST',
    path: `${ONE}/change`,
    access: 'links.change',
    views: 'linkId',
    handle: withLink(change),
  },
  {
    name: 'links.extend_form',
    method: 'GET',
    path: `${ONE}/extend`,
    access: 'links.change',
    views: 'linkId',
    handle: withLink(showExtend),
  },
  {
    name: 'links.extend',
    method: 'POST',
    path: `${ONE}/extend`,
    access: 'links.change',
    views: 'linkId',
    handle: withLink(extend),
  },
  {
    name: 'links.cancel_form',
    method: 'GET',
    path: `${ONE}/cancel`,
    access: 'links.cancel',
    views: 'linkId',
    handle: withLink(showCancel),
  },
  {
    name: 'links.cancel',
    method: 'POST',
    path: `${ONE}/cancel`,
    access: 'links.cancel',
    views: 'linkId',
    handle: withLink(cancel),
  },
  {
    name: 'links.send_form',
    method: 'GET',
    path: `${ONE}/send`,
    access: 'links.change',
    views: 'linkId',
    handle: withLink(showSend),
  },
  {
    name: 'links.send',
    method: 'POST',
    path: `${ONE}/send`,
    access: 'links.change',
    views: 'linkId',
    handle: withLink(send),
  },
];
