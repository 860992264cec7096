/* Buttons that copy a key or a secret. Browsers allow it on https and on localhost only. */
for (const button of document.querySelectorAll('[data-copy]')) {
  if (navigator.clipboard === undefined) continue;
  const line = button.parentElement;
  line.hidden = false;
  button.addEventListener('click', async () => {
    const field = document.getElementById(button.dataset.copy);
    field.select();
    const isCopied = await navigator.clipboard.writeText(field.value).then(
      () => true,
      () => false,
    );
    if (isCopied) line.querySelector('[role="status"]').textContent = button.dataset.copied;
  });
}
