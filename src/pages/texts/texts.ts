import { en, type Texts } from './en.ts';
import { es } from './es.ts';
import type { Language } from './language.ts';

/** All texts of the pages, by language. */
export const TEXTS: Readonly<Record<Language, Texts>> = { en, es };
