import { ASSETS } from '../browser/assets.ts';
import { SIGNED_IN_AGAIN } from '../identity/sign-in/return-path.ts';
import { isSignInFresh } from '../identity/sign-in/sessions.ts';
import * as ui from '../render/blocks.ts';
import { FRESH_SIGN_IN } from '../render/labels.ts';
import type { PersonVisit, Reply } from '../routing/visit.ts';

const PASSKEY_SIGN_IN = {
  title: 'Or use a passkey',
  text: 'If you have added a passkey, your fingerprint, face or PIN is enough.',
  button: 'Sign in with a passkey',
  failed: 'No passkey was used. Ask for a link instead.',
};

/*
 * Sensitive forms need a fresh sign-in. Their pages ask for it before they show the form, so that nothing is typed in vain. The check
 * when the form is sent stays. After it, the person sends the form again.
 */

/** Returns the page that asks for a new sign-in, which leads back to the requested page, or to that of the form. */
export function askForFreshSignIn(visit: PersonVisit): Reply {
  return ui.page('Confirm that it is you', { status: 403 }, [
    ui.lead(FRESH_SIGN_IN),
    signInAgain(visit, { text: ui.own(visit.session.email) }),
  ]);
}

/** Returns the page to which a new sign-in has led back, with a sentence about it. Other answers, and all with an old sign-in, stay as they are. */
export function withConfirmation({ scope, session, query }: PersonVisit, reply: Reply): Reply {
  const isBack = query.get('done') === SIGNED_IN_AGAIN && isSignInFresh(scope, session);
  return isBack && reply.kind === 'page' && reply.status === 200
    ? {
        ...reply,
        done: 'Your sign-in is confirmed. If a form asked for it, nothing of it was done: fill it in and send it again.',
      }
    : reply;
}

/** Returns the forms by which the signed-in person signs in again: by a mailed link, or by a passkey. */
export function signInAgain({ returnPath }: PersonVisit, words: { title?: string; text: ui.Content }): ui.Content {
  const form = { ...words, button: 'Send me a link', hidden: { to: returnPath ?? '' } };
  return [ui.form('/console/confirm', form), passkeySignIn(returnPath)];
}

/** Returns the form that signs in by a passkey. */
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
    ui.element('script', { src: `${passkeys.path}?v=${passkeys.hash()}`, defer: true }, ''),
    ui.form(path, words, [fault, field]),
  ];
}
