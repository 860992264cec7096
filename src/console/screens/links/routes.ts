import { get, post, type Route } from '../../routing/route.ts';
import { cancel, change, extend, send, showCancel, showChange, showExtend, showSend } from './acts.ts';
import { showList } from './list.ts';
import { create, showNew } from './new-link.ts';
import { showLink, showSlip } from './one-link.ts';
import { withLink } from './visit.ts';

const LIST = '/console/:practiceId/:mode/links';
const ONE = `${LIST}/:linkId`;

export const LINK_ROUTES: readonly Route[] = [
  get('links.list', LIST, 'links.view', showList),
  get('links.new', `${LIST}/new`, 'links.create', showNew),
  post('links.create', `${LIST}/new`, 'links.create', create),
  get('links.one', ONE, 'links.view', withLink(showLink), { views: 'linkId' }),
  get('links.slip', `${ONE}/slip`, 'links.view', withLink(showSlip), { views: 'linkId' }),
  get('links.change_form', `${ONE}/change`, 'links.change', withLink(showChange), { views: 'linkId' }),
  post('links.change', `${ONE}/change`, 'links.change', withLink(change), { views: 'linkId' }),
  get('links.extend_form', `${ONE}/extend`, 'links.change', withLink(showExtend), { views: 'linkId' }),
  post('links.extend', `${ONE}/extend`, 'links.change', withLink(extend), { views: 'linkId' }),
  get('links.cancel_form', `${ONE}/cancel`, 'links.cancel', withLink(showCancel), { views: 'linkId' }),
  post('links.cancel', `${ONE}/cancel`, 'links.cancel', withLink(cancel), { views: 'linkId' }),
  get('links.send_form', `${ONE}/send`, 'links.change', withLink(showSend), { views: 'linkId' }),
  post('links.send', `${ONE}/send`, 'links.change', withLink(send), { views: 'linkId' }),
];
