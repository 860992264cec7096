import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import { ASSETS, fileQuery } from '../browser/assets.ts';
import { STRIPE_SCRIPT } from '../browser/security-headers.ts';
import type { Problem, Texts } from '../texts/en.ts';
import type { Language } from '../texts/language.ts';
import { TEXTS } from '../texts/texts.ts';
import type { LinkView } from '../view/link-view.ts';

const views = fileURLToPath(new URL('templates', import.meta.url));

/** Escapes every value. Only the output of another template is inserted unescaped. */
const eta = new Eta({ views, cache: true, autoEscape: true });

// Compiles all templates at start, so that a faulty template stops the process and not a request.
for (const file of globSync('**/*.eta', { cwd: views })) {
  const path = join(views, file);
  eta.loadTemplate(path, eta.compile(eta.readFile(path)));
}

/** Values that every page needs. */
interface Frame {
  language: Language;
  /** Path of PUBLIC_URL, without trailing slash. */
  basePath: string;
  /** The two characters of the slot that the page's address carries; null for none. */
  slot: string | null;
}

/** Renders the page of a link. */
export function renderLink(frame: Frame, view: LinkView): string {
  return eta.render(`states/${view.template}`, { ...frameView(frame), ...view });
}

/** Renders a page that belongs to no link. */
export function renderProblem(frame: Frame, problem: Problem): string {
  const { title, first, second } = TEXTS[frame.language].problems[problem];
  const view = { template: 'problem', loads: 'own', title, heading: title, first, second, link: null, test: false };
  return eta.render('problem', { ...frameView(frame), ...view });
}

/** Renders the page that a practice's administrator sees after onboarding at the processor. */
export function renderOnboarded(frame: Frame): string {
  const { title, first, second } = TEXTS[frame.language].onboarded;
  const view = { template: 'onboarded', loads: 'own', title, heading: title, first, second, link: null, test: false };
  return eta.render('onboarded', { ...frameView(frame), ...view });
}

function frameView({ language, basePath, slot }: Frame): object {
  const t: Texts = TEXTS[language];
  const other = TEXTS[language === 'en' ? 'es' : 'en'];
  const address = ({ path, integrity }: { path: string; integrity: string }) => ({
    href: `${basePath}/${path}${fileQuery(slot)}`,
    integrity,
  });
  const assets = { script: address(ASSETS.script), style: address(ASSETS.style), icon: address(ASSETS.icon) };
  return { t, other: other.language, assets, stripeScript: STRIPE_SCRIPT };
}
