import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { LANGUAGES, type Language } from '../../src/pages/texts/language.ts';
import {
  brokenWords,
  layoutFaults,
  overflow,
  unreachable,
  violations,
  wideParts,
} from '../pages/fixtures/accessibility.ts';
import { screenshot } from '../pages/fixtures/browser.ts';

/** Widths in pixels. Both languages are checked at each, and so are both colour schemes. */
const WIDTHS = [320, 1280];

type Scheme = 'light' | 'dark';

/**
 * The colour scheme of each language, and the width at which axe judges it. A scheme changes only colours, a width only the layout,
 * and a language only texts.
 */
const LOOK_OF = {
  en: { scheme: 'light', judgedWidth: 320 },
  es: { scheme: 'dark', judgedWidth: 1280 },
} as const satisfies Record<Language, { scheme: Scheme; judgedWidth: number }>;

/** Checks a page of the console in all looks, as `checkPresent` does. */
export async function checkPage(page: Page, name: string, path: string): Promise<void> {
  for (const language of LANGUAGES) {
    await page.goto(`${path}${path.includes('?') ? '&' : '?'}lang=${language}`);
    await checkLanguage(page, name, language);
  }
}

/**
 * Loads the present page of the console again in each language, also if a form led to it. Expects at the language's width, and
 * in its scheme, that axe reports nothing, and that the page fits the screen at each width. Expects that the keyboard reaches every control.
 */
export async function checkPresent(page: Page, name: string): Promise<void> {
  // Ends in English, in which the tests look for texts.
  for (const language of LANGUAGES.toReversed()) {
    await page.context().request.get(`/console/sign-in?lang=${language}`);
    await page.reload();
    await checkLanguage(page, name, language);
  }
}

/** Returns the tables of the page that have times of day, but no caption, which would name their zone. */
function timesWithoutZone(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('main table')]
    .filter((table) => table.caption === null && /\\d:\\d\\d/.test(table.innerText)).map((table) => table.innerText)`);
}

async function checkLanguage(page: Page, name: string, language: Language): Promise<void> {
  expect(await page.locator('html').getAttribute('lang'), name).to.equal(language);
  const { scheme, judgedWidth } = LOOK_OF[language];
  await checkLooks(page, `${name}-${language}`, [scheme], [judgedWidth]);
  if (language === 'en') expect(await unreachable(page), `${name} by keyboard`).to.deep.equal([]);
}

/**
 * Expects in each scheme that axe reports nothing on the present page at the judged widths, and that it fits the screen at each.
 * No part of it scrolls sideways, and its layout has no fault. Writes a screenshot of each. Leaves the page in the width and scheme of before.
 */
export async function checkLooks(
  page: Page,
  name: string,
  schemes: readonly Scheme[] = ['light', 'dark'],
  judgedWidths: readonly number[] = WIDTHS,
): Promise<void> {
  const before = page.viewportSize();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      const place = `${name} (${colorScheme}, ${width} px)`;
      if (judgedWidths.includes(width)) expect(await violations(page), place).to.deep.equal([]);
      await screenshot(page, `console-${name}-${width}-${colorScheme}`);
    }
    expect(await overflow(page), `${name} overflows at ${width} px`).to.equal(0);
    expect(await timesWithoutZone(page), `${name} has tables with times and no zone`).to.deep.equal([]);
    expect(await brokenWords(page), `${name} breaks words at ${width} px`).to.deep.equal([]);
    expect(await wideParts(page), `${name} scrolls sideways at ${width} px`).to.deep.equal([]);
    expect(await layoutFaults(page), `${name} at ${width} px`).to.deep.equal([]);
  }
  await page.emulateMedia({ colorScheme: null });
  if (before !== null) await page.setViewportSize(before);
}
