/* Passkeys: before the form is sent, the browser asks for a passkey and puts its answer into the form. */
{
  /* Returns the answer of the passkey as JSON; null if the page is loaded again instead. */
  const ask = async ({ dataset, elements }) => {
    const csrf = elements.namedItem('csrf');
    const body = new URLSearchParams(csrf === null ? [] : [['csrf', csrf.value]]);
    const response = await fetch(dataset.options, { method: 'POST', body, redirect: 'manual' });
    /* The session has ended, or needs a new sign-in: the page says so. */
    if (response.type === 'opaqueredirect' || response.status === 403) {
      location.reload();
      return null;
    }
    if (!response.ok) throw new Error(`no options: ${response.status}`);
    const options = await response.json();
    /* The credential writes itself as JSON. */
    return JSON.stringify(
      dataset.purpose === 'add'
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
    );
  };

  /* Browsers since March 2025. Others sign in by mail. */
  if (globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON !== undefined) {
    for (const text of document.querySelectorAll('.without-passkeys')) text.hidden = true;
    for (const form of document.querySelectorAll('form.passkey')) {
      const fault = form.querySelector('[role="alert"]');
      form.hidden = false;
      form.addEventListener('submit', async (event) => {
        event.preventDefault();
        fault.hidden = true;
        try {
          const answer = await ask(form);
          if (answer === null) return;
          form.elements.namedItem('response').value = answer;
          /* Does not call this function again. */
          form.submit();
        } catch {
          /* Among others: the person has declined, or there is no passkey of this site. */
          fault.hidden = false;
          delete form.dataset.sent;
        }
      });
    }
  }
}
