// Without scripts the button is not there, because only the browser's menu prints then.
for (const button of document.querySelectorAll('button.print')) {
  button.hidden = false;
  button.addEventListener('click', () => print());
}
