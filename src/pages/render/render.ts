import { ASSETS, fileQuery } from '../browser/assets.ts';
import { STRIPE_SCRIPT } from '../browser/security-headers.ts';
import type { Language } from '../texts/language.ts';
import type { Problem } from '../texts/texts.ts';
import { TEXTS } from '../texts/texts.ts';
import type { LinkView } from '../view/link-view.ts';
import { templatesOf } from './templates.ts';

const eta = templatesOf(new URL('templates', import.meta.url));

/** Values of each template. A test compares them with what the templates show. */
export interface Views {
  link: FrameView & LinkView;
  problem: ProblemView;
  layout: ((FrameView & LinkView) | ProblemView) & { body: string };
  'parts/state': Pick<LinkView | ProblemView, 'mood' | 'heading' | 'first' | 'second'>;
  'parts/pay-form': FrameView & LinkView & { form: NonNullable<LinkView['form']> };
  'parts/action': FrameView & LinkView;
  'parts/receipt': FrameView & LinkView;
  'parts/rows': Pick<LinkView, 'rows'>;
  'parts/button-form': Pick<FrameView, 't'> & ButtonForm;
}

interface ButtonForm {
  to: string;
  look: 'primary' | 'secondary';
  label: string;
  /** The field that the button sends; null for none. */
  field: { name: string; value: string } | null;
  /** True if the script sends the form when the patient returns from the bank. */
  isReturn: boolean;
}

type FrameView = ReturnType<typeof frameView>;
type ProblemView = ReturnType<typeof problemView>;

interface Frame {
  language: Language;
  /** Path of PUBLIC_URL, without trailing slash. */
  basePath: string;
  /** The two characters of the slot that the page's address carries; null for none. */
  slot: string | null;
}

export function renderLink(frame: Frame, view: LinkView): string {
  return render('link', { ...frameView(frame), ...view });
}

export function renderProblem(frame: Frame, problem: Problem): string {
  return render('problem', problemView(frame, problem));
}

function render<Name extends keyof Views>(name: Name, view: Views[Name]): string {
  return eta.render(name, view);
}

function problemView(frame: Frame, problem: Problem) {
  const { title, first, second } = TEXTS[frame.language].problems[problem];
  const isOnboarded = problem === 'onboarded';
  const state = isOnboarded ? ('onboarded' as const) : ('problem' as const);
  const mood = isOnboarded ? ('wait' as const) : ('stop' as const);
  const texts = { title, heading: title, first, second };
  return { ...frameView(frame), ...texts, state, mood, loads: 'own' as const, link: null, test: false };
}

function frameView({ language, basePath, slot }: Frame) {
  const t = TEXTS[language];
  const other = TEXTS[language === 'en' ? 'es' : 'en'];
  const address = ({ path, integrity }: { path: string; integrity: string }) => ({
    href: `${basePath}/${path}${fileQuery(slot)}`,
    integrity,
  });
  const assets = { script: address(ASSETS.script), style: address(ASSETS.style), icon: address(ASSETS.icon) };
  return { t, other: other.language, assets, stripeScript: STRIPE_SCRIPT };
}
