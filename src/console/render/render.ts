import type { PublicFile } from '../../documentation/public-file.ts';
import { templatesOf } from '../../pages/render/templates.ts';
import type { Language } from '../../pages/texts/language.ts';
import { ASSETS } from '../browser/assets.ts';
import type { Problem } from '../model/refusals.ts';
import { type Action, mayDo } from '../model/roles.ts';
import { type Mode, modePath, practicePath, type Reply } from '../routing/route.ts';
import { signInPath } from '../sign-in/return-path.ts';
import { IDLE_MS, type Session, type SessionMembership } from '../sign-in/sessions.ts';
import type { Texts } from '../texts/texts.ts';
import { TEXTS } from '../texts/texts.ts';
import { type Content, htmlOf } from './html.ts';

const eta = templatesOf(new URL('templates', import.meta.url));

export interface Frame {
  language: Language;
  /** Path of PUBLIC_URL, without trailing slash. */
  basePath: string;
  /** Path and parameters of the request, for the link to the other language. */
  path: string;
  query: ReadonlyMap<string, string>;
  /** Page to which a sign-in leads back; null for the first page. */
  returnPath: string | null;
  session: Session | null;
  member: SessionMembership | null;
  /** Mode of the page; null for pages of both. */
  mode: Mode | null;
}

/** Time after which an idle page leaves the screen: a little later than the session ends. */
const LEAVE_SECONDS = IDLE_MS / 1_000 + 5;

interface MenuEntry {
  text: keyof Texts['nav'];
  path: string;
  action: Action;
  hasModes: boolean;
  /** Path of pages that belong to the entry, but do not stand below its path. */
  also?: string;
}

/** Pages of the menu, with the actions that they need. Those with live and test data keep the mode of the page. */
const MENU: readonly MenuEntry[] = [
  { text: 'home', path: '', action: 'home.view', hasModes: true },
  { text: 'links', path: '/links', action: 'links.view', hasModes: true },
  { text: 'payments', path: '/payments', action: 'payments.view', hasModes: true, also: '/reconciliation' },
  { text: 'developers', path: '/developers', action: 'developers.view', hasModes: true, also: '/deliveries' },
  { text: 'settings', path: '/settings', action: 'settings.manage', hasModes: false },
  { text: 'people', path: '/people', action: 'people.view', hasModes: false },
  { text: 'auditLog', path: '/audit-log', action: 'audit_log.view', hasModes: false },
];

export function renderPage(frame: Frame, { template, title, view }: Extract<Reply, { kind: 'page' }>): string {
  return eta.render(template, { ...frameView(frame), title, template, view });
}

export function renderProblem(frame: Frame, problem: Problem): string {
  const { title, text } = TEXTS[frame.language].problems[problem];
  return eta.render('problem', { ...frameView(frame), title, template: 'problem', view: { text } });
}

function frameView({ language, basePath, path, query, returnPath, session, member, mode }: Frame): object {
  const t: Texts = TEXTS[language];
  const other = TEXTS[language === 'en' ? 'es' : 'en'].language;
  const withLanguage = new Map([...query, ['lang', other.code]]);
  const address = (file: PublicFile) => `${basePath}${file.path}?v=${file.hash()}`;
  const url = (target: string) => `${basePath}${target}`;
  const frame = {
    t,
    other: { ...other, href: `${basePath}${path}?${new URLSearchParams([...withLanguage])}` },
    url,
    html: (content: Content): string => htmlOf(content, { escaped: eta.config.escapeFunction, url, include }),
    assets: {
      style: address(ASSETS.style),
      script: address(ASSETS.script),
      passkeys: address(ASSETS.passkeys),
      icon: address(ASSETS.icon),
    },
    returnPath,
    path: `${basePath}${path}`,
    leave: { seconds: LEAVE_SECONDS, href: `${basePath}${signInPath({ ended: true, returnPath })}` },
    session,
    member,
    search: member === null || !mayDo(member, 'links.view') ? null : searchView(member, basePath, mode, query),
    mode: mode === null || member === null ? null : modeView(mode, member, basePath, path),
    menu: member === null ? [] : menuOf(t, member, basePath, path, mode ?? 'live'),
  };
  const include = (template: string, view: object) => eta.render(template, { ...frame, view });
  return frame;
}

/** The form of the header. Pages without a mode search live data. */
function searchView(member: SessionMembership, basePath: string, mode: Mode | null, query: Frame['query']) {
  return { action: `${basePath}${modePath(member, mode ?? 'live', '/search')}`, text: query.get('q') ?? '' };
}

/** The banner of the mode, with the address of the same list in the other mode. */
function modeView(mode: Mode, member: SessionMembership, basePath: string, path: string) {
  const other = mode === 'test' ? 'live' : 'test';
  // The third part after the mode may be an id, which the other mode does not have.
  const [section = ''] = path.slice(modePath(member, mode, '/').length).split('/');
  const list = section === '' ? '' : `/${section}`;
  return { name: mode, other: { name: other, href: `${basePath}${modePath(member, other, list)}` } };
}

function menuOf(t: Texts, member: SessionMembership, basePath: string, path: string, mode: Mode) {
  return MENU.filter(({ action }) => mayDo(member, action)).map((entry) => {
    const pathOf = (part: string) => (entry.hasModes ? modePath(member, mode, part) : practicePath(member, part));
    const target = pathOf(entry.path);
    const isBelow = (part: string) => part !== '' && `${path}/`.startsWith(`${pathOf(part)}/`);
    const isLanding = entry.path === '' && path === practicePath(member);
    const isCurrent = path === target || isLanding || [entry.path, entry.also ?? ''].some(isBelow);
    return { title: t.nav[entry.text], href: `${basePath}${target}`, isCurrent };
  });
}
