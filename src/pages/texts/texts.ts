import { en, type Texts } from './en.ts';
import { es } from './es.ts';
import type { Language } from './language.ts';

export const TEXTS: Readonly<Record<Language, Texts>> = { en, es };
