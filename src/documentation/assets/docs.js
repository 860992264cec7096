/*
 * Adds to a page without which it works, too: a search over all pages, and a button that copies a snippet.
 */

/** Most results that are shown. */
const MAX_RESULTS = 12;

/** A word in a title counts more than one in a heading, and that more than one in the text. */
const WEIGHTS = { title: 5, heading: 3, text: 1 };

/** Time for which a button shows that it has copied, in milliseconds. */
const COPIED_MS = 2_000;

const element = (name, attributes = {}, text = '') => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
};

for (const figure of document.querySelectorAll('.code')) {
  const button = element('button', { type: 'button', class: 'copy' }, 'Copy');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('code').textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, COPIED_MS);
  });
  figure.append(button);
}

const search = document.querySelector('.search');
if (search !== null) addSearch(search);

function addSearch(box) {
  const input = element('input', {
    type: 'search',
    role: 'combobox',
    placeholder: 'Search (press /)',
    'aria-label': 'Search the documentation',
    'aria-expanded': 'false',
    'aria-controls': 'search-results',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
  });
  const list = element('ul', { id: 'search-results', role: 'listbox', 'aria-label': 'Results' });
  const status = element('p', { class: 'status', role: 'status' });
  list.hidden = true;
  box.append(input, list, status);
  let index = null;
  let chosen = -1;

  /** Loads the index at the first use, and again after a failure. */
  const load = () => {
    index ??= fetch(box.dataset.index).then((reply) => reply.json());
    index.catch(() => {
      index = null;
    });
    return index;
  };

  const close = () => {
    list.hidden = true;
    list.replaceChildren();
    chosen = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };

  const choose = (position) => {
    const options = [...list.children];
    chosen = options.length === 0 ? -1 : (position + options.length) % options.length;
    for (const [at, option] of options.entries()) option.setAttribute('aria-selected', String(at === chosen));
    if (chosen < 0) return;
    input.setAttribute('aria-activedescendant', options[chosen].id);
    options[chosen].scrollIntoView({ block: 'nearest' });
  };

  const show = async () => {
    const words = wordsOf(input.value);
    if (words.length === 0) {
      status.textContent = '';
      return close();
    }
    const asked = input.value;
    const entries = await load();
    // A later letter has asked again.
    if (asked !== input.value) return;
    const found = find(entries, words);
    list.replaceChildren(
      ...found.map(({ title, heading, href }, at) => {
        const option = element('li', { id: `search-result-${at}`, role: 'option', 'aria-selected': 'false' });
        option.dataset.href = href;
        option.append(element('strong', {}, title), element('span', {}, heading));
        return option;
      }),
    );
    status.textContent = found.length === 0 ? 'No results' : `${found.length} results`;
    list.hidden = found.length === 0;
    input.setAttribute('aria-expanded', String(found.length > 0));
    choose(0);
  };

  const open = (option) => {
    close();
    location.assign(option.dataset.href);
  };

  input.addEventListener('focus', load);
  input.addEventListener('input', show);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen - 1);
    else if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && chosen >= 0) open(list.children[chosen]);
    else return;
    event.preventDefault();
  });
  list.addEventListener('mousedown', (event) => {
    const option = event.target.closest('[role="option"]');
    if (option !== null) open(option);
    event.preventDefault();
  });
  input.addEventListener('blur', close);
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea, [contenteditable]') !== null;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}

function wordsOf(text) {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Returns the entries that contain all words, best first. */
function find(entries, words) {
  return entries
    .map((entry) => ({ entry, points: pointsOf(entry, words) }))
    .filter(({ points }) => points > 0)
    .sort((one, other) => other.points - one.points)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => entry);
}

/** Returns 0 if a word is missing. */
function pointsOf(entry, words) {
  let sum = 0;
  for (const word of words) {
    const points = Object.entries(WEIGHTS)
      .filter(([part]) => entry[part].toLowerCase().includes(word))
      .map(([, weight]) => weight);
    if (points.length === 0) return 0;
    sum += points.reduce((all, one) => all + one);
  }
  return sum;
}
