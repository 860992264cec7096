import * as ui from '../web/blocks.ts';
import { element, mark, meta, renderHtmlPage } from '../web/html.ts';
import { ASSETS } from './browser/assets.ts';
import { IDLE_MS, type Session, type SessionMembership } from './identity/sign-in/sessions.ts';
import { PROBLEMS, type Problem } from './model/refusals.ts';
import { mayDo } from './model/roles.ts';
import { type Frame, type Mode, modePath, practicePath, signInPath } from './routing/visit.ts';
import { signInAgain } from './screens/sign-in.ts';

const MODES = {
  live: { name: 'Live data.', text: 'Payments are real.', switchTo: 'Switch to live data' },
  test: { name: 'Test data.', text: 'No money moves.', switchTo: 'Switch to test data' },
};

/** Seconds after which an idle page leaves the screen: a little after the end of the session. */
const LEAVE_SECONDS = IDLE_MS / 1_000 + 5;

/** Pages of the menu, with their actions. Pages below any of the paths belong to the entry; the first path is the page. */
const MENU = [
  { title: 'Overview', paths: [''], action: 'home.view', hasModes: true },
  { title: 'Owed', paths: ['/owed'], action: 'links.view', hasModes: true },
  { title: 'Payment links', paths: ['/links'], action: 'links.view', hasModes: true },
  { title: 'Payments', paths: ['/payments', '/reconciliation'], action: 'payments.view', hasModes: true },
  { title: 'Developers', paths: ['/developers', '/deliveries'], action: 'developers.view', hasModes: true },
  { title: 'Settings', paths: ['/settings'], action: 'settings.manage', hasModes: false },
  { title: 'People', paths: ['/people'], action: 'people.view', hasModes: false },
  { title: 'Audit log', paths: ['/audit-log'], action: 'audit_log.view', hasModes: false },
] as const;

export function renderProblem(frame: Frame, problem: Problem): string {
  const [, title, text] = PROBLEMS[problem];
  const next =
    problem === 'old_sign_in' && frame.session !== null
      ? signInAgain(frame, { text: ui.own(frame.session.email) })
      : ui.text(ui.link('/console', 'To the overview'));
  return renderPage(frame, ui.page(title, {}, [ui.lead(text), next]));
}

export function renderPage(frame: Frame, page: ui.ConsolePage): string {
  const { session, basePath } = frame;
  const { icon, style, script } = ASSETS;
  const content = `${LEAVE_SECONDS}; url=${basePath}${signInPath(frame)}`;
  const refresh = { tag: 'meta', attributes: { 'http-equiv': 'refresh', content } };
  return renderHtmlPage(
    {
      language: 'en',
      title: `${page.title} · Paylinks console`,
      files: { icon: icon.address(), style: style.address(), script: script.address() },
      head: [meta('robots', 'noindex, nofollow, noarchive'), session !== null && mark('noscript', refresh)],
      body: renderBody(frame, page),
    },
    { basePath, csrfToken: session?.csrfToken ?? null },
  );
}

function renderBody(frame: Frame, { title, error, faults, done, blocks }: ui.ConsolePage): ui.Content {
  const { member, session } = frame;
  const refusal = error !== undefined && [
    ui.heading('Please check'),
    error !== '' && ui.text(error, { id: 'form-error' }),
    faults !== undefined && faults.length > 0 && ui.list('ul', faults),
  ];
  return [
    element('a', { class: 'skip', href: '#main' }, 'Skip to the content'),
    renderHeader(frame),
    member !== null && ui.nav('Console', renderMenu(member, frame), 'menu'),
    session !== null && idleAlert(frame),
    element('main', { id: 'main', tabindex: -1 }, [
      mark('h1', title),
      done !== undefined && ui.text(done, { class: 'alert good', role: 'status' }),
      refusal && element('div', { class: 'alert stop', role: 'alert', tabindex: -1, autofocus: true }, refusal),
      blocks,
    ]),
    session !== null && renderFooter(session),
  ];
}

function renderHeader({ query, member, mode, requestPath }: Frame): ui.Block {
  const brand = member === null ? 'Paylinks console' : ui.own(member.practiceName);
  return mark(
    'header',
    [
      ui.text(element('a', { href: '/console' }, brand), { class: 'brand' }),
      member !== null && mode !== null && modeText(member, mode, requestPath),
      // Pages without a mode search live data.
      member !== null &&
        mayDo(member, 'links.view') &&
        searchForm(modePath(member, mode ?? 'live', '/search'), query.get('q') ?? ''),
    ],
    'site-header',
  );
}

function searchForm(action: string, value: string): ui.Block {
  const look = { placeholder: 'Name, amount…', maxlength: 100, 'aria-keyshortcuts': '/', ...ui.CODE };
  const field = { type: 'search', name: 'q', value, 'aria-label': 'Search by name, amount or number', ...look };
  return element('form', { class: 'site-search', role: 'search', method: 'get', action, 'data-suggest': true }, [
    { tag: 'input', attributes: field },
    mark('button', 'Search', 'quiet'),
  ]);
}

/** Returns the mode in words, with the address of the same list in the other mode. */
function modeText(member: SessionMembership, mode: Mode, path: string): ui.Block {
  const other = mode === 'test' ? 'live' : 'test';
  const { name, text } = MODES[mode];
  // The third part after the mode may be an id, which the other mode does not have.
  const [section = ''] = path.slice(modePath(member, mode, '/').length).split('/');
  const href = modePath(member, other, section === '' ? '' : `/${section}`);
  return ui.text([mark('strong', name), mark('span', ` ${text}`), ' ', element('a', { href }, MODES[other].switchTo)], {
    class: `mode-${mode}`,
  });
}

function renderMenu(member: SessionMembership, { requestPath: path, mode }: Frame): ui.Block[] {
  return MENU.filter(({ action }) => mayDo(member, action)).map(({ title, paths, hasModes }) => {
    const pathOf = (rest: string) => (hasModes ? modePath(member, mode ?? 'live', rest) : practicePath(member, rest));
    const href = pathOf(paths[0]);
    const isBelow = (rest: string) => rest !== '' && `${path}/`.startsWith(`${pathOf(rest)}/`);
    const isLanding = paths[0] === '' && path === practicePath(member);
    const isCurrent = path === href || isLanding || paths.some(isBelow);
    return element('a', { href, 'aria-current': isCurrent && 'page' }, title);
  });
}

function idleAlert(frame: Frame): ui.Block {
  // A page counts as use of the session. With a parameter, it takes no kept form.
  const stayPath = '/console/account?stay=yes';
  const addresses = { 'data-leave': signInPath(frame), 'data-stay': stayPath, 'data-left': '/console/left' };
  const attributes = { class: 'idle', role: 'alert', 'data-seconds': LEAVE_SECONDS, ...addresses, hidden: true };
  return element(
    'div',
    attributes,
    ui.text('You will be signed out in two minutes.'),
    element('button', { type: 'button' }, 'Stay signed in'),
  );
}

function renderFooter({ email, memberships }: Session): ui.Block {
  return mark(
    'footer',
    [
      ui.text([`Signed in as `, element('a', { href: '/console/account' }, ui.own(email))]),
      memberships.length > 1 && ui.text(element('a', { href: '/console' }, 'All practices')),
      ui.button('/console/sign-out', 'Sign out', { look: 'quiet' }),
      ui.button('/console/sign-out-everywhere', 'Sign out everywhere', { look: 'quiet' }),
    ],
    'account',
  );
}
