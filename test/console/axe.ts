import { expect } from 'chai';
import type { Page } from 'playwright-core';
import {
  brokenWords,
  layoutFaults,
  overflow,
  unreachable,
  violations,
  wideParts,
} from '../pages/fixtures/accessibility.ts';
import { screenshot } from '../pages/fixtures/browser.ts';

/** Widths in pixels, at each of which a page is checked in both colour schemes. */
const WIDTHS = [320, 1280];

type Scheme = 'light' | 'dark';

/** The width at which axe judges each colour scheme. A scheme changes only colours, and a width only the layout. */
const LOOKS: readonly [scheme: Scheme, judgedWidth: number][] = [
  ['light', 320],
  ['dark', 1280],
];

/** Checks a page of the console in all looks, as `checkPresent` does. */
export async function checkPage(page: Page, name: string, path: string): Promise<void> {
  await page.goto(path);
  await checkPresent(page, name);
}

/**
 * Checks the present page of the console in all looks, also if a form led to it. Expects that axe reports nothing, and that the page
 * fits the screen at each width. Expects that the keyboard reaches every control.
 */
export async function checkPresent(page: Page, name: string): Promise<void> {
  for (const [scheme, judgedWidth] of LOOKS) await checkLooks(page, name, [scheme], [judgedWidth]);
  expect(await unreachable(page), `${name} by keyboard`).to.deep.equal([]);
}

/** Returns the tables of the page that have times of day, but no caption, which would name their zone. */
function timesWithoutZone(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('main table')]
    .filter((table) => table.caption === null && /\\d:\\d\\d/.test(table.innerText)).map((table) => table.innerText)`);
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
