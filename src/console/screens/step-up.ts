import { ASSETS } from '../browser/assets.ts';
import * as ui from '../render/blocks.ts';
import type { PersonVisit, Reply, Visit } from '../routing/visit.ts';
import { isConsolePath } from '../sign-in/return-path.ts';

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
  fields: ReadonlyMap<string, string>;
}

/** Returns the page that asks for a new sign-in, with the form of the request. */
export function confirmAgain(visit: PersonVisit): Reply {
  const { t, requestPath: path, returnPath } = visit;
  const fields = new Map([...visit.fields].filter(([name]) => name !== 'csrf'));
  const hidden = keptFields({ path, fields });
  return ui.page(t.confirmAgain.title, { status: 403 }, [
    ui.lead(t.confirmAgain.text),
    mailForm(visit, hidden),
    passkeySignIn(visit, returnPath, hidden),
  ]);
}

/** Returns the form that mails a sign-in link to the signed-in person. */
export function mailForm(
  { t, session, returnPath }: PersonVisit,
  kept: Readonly<Record<string, string>>,
  words: { title?: string; text: ui.Content } = { text: ui.own(session.email) },
): ui.Block {
  const hidden = { to: returnPath ?? '', ...kept };
  return ui.form('/console/confirm', { title: words.title, button: t.signIn.button, hidden }, ui.text(words.text));
}

/** Returns the form that signs in by a passkey. */
export function passkeySignIn(
  { t }: Pick<Visit, 't'>,
  returnPath: string | null,
  kept: Readonly<Record<string, string>> = {},
): ui.Content {
  const hidden = { to: returnPath ?? '', ...kept };
  return passkeyForm('/console/sign-in/passkey', 'sign-in', t.ownAccount.signIn, { hidden });
}

/** Returns a form that asks the browser for a passkey, for browsers with scripts. */
export function passkeyForm(
  path: string,
  purpose: 'sign-in' | 'add',
  { title, text, failed, button }: Record<'title' | 'text' | 'failed' | 'button', string>,
  { hidden = {}, field = null }: { hidden?: Readonly<Record<string, string>>; field?: ui.Content },
): ui.Content {
  const { passkeys } = ASSETS;
  const words = {
    ...{ title, button, className: 'card passkey', hidden: { ...hidden, response: '' } },
    attributes: { 'data-purpose': purpose, 'data-options': `${path}/options`, hidden: true },
  };
  const fault = ui.text(failed, { class: 'alert stop', role: 'alert', hidden: true });
  return [
    ui.element('script', { src: `${passkeys.path}?v=${passkeys.hash()}`, defer: true }, ''),
    ui.form(path, words, [ui.text(text), fault, field]),
  ];
}

/** Returns the form that a page of the sign-in keeps; null without one. */
export function keptForm({ fields }: Pick<Visit, 'fields'>): KeptForm | null {
  const path = fields.get(PATH_FIELD) ?? '';
  // So no field can send the form to another site.
  if (!isConsolePath(path)) return null;
  const own = [...fields].filter(([name]) => name.startsWith(PREFIX));
  return { path, fields: new Map(own.map(([name, value]) => [name.slice(PREFIX.length), value])) };
}

/** Returns the page of a sent mail, or of a sign-in that was not there yet. A kept form goes on from it. */
export function waitPage({ t }: PersonVisit, form: KeptForm | null, isAgain = false): Reply {
  const { title, again, sent, kept, goOn } = t.confirmAgain;
  const look = { class: `alert ${isAgain ? 'stop' : 'good'}`, role: 'status' };
  return ui.page(title, { status: isAgain ? 403 : 200 }, [
    ui.text(isAgain ? again : sent, look),
    form !== null && ui.form(CONTINUE_PATH, { button: goOn, hidden: keptFields(form) }, ui.text(kept)),
  ]);
}

/** Returns the page on which the person sends a kept form. */
export function sendPage({ t }: PersonVisit, { path, fields }: KeptForm): Reply {
  const { title, send, sendButton: button } = t.confirmAgain;
  return ui.page(title, {}, [ui.lead(send), ui.form(path, { button, hidden: Object.fromEntries(fields) }, null)]);
}

export function keptFields(form: KeptForm | null): Record<string, string> {
  if (form === null) return {};
  const own = [...form.fields].map(([name, value]) => [`${PREFIX}${name}`, value]);
  return { [PATH_FIELD]: form.path, ...Object.fromEntries(own) };
}
