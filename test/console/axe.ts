import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { overflow, violations } from '../pages/fixtures/accessibility.ts';
import { screenshot } from '../pages/fixtures/browser.ts';

/** Colour schemes and widths in pixels in which pages of the console are checked. */
export const LOOKS = [
  ['light', 320],
  ['dark', 1280],
] as const;

/** One of `LOOKS`. */
export type Look = (typeof LOOKS)[number];

/**
 * Opens a page of the console in both languages. Expects that axe reports nothing and that the page fits the screen. Writes
 * a screenshot of each. The page's context needs the script of axe.
 */
export async function checkPage(page: Page, [colorScheme, width]: Look, name: string, path: string): Promise<void> {
  for (const language of ['en', 'es']) {
    await page.goto(`${path}${path.includes('?') ? '&' : '?'}lang=${language}`);
    const place = `${name} in ${language}`;
    expect(await page.locator('html').getAttribute('lang'), place).to.equal(language);
    await expectAccessible(page, place);
    await screenshot(page, `console-${name}-${language}-${width}-${colorScheme}`);
  }
}

/** Expects that axe reports nothing on the present page, and that it fits the screen. */
export async function expectAccessible(page: Page, place: string): Promise<void> {
  expect(await violations(page), place).to.deep.equal([]);
  expect(await overflow(page), `${place} overflows`).to.equal(0);
}
