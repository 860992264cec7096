import { type Content, element, headLink, mark, meta, own, renderHtmlPage } from '../../web/html.ts';
import type { Language } from '../../web/language.ts';
import { ASSETS, logoPath } from '../browser/assets.ts';
import { type Problem, TEXTS, type Texts } from '../texts/texts.ts';
import type { LinkView } from '../view/link-view.ts';
import { alertBlock, linkBlocks, section, stateBlock } from './link.ts';

interface Frame {
  language: Language;
  /** Path of PUBLIC_URL, without trailing slash. */
  basePath: string;
}

export function renderLink(frame: Frame, view: LinkView): string {
  const t = TEXTS[frame.language];
  const alert = view.alert !== null && alertBlock(view.alert);
  return render(frame, view, view, [alert, linkBlocks(t, view)]);
}

/** Renders a page that belongs to no link. */
export function renderProblem(frame: Frame, problem: Problem): string {
  const { title, first, second } = TEXTS[frame.language].problems[problem];
  const isOnboarded = problem === 'onboarded';
  const mood = isOnboarded ? 'wait' : 'stop';
  const block = mark('div', stateBlock({ mood, heading: title, first, second }), 'card');
  return render(frame, { title, state: isOnboarded ? problem : 'problem' }, null, block);
}

/** Renders a page with all that surrounds its contents. */
function render(
  { language, basePath }: Frame,
  { title, state }: { title: string; state: string },
  view: LinkView | null,
  content: Content,
): string {
  const t = TEXTS[language];
  const isWatched = view?.loads === 'itself';
  const { icon, style, script } = ASSETS;
  const refresh = { tag: 'meta', attributes: { 'http-equiv': 'refresh', content: 20 } };
  const head = [
    meta('robots', 'noindex, nofollow, noarchive'),
    meta('format-detection', 'telephone=no, date=no, address=no'),
    view?.brandStyle != null && headLink('stylesheet', view.brandStyle),
    isWatched && mark('noscript', refresh),
  ];
  const body = [
    view?.page.test === true && testBanner(t),
    renderHeader(t, view),
    element('main', { 'data-state': state, 'data-watched': isWatched }, content),
    state !== 'onboarded' && mark('footer', renderHelp(t, view)),
  ];
  // Only these become attributes.
  const files = { icon: { path: icon.path }, style: { path: style.path, integrity: style.integrity }, script };
  return renderHtmlPage({ language, title, files, head, body }, { basePath, csrfToken: null });
}

function testBanner({ test: { banner, bannerText } }: Texts): Content {
  const words = mark('p', [mark('strong', banner), ` ${bannerText}`]);
  return element('section', { class: 'test-banner', 'aria-label': banner }, words);
}

function renderHeader(t: Texts, view: LinkView | null): Content {
  const { code, name, switchTo } = TEXTS[t.language.code === 'en' ? 'es' : 'en'].language;
  const attributes = { lang: code, hreflang: code, 'aria-label': `${name}: ${switchTo}`, class: 'button' };
  return element(
    'header',
    { class: 'site-header' },
    view === null ? mark('p', t.footer, 'practice') : mark('div', renderPractice(view)),
    mark('p', element('a', { href: `${view?.path ?? ''}?lang=${code}`, ...attributes }, name), 'language'),
  );
}

/** Shows who asks for the payment. */
function renderPractice({ page: { practice, phone: number }, locationLine, phone }: LinkView): Content {
  const { logoHash, logoWidth, logoHeight } = practice;
  const logo = logoHash !== null && {
    tag: 'img',
    attributes: { src: logoPath(logoHash), width: logoWidth, height: logoHeight, alt: '' },
  };
  return [
    logo && mark('p', logo, 'logo'),
    mark('p', own(practice.name), 'practice'),
    mark('p', own(locationLine), 'hint'),
    phone !== null && phoneLink(number, phone),
  ];
}

function phoneLink(number: string | null, words: string): Content {
  return mark('p', element('a', { href: `tel:${number}` }, words), 'phone');
}

function renderHelp({ help: t }: Texts, view: LinkView | null): Content {
  const parts = [
    mark('p', view === null ? t.text(t.unknownPractice) : own(t.text(view.whom))),
    view?.phone != null && phoneLink(view.page.phone, t.call(view.phone)),
    view !== null && mark('p', t.reference(view.page.linkId), 'hint'),
  ];
  return section('help', t.heading, parts, 'help');
}
