/* Forms are sent once: a second click does nothing while the first answer is on its way. A download leaves the page as it is. */
for (const form of document.querySelectorAll('form:not(.download)')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent === 'true') event.preventDefault();
    form.dataset.sent = 'true';
  });
}

/* A page from the browser's history can be sent again. */
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
});

/* Automatic logoff, after an alert. Before both the page asks the server, because another tab may have kept the session. */
const ALERT_MS = 120_000;
const idle = document.querySelector('.idle');
if (idle !== null) {
  const { seconds, leave, stay, left } = idle.dataset;
  /* A form that the person began comes back after the sign-in. The server only keeps it. */
  let typedIn = null;
  addEventListener('input', ({ target: { form } }) => {
    if (form?.method === 'post' && form.enctype !== 'multipart/form-data') typedIn = form;
  });
  const leavePage = () => {
    if (typedIn === null) return location.replace(leave);
    typedIn.append(Object.assign(document.createElement('input'), { type: 'hidden', name: 'keep_only', value: 'on' }));
    typedIn.submit();
  };
  let endsAtMs = 0;
  let isAsking = false;
  const begin = (leftSeconds = Number(seconds)) => {
    endsAtMs = Date.now() + leftSeconds * 1_000;
    idle.hidden = endsAtMs - Date.now() > ALERT_MS;
  };
  const check = async () => {
    const leftMs = endsAtMs - Date.now();
    const isDue = leftMs <= 0 || (leftMs <= ALERT_MS && idle.hidden);
    if (!isDue || isAsking) return;
    isAsking = true;
    const answer = await fetch(left, { redirect: 'manual' }).catch(() => null);
    const leftSeconds = answer?.ok ? (await answer.json()).seconds : 0;
    isAsking = false;
    if (leftSeconds > 0) begin(leftSeconds);
    else if (leftMs <= 0) leavePage();
    else idle.hidden = false;
  };
  begin();
  setInterval(check, 1_000);
  /* Timers stop while a device sleeps. */
  document.addEventListener('visibilitychange', check);
  idle.querySelector('button').addEventListener('click', async () => {
    const answer = await fetch(stay, { redirect: 'manual' }).catch(() => null);
    if (answer?.ok) begin();
    else leavePage();
  });
}

/* Buttons that copy a field. Browsers allow it on https and on localhost only; elsewhere the selected field can be copied by keys. */
for (const button of document.querySelectorAll('[data-copy]')) {
  const field = document.getElementById(button.dataset.copy);
  button.parentElement.hidden = false;
  button.addEventListener('click', async () => {
    field.select();
    const copying = navigator.clipboard?.writeText(field.value) ?? Promise.reject();
    const answer = copying.then(
      () => 'Copied.',
      () => 'Press Ctrl+C or ⌘C to copy it.',
    );
    button.nextElementSibling.textContent = await answer;
  });
  field.addEventListener('focus', () => field.select());
}

/* A field below one of two choices chooses it, and choosing the other one empties it. The server refuses forms that say both. */
for (const fieldset of document.querySelectorAll('[data-choice]')) {
  const choice = document.getElementById(fieldset.dataset.choice);
  const fields = [...fieldset.querySelectorAll('input:not([type="radio"])')];
  fieldset.addEventListener('input', ({ target }) => {
    if (fields.includes(target)) choice.checked ||= target.type === 'checkbox' ? target.checked : target.value !== '';
    else if (target !== choice) {
      for (const field of fields) {
        if (field.type === 'checkbox') field.checked = false;
        else field.value = '';
      }
    }
  });
}

/* Without scripts only the browser's menu prints, so these buttons are not there. */
for (const button of document.querySelectorAll('[data-print]')) {
  button.hidden = false;
  button.addEventListener('click', () => print());
}
for (const hint of document.querySelectorAll('[data-print-hint]')) hint.hidden = true;

/* Links below a search field lead to the patients whom it finds so far. */
const SUGGEST_MS = 250;
for (const form of document.querySelectorAll('[data-suggest]')) {
  const input = form.elements.q;
  const list = Object.assign(document.createElement('ul'), { className: 'suggestions', ariaLive: 'polite' });
  input.after(list);
  const buildAddress = (changed) =>
    `${form.action}?${new URLSearchParams({ ...Object.fromEntries(new FormData(form)), ...changed })}`;
  const suggest = async () => {
    const words = input.value;
    const isLong = words.trim().length >= 3;
    const answer = isLong && (await fetch(buildAddress({ suggest: 1 }), { redirect: 'manual' }).catch(() => null));
    const { patients } = answer?.ok ? await answer.json() : { patients: [] };
    if (words !== input.value) return;
    list.replaceChildren();
    for (const { name, detail, q } of patients) {
      const link = Object.assign(document.createElement('a'), { href: buildAddress({ q }), textContent: name });
      link.append(document.createElement('br'), detail);
      list.appendChild(document.createElement('li')).append(link);
    }
  };
  let timer = 0;
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(suggest, SUGGEST_MS);
  });
}
document.addEventListener('keydown', (event) => {
  const search = document.querySelector('.site-search input');
  if (event.key !== '/' || search === null || event.target.closest('input, select, textarea') !== null) return;
  event.preventDefault();
  search.focus();
});
