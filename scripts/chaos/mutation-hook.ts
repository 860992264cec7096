import { registerHooks } from 'node:module';
import { mutate, presentMutant } from './mutants.ts';

/*
 * Loaded before the service (`node --import`): replaces a few words of one file as it is loaded, so that a mutant is
 * the real service but for these.
 */

const mutant = presentMutant();

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(`/${mutant.file}`)) return loaded;
    return { ...loaded, source: mutate(mutant, String(loaded.source)) };
  },
});
