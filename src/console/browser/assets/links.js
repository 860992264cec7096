/* Copies the address of a link. Without this script the field can be selected. */
for (const button of document.querySelectorAll('[data-copy]')) {
  const field = document.getElementById(button.dataset.copy);
  const status = button.parentElement.querySelector('[role="status"]');
  button.parentElement.hidden = false;
  button.addEventListener('click', async () => {
    field.select();
    const isCopied = await navigator.clipboard?.writeText(field.value).then(
      () => true,
      () => false,
    );
    status.textContent = isCopied ? button.dataset.copied : button.dataset.notCopied;
  });
  field.addEventListener('focus', () => field.select());
}

for (const button of document.querySelectorAll('[data-print]')) {
  button.hidden = false;
  document.querySelector('[data-print-hint]').hidden = true;
  button.addEventListener('click', () => print());
}
