import * as ui from '../../web/blocks.ts';
import { ASSETS } from '../browser/assets.ts';
import { MAX_PERSON_NAME_LENGTH } from '../identity/people/members.ts';
import type { Frame } from '../routing/visit.ts';

const PASSKEY_SIGN_IN = {
  title: 'Or use a passkey',
  text: 'If you have added a passkey, your fingerprint, face or PIN is enough.',
  button: 'Sign in with a passkey',
  failed: 'No passkey was used. Ask for a link instead.',
};

/** Returns the field for the name of a person. */
export function nameField(id: string, name: string | null | undefined, fault?: string): ui.Block {
  const look = { required: true, maxlength: MAX_PERSON_NAME_LENGTH, autocomplete: 'name', fault };
  return ui.field(id, 'First and last name', name, { ...look, hint: 'Your practice sees it beside your address.' });
}

/** Returns the forms by which the signed-in person signs in again: by a mailed link, or by a passkey. */
export function signInAgain(
  { returnPath }: Pick<Frame, 'returnPath'>,
  words: { title?: string; text: ui.Content },
): ui.Content {
  const form = { ...words, button: 'Send me a link', hidden: { to: returnPath ?? '' } };
  return [ui.form('/console/confirm', form), passkeySignIn(returnPath)];
}

export function passkeySignIn(returnPath: string | null): ui.Content {
  return passkeyForm('/console/sign-in/passkey', 'sign-in', PASSKEY_SIGN_IN, { hidden: { to: returnPath ?? '' } });
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
    title,
    text,
    button,
    className: 'card passkey',
    hidden: { ...hidden, response: '' },
    attributes: { 'data-purpose': purpose, 'data-options': `${path}/options`, hidden: true },
  };
  const fault = ui.text(failed, { class: 'alert stop', role: 'alert', hidden: true });
  return [
    ui.element('script', { src: passkeys.address().path, defer: true }, ''),
    ui.form(path, words, [fault, field]),
  ];
}
