import type { Language } from '../../pages/texts/language.ts';
import { en, type Texts } from './en.ts';
import { es } from './es.ts';

/** All texts of the console, by language. */
export const TEXTS: Readonly<Record<Language, Texts>> = { en, es };
