/* Forms are sent once: a second click does nothing while the first answer is on its way. */
for (const form of document.forms) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent === 'true') event.preventDefault();
    form.dataset.sent = 'true';
  });
}

/* A page from the browser's history can be sent again. */
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
});
