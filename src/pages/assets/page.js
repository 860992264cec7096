// The one script of the hosted pages. Without it everything works but Stripe's form and the print button. What it does:
// no double submission, focus on what went wrong, printing, a look at the payment when the patient comes back from the
// bank, and the two steps that Stripe wants done in the browser.

/** How long Stripe's script may take before the page says that it can't be had. */
const STRIPE_DEADLINE_MS = 15_000;

for (const form of document.querySelectorAll('form[data-once]')) form.addEventListener('submit', submitOnce);
// A page that comes back from the browser's memory has its buttons back.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) for (const form of document.querySelectorAll('form[data-once]')) release(form);
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

/** Stripe says so in the address when it sends the patient back. */
function cameBack() {
  return new URLSearchParams(window.location.search).has('redirect_status');
}

/**
 * Sends the form by which the patient would ask what became of the payment. By script, for opening the page must change
 * nothing: mail scanners and previews open addresses too. The answer leads to an address without Stripe's words.
 */
function lookAgain(form) {
  hold(form);
  form.submit();
}

function submitOnce(event) {
  const form = event.currentTarget;
  if (event.defaultPrevented) return;
  if (form.dataset.sent !== undefined) return event.preventDefault();
  hold(form);
}

/** Marks the form as sent. A disabled button would lose focus, and its name and value on the way. */
function hold(form) {
  form.dataset.sent = '';
  for (const button of form.querySelectorAll('button')) {
    button.setAttribute('aria-disabled', 'true');
    const { working } = button.dataset;
    if (working === undefined) continue;
    button.dataset.label = button.textContent;
    button.textContent = working;
  }
}

function release(form) {
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
      hold(form);
      find('fault').hidden = true;
      let error;
      try {
        error = await step();
      } catch (thrown) {
        error = thrown;
      }
      if (error === null) return form.submit();
      release(form);
      find('fault-text').textContent = error.message;
      find('fault').hidden = false;
      find('fault').focus();
    },
    { capture: true },
  );
}
