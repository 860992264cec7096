import type { Language } from './language.ts';
import { en, type Texts } from './texts-en.ts';
import { es } from './texts-es.ts';

/** Every language's words. */
export const TEXTS: Readonly<Record<Language, Texts>> = { en, es };
