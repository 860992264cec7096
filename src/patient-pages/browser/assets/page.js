// The only script of the hosted pages. Without it, all but Stripe's form and the print button works.

/** Time that Stripe's script has to load before the page says that it is blocked. */
const STRIPE_DEADLINE_MS = 15_000;

/** Wait before a page in progress first checks its state. Each wait is 1.5 times the one before, up to the maximum. */
const FIRST_CHECK_MS = 3_000;
const LONGEST_WAIT_MS = 60_000;

for (const form of document.querySelectorAll('form[data-once]')) {
  form.addEventListener('submit', submitOnce);
  // A page that the browser restores from its cache needs enabled buttons.
  window.addEventListener('pageshow', ({ persisted }) => persisted && enable(form));
}
document.querySelector('[data-alert]')?.focus();
for (const button of document.querySelectorAll('[data-print]')) {
  button.hidden = false;
  button.addEventListener('click', () => window.print());
}
thankOnce();
const stripeForm = document.querySelector('form[data-stripe]');
const returnForm = document.querySelector('form[data-return]');
// Stripe adds this parameter when it sends the patient back from the bank.
if (returnForm !== null && new URLSearchParams(window.location.search).has('redirect_status')) checkAgain(returnForm);
else if (stripeForm !== null) startStripe(stripeForm);
if (document.querySelector('main[data-watched]') !== null) watch(readState(document));

/** Removes `result=paid` from the address of a paid page, so that the page thanks only once. */
function thankOnce() {
  const address = new URL(window.location.href);
  if (readState(document) !== 'paid' || address.searchParams.get('result') !== 'paid') return;
  address.searchParams.delete('result');
  window.history.replaceState(null, '', address);
}

/**
 * Reloads a page in progress when its state at the server changes. Until then it fetches the page in the background,
 * because a reload takes readers and screen readers back to the top.
 */
function watch(state) {
  let waitMs = FIRST_CHECK_MS;
  const check = async () => {
    const isSending = returnForm?.dataset.sent !== undefined;
    if (document.visibilityState === 'visible' && !isSending && ((await fetchState()) ?? state) !== state) {
      return window.location.reload();
    }
    waitMs = Math.min(waitMs * 1.5, LONGEST_WAIT_MS);
    setTimeout(check, waitMs);
  };
  setTimeout(check, waitMs);
}

/** Returns the state of this page at the server; undefined if the server does not answer. */
async function fetchState() {
  try {
    const answer = await fetch(window.location.href, { headers: { accept: 'text/html' } });
    return answer.ok ? readState(new DOMParser().parseFromString(await answer.text(), 'text/html')) : undefined;
  } catch {}
}

function readState(page) {
  return page.querySelector('main')?.dataset.state;
}

/** Sends the form “Check again”: a GET must change nothing, because mail scanners and previews open addresses, too. */
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
  const end = (isBlocked) => {
    clearTimeout(deadline);
    button.disabled = isBlocked;
    find('loading').hidden = true;
    find('blocked').hidden = !isBlocked;
    if (isBlocked) find('blocked').focus();
  };
  const ready = () => end(false);
  const blocked = () => end(true);
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
      // The bank's confirmation. The form that follows makes the server ask for the outcome.
      takeOver(form, find, () => stripe.handleNextAction({ clientSecret: form.dataset.secret }));
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
    const submission = await elements.submit();
    if (submission.error) throw submission.error;
    const { error, confirmationToken } = await stripe.createConfirmationToken({ elements });
    if (error) throw error;
    form.elements.confirmation_token.value = confirmationToken.id;
  });
}

/** Runs a step in the browser before the form is sent. If the step throws, shows and focuses its error. */
function takeOver(form, find, step) {
  form.addEventListener(
    'submit',
    async (event) => {
      event.preventDefault();
      if (form.dataset.sent !== undefined) return;
      disable(form);
      find('fault').hidden = true;
      try {
        await step();
        form.submit();
      } catch (error) {
        enable(form);
        find('fault-text').textContent = error.message;
        find('fault').hidden = false;
        find('fault').focus();
      }
    },
    { capture: true },
  );
}
