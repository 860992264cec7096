import fs from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { checkout, ownMutation } from './mutation.ts';

/*
 * Loaded before the service (`node --import`). Replaces a few words of one file while it is loaded, so a mutant is the
 * real service except for them. Migrations, style sheets and the contract are read by `readFileSync`.
 */

const { file, text, instead } = ownMutation();
const path = join(checkout, file);
const url = pathToFileURL(path).href;
const mutated = fs.readFileSync(path, 'utf8').replaceAll(text, () => instead);

registerHooks({
  load(loadedUrl, context, nextLoad) {
    const loaded = nextLoad(loadedUrl, context);
    return loadedUrl === url ? { ...loaded, source: mutated } : loaded;
  },
});

const { readFileSync } = fs;

/** The original, but for the mutated file. */
function readMutated(...parameters: Parameters<typeof readFileSync>): ReturnType<typeof readFileSync> {
  const content = readFileSync(...parameters);
  const [name] = parameters;
  const isMutated = name instanceof URL ? fileURLToPath(name) === path : name === path;
  if (!isMutated) return content;
  return typeof content === 'string' ? mutated : Buffer.from(mutated);
}

Object.assign(fs, { readFileSync: readMutated });
syncBuiltinESMExports();
