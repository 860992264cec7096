// The one script of the hosted pages. Without it everything works but Stripe's form and the print button. What it does:
// no double submission, focus on what went wrong, printing, news of a payment in progress, a look at the payment when the
// patient comes back from the bank, and the two steps that Stripe wants done in the browser.

/** How long Stripe's script may take before the page says that it can't be had. */
const STRIPE_DEADLINE_MS = 15_000;

/** How soon a page in progress first looks whether there is news; each wait is half as long again, up to the longest. */
const FIRST_LOOK_MS = 3_000;
const LONGEST_WAIT_MS = 60_000;

for (const form of document.querySelectorAll('form[data-once]')) form.addEventListener('submit', submitOnce);
// A page that comes back from the browser's memory has its buttons back.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) for (const form of document.querySelectorAll('form[data-once]')) enable(form);
});
document.querySelector('[data-alert]')?.focus();
for (const button of document.querySelectorAll('[data-print]')) {
  button.hidden = false;
  button.addEventListener('click', () => window.print());
}
const stripeForm = document.querySelector('form[data-stripe]');
const returnForm = document.querySelector('form[data-return]');
if (returnForm !== null && cameBack()) lookAgain(returnForm);
else if (stripeForm !== null) startStripe(stripeForm);
if (document.querySelector('main[data-watched]') !== null) watch(stateOf(document));

/** Stripe says so in the address when it sends the patient back. */
function cameBack() {
  return new URLSearchParams(window.location.search).has('redirect_status');
}

/**
 * Looks for news of a page in progress, and shows it. The page is fetched, not reloaded, until there is some: a reload would
 * take readers and screen readers back to its beginning. Looking changes nothing at the server.
 */
function watch(state) {
  let waitMs = FIRST_LOOK_MS;
  const look = async () => {
    const isSending = returnForm?.dataset.sent !== undefined;
    if (document.visibilityState === 'visible' && !isSending && (await stateNow(state)) !== state) {
      return window.location.reload();
    }
    waitMs = Math.min(waitMs * 1.5, LONGEST_WAIT_MS);
    setTimeout(look, waitMs);
  };
  setTimeout(look, waitMs);
}

/** The state of this page at the server; the one that is shown when the server can't be asked. */
async function stateNow(shown) {
  try {
    const answer = await fetch(window.location.href, { headers: { accept: 'text/html' } });
    if (!answer.ok) return shown;
    return stateOf(new DOMParser().parseFromString(await answer.text(), 'text/html')) ?? shown;
  } catch {
    return shown;
  }
}

function stateOf(page) {
  return page.querySelector('main')?.dataset.state;
}

/**
 * Sends the form by which the patient would ask what became of the payment. By script, for opening the page must change
 * nothing: mail scanners and previews open addresses too. The answer leads to an address without Stripe's words.
 */
function lookAgain(form) {
  disable(form);
  form.submit();
}

function submitOnce(event) {
  const form = event.currentTarget;
  if (event.defaultPrevented) return;
  if (form.dataset.sent !== undefined) return event.preventDefault();
  disable(form);
}

/** Marks the form as sent. Its buttons only look disabled: really disabled ones would lose focus, name and value. */
function disable(form) {
  form.dataset.sent = '';
  for (const button of form.querySelectorAll('button')) {
    button.setAttribute('aria-disabled', 'true');
    const { working } = button.dataset;
    if (working === undefined) continue;
    button.dataset.label = button.textContent;
    button.textContent = working;
  }
}

function enable(form) {
  delete form.dataset.sent;
  for (const button of form.querySelectorAll('button')) {
    button.removeAttribute('aria-disabled');
    if (button.dataset.label !== undefined) button.textContent = button.dataset.label;
  }
}

function startStripe(form) {
  const { key, account, stripe: step, stripeScript } = form.dataset;
  const find = (name) => form.querySelector(`[data-${name}]`);
  const button = form.querySelector('button[type=submit]');
  const blocked = () => {
    clearTimeout(deadline);
    button.disabled = true;
    find('loading').hidden = true;
    find('blocked').hidden = false;
    find('blocked').focus();
  };
  const ready = () => {
    clearTimeout(deadline);
    find('blocked').hidden = true;
    find('loading').hidden = true;
    button.disabled = false;
  };
  const deadline = setTimeout(blocked, STRIPE_DEADLINE_MS);
  const script = document.createElement('script');
  script.src = stripeScript;
  script.addEventListener('error', blocked);
  script.addEventListener('load', () => {
    if (typeof window.Stripe !== 'function') return blocked();
    try {
      const stripe = window.Stripe(key, { stripeAccount: account, locale: document.documentElement.lang });
      // The script alone is not enough: a blocker may let it through and keep its frames away.
      if (step === 'pay') return preparePayment(form, find, stripe, { ready, blocked });
      prepareAction(form, find, stripe);
      ready();
    } catch (error) {
      blocked();
      throw error;
    }
  });
  document.head.append(script);
}

/** Stripe's frames for the chosen way to pay; submitting makes a confirmation token of what was typed there. */
function preparePayment(form, find, stripe, { ready, blocked }) {
  const details = find('details');
  let elements = null;
  let payment = null;
  const show = () => {
    const type = form.elements.method_type.value;
    payment?.destroy();
    details.setAttribute('aria-label', details.dataset[type]);
    elements = stripe.elements({
      mode: 'payment',
      amount: Number(form.dataset.amount),
      currency: 'usd',
      // Stripe's frames are as dark as the page around them.
      ...(window.matchMedia('(prefers-color-scheme: dark)').matches ? { appearance: { theme: 'night' } } : {}),
      // Since version endive; paymentMethodTypes would make Stripe's script throw.
      allowedPaymentMethodTypes: [type],
      ...(type === 'us_bank_account'
        ? { paymentMethodOptions: { us_bank_account: { verification_method: 'instant' } } }
        : {}),
    });
    payment = elements.create('payment', { wallets: { applePay: 'never', googlePay: 'never', link: 'never' } });
    payment.on('ready', ready);
    payment.on('loaderror', blocked);
    payment.mount(details);
  };
  details.hidden = false;
  show();
  for (const choice of form.querySelectorAll('[name=method_type]')) choice.addEventListener('change', show);
  takeOver(form, find, async () => {
    const checked = await elements.submit();
    if (checked.error) return checked.error;
    const made = await stripe.createConfirmationToken({ elements });
    if (made.error) return made.error;
    form.elements.confirmation_token.value = made.confirmationToken.id;
    return null;
  });
}

/** The bank's own confirmation; afterwards the server looks at the payment, however it went. */
function prepareAction(form, find, stripe) {
  takeOver(form, find, async () => {
    await stripe.handleNextAction({ clientSecret: form.dataset.secret });
    return null;
  });
}

/** Does a step in the browser before the form is sent; what the step says to be wrong is shown and focused. */
function takeOver(form, find, step) {
  form.addEventListener(
    'submit',
    async (event) => {
      event.preventDefault();
      if (form.dataset.sent !== undefined) return;
      disable(form);
      find('fault').hidden = true;
      let error;
      try {
        error = await step();
      } catch (thrown) {
        error = thrown;
      }
      if (error === null) return form.submit();
      enable(form);
      find('fault-text').textContent = error.message;
      find('fault').hidden = false;
      find('fault').focus();
    },
    { capture: true },
  );
}
