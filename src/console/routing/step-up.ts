import { isConsolePath } from '../sign-in/return-path.ts';
import type { PersonVisit, Reply, Visit } from './route.ts';

/*
 * Sensitive forms need a fresh sign-in. A form that is sent without one is kept in the pages of the sign-in, as hidden fields, and
 * shown afterwards to be sent. Nothing of it is stored.
 */

export const CONTINUE_PATH = '/console/continue';

/** Largest form with a kept one: both have at most 8 KB, as other forms. */
export const MAX_KEPT_BYTES = 16_384;

/** Names of the hidden fields: the path of the form, and the prefix of its fields. */
const PATH_FIELD = 'kept_path';
const PREFIX = 'kept.';

interface KeptForm {
  path: string;
  fields: readonly (readonly [name: string, value: string])[];
}

/** Returns the page that asks for a new sign-in, with the form of the request. */
export function confirmAgain({ t, requestPath: path, fields }: Omit<PersonVisit, 'session'>): Reply {
  const own = [...fields].filter(([name]) => name !== 'csrf');
  return stepUpPage(t, 'ask', { path, fields: own }, 403);
}

/** Returns the form that a page of the sign-in keeps; null without one. */
export function keptForm({ fields }: Pick<Visit, 'fields'>): KeptForm | null {
  const path = fields.get(PATH_FIELD) ?? '';
  // So no field can send the form to another site.
  if (!isConsolePath(path)) return null;
  const own = [...fields].filter(([name]) => name.startsWith(PREFIX));
  return { path, fields: own.map(([name, value]) => [name.slice(PREFIX.length), value] as const) };
}

/** Returns a page of the fresh sign-in: `ask` for one, `wait` for a mail, ask `again` if there was none yet, `send` the form. */
export function stepUpPage(
  { confirmAgain: { title } }: Visit['t'],
  step: 'ask' | 'wait' | 'again' | 'send',
  form: KeptForm | null,
  status = 200,
): Reply {
  return { kind: 'page', status, template: 'confirm-again', title, view: { step, form, kept: keptFields(form) } };
}

export function keptFields(form: KeptForm | null): readonly (readonly [name: string, value: string])[] {
  if (form === null) return [];
  return [[PATH_FIELD, form.path], ...form.fields.map(([name, value]) => [`${PREFIX}${name}`, value] as const)];
}
