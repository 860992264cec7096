import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { LANGUAGES, type Language } from '../../src/pages/texts/language.ts';
import { overflow, violations } from '../pages/fixtures/accessibility.ts';
import { screenshot } from '../pages/fixtures/browser.ts';

/** A colour scheme, and a width in pixels. */
export type Look = readonly ['light' | 'dark', number];

/**
 * Looks of each language. With both languages they have every pair of language and width, of width and colour scheme, and
 * of language and colour scheme. A fault that needs a certain language, width and scheme at once is not found.
 */
const LOOKS_OF = {
  en: [
    ['light', 320],
    ['dark', 1280],
  ],
  es: [
    ['dark', 320],
    ['light', 1280],
  ],
} as const satisfies Record<Language, readonly Look[]>;

/** All looks. */
const LOOKS: readonly Look[] = [...LOOKS_OF.en, ...LOOKS_OF.es];

/** Checks a page of the console in all looks, as `checkPresent` does. */
export async function checkPage(page: Page, name: string, path: string): Promise<void> {
  for (const language of LANGUAGES) {
    await page.goto(`${path}${path.includes('?') ? '&' : '?'}lang=${language}`);
    await checkLanguage(page, name, language);
  }
}

/**
 * Loads the present page of the console again in each language, also if a form led to it. Expects in each of the language's
 * looks that axe reports nothing and that the page fits the screen.
 */
export async function checkPresent(page: Page, name: string): Promise<void> {
  // Ends in English, in which the tests look for texts.
  for (const language of LANGUAGES.toReversed()) {
    await page.context().request.get(`/console/sign-in?lang=${language}`);
    await page.reload();
    await checkLanguage(page, name, language);
  }
}

async function checkLanguage(page: Page, name: string, language: Language): Promise<void> {
  expect(await page.locator('html').getAttribute('lang'), name).to.equal(language);
  await checkLooks(page, `${name}-${language}`, LOOKS_OF[language]);
}

/**
 * Expects in each look that axe reports nothing on the present page, and that it fits the screen. Writes a screenshot of
 * each. Leaves the page in the width and scheme of before.
 */
export async function checkLooks(page: Page, name: string, looks: readonly Look[] = LOOKS): Promise<void> {
  const before = page.viewportSize();
  for (const [colorScheme, width] of looks) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    const place = `${name} (${colorScheme}, ${width} px)`;
    expect(await violations(page), place).to.deep.equal([]);
    expect(await overflow(page), `${place} overflows`).to.equal(0);
    await screenshot(page, `console-${name}-${width}-${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: null });
  if (before !== null) await page.setViewportSize(before);
}
