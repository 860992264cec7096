import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkout, ownMutation } from './mutants.ts';

/* Loaded before the service (`node --import`). Replaces a few words of one module, so a mutant is the real service except for them. */

const { file, text, instead } = ownMutation();
const path = join(checkout, file);
const url = pathToFileURL(path).href;
const source = readFileSync(path, 'utf8').replaceAll(text, () => instead);

registerHooks({
  load(loadedUrl, context, nextLoad) {
    const loaded = nextLoad(loadedUrl, context);
    return loadedUrl === url ? { ...loaded, source } : loaded;
  },
});
