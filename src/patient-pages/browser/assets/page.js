// The only script of the hosted pages. Without it, all but Stripe's form and the print button works. It
// - prevents that a form is sent twice,
// - focuses the alert,
// - prints,
// - lets a page thank once,
// - reloads a payment in progress when its state changes,
// - asks for the state of a payment when the patient returns from the bank,
// - runs the two steps of Stripe that happen in the browser.

/** Time that Stripe's script has to load before the page says that it is blocked. */
const STRIPE_DEADLINE_MS = 15_000;

/** Wait before a page in progress first checks its state. Each wait is 1.5 times the one before, up to the maximum. */
const FIRST_CHECK_MS = 3_000;
const LONGEST_WAIT_MS = 60_000;

for (const form of document.querySelectorAll('form[data-once]')) form.addEventListener('submit', submitOnce);
// A page that the browser restores from its cache needs enabled buttons.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) for (const form of document.querySelectorAll('form[data-once]')) enable(form);
});
document.querySelector('[data-alert]')?.focus();
for (const button of document.querySelectorAll('[data-print]')) {
  button.hidden = false;
  button.addEventListener('click', () => window.print());
}
thankOnce();
const stripeForm = document.querySelector('form[data-stripe]');
const returnForm = document.querySelector('form[data-return]');
if (returnForm !== null && cameBack()) checkAgain(returnForm);
else if (stripeForm !== null) startStripe(stripeForm);
if (document.querySelector('main[data-watched]') !== null) watch(stateOf(document));

/** Removes `result=paid` from the address of a paid page, so that the page thanks only once. */
function thankOnce() {
  const address = new URL(window.location.href);
  if (stateOf(document) !== 'paid' || address.searchParams.get('result') !== 'paid') return;
  address.searchParams.delete('result');
  window.history.replaceState(null, '', address);
}

/** Returns true if Stripe sent the patient back. Stripe adds a parameter to the address. */
function cameBack() {
  return new URLSearchParams(window.location.search).has('redirect_status');
}

/**
 * Reloads a page in progress when its state at the server changes. Until then it fetches the page in the background,
 * because a reload takes readers and screen readers back to the top. Fetching changes nothing at the server.
 */
function watch(state) {
  let waitMs = FIRST_CHECK_MS;
  const check = async () => {
    const isSending = returnForm?.dataset.sent !== undefined;
    if (document.visibilityState === 'visible' && !isSending && (await stateNow(state)) !== state) {
      return window.location.reload();
    }
    waitMs = Math.min(waitMs * 1.5, LONGEST_WAIT_MS);
    setTimeout(check, waitMs);
  };
  setTimeout(check, waitMs);
}

/** Returns the state of this page at the server, or the shown state if the server does not answer. */
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
 * Sends the form “Check again”. The script does it, because a GET must change nothing: mail scanners and previews open
 * addresses too. The redirect that follows removes Stripe's parameters from the address.
 */
function checkAgain(form) {
  disable(form);
  form.submit();
}

function submitOnce(event) {
  const form = event.currentTarget;
  if (event.defaultPrevented) return;
  if (form.dataset.sent !== undefined) return event.preventDefault();
  disable(form);
}

/** Marks the form as sent. Buttons only look disabled, because disabled buttons lose focus, name and value. */
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
      // The form is ready when its frames are. A blocker may allow the script and block the frames.
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

/** Shows Stripe's frames for the chosen method. Submitting creates a confirmation token from the typed details. */
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
      // Stripe's frames follow the page's dark scheme.
      ...(window.matchMedia('(prefers-color-scheme: dark)').matches ? { appearance: { theme: 'night' } } : {}),
      // Version endive requires this name. Its script throws on paymentMethodTypes.
      allowedPaymentMethodTypes: [type],
      ...(type === 'us_bank_account'
        ? { paymentMethodOptions: { us_bank_account: { verification_method: 'instant' } } }
        : {}),
    });
    const wallet = 'wallets' in form.dataset && type === 'card' ? 'auto' : 'never';
    payment = elements.create('payment', { wallets: { applePay: wallet, googlePay: wallet, link: 'never' } });
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

/** Runs the bank's confirmation. The form that follows makes the server ask for the outcome. */
function prepareAction(form, find, stripe) {
  takeOver(form, find, async () => {
    await stripe.handleNextAction({ clientSecret: form.dataset.secret });
    return null;
  });
}

/** Runs a step in the browser before the form is sent. If the step returns or throws an error, shows and focuses it. */
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
