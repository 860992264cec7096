import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { checkout } from '../harness/processes.ts';

/** Folder of the pictures in the README. */
const FOLDER = join(checkout, 'docs/pictures');

/** Colours of a picture: few, so that a page has less than 60 kB. */
const COLOURS = 32;

/** Saves a picture of the page for the README, if the environment has `PICTURES=1`. Otherwise does nothing. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env.PICTURES !== '1') return;
  mkdirSync(FOLDER, { recursive: true });
  const image = await page.screenshot({ fullPage: true });
  await sharp(image)
    .png({ palette: true, colours: COLOURS, effort: 10 })
    .toFile(join(FOLDER, `${name}.png`));
}
