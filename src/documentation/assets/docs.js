/* The page works without this script. */

/** Most results that are shown. */
const MAX_RESULTS = 12;

/** Most results of one page. */
const MAX_PER_PAGE = 2;

/** Letters that may be wrong in a word. Two neighbors that have changed places are two. */
const TYPING_ERRORS = 2;

/** Time for which a button shows that it has copied, in milliseconds. */
const COPIED_MS = 2_000;

/** Creates an element with attributes and contents. */
const create = (name, attributes, ...contents) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...contents);
  return node;
};

for (const figure of document.querySelectorAll('.code')) {
  const button = create('button', { type: 'button', class: 'copy' }, 'Copy');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('code').textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, COPIED_MS);
  });
  figure.prepend(button);
}

/** Adds a search over all pages. */
for (const box of document.querySelectorAll('.search')) {
  const input = create('input', {
    type: 'search',
    placeholder: 'Search (press /)',
    'aria-label': 'Search the documentation',
    autocomplete: 'off',
  });
  const list = create('ul', { 'aria-label': 'Results' });
  const status = create('p', { class: 'unseen', role: 'status' });
  box.append(input, status, list);
  let index = null;

  /** Loads the index at the first use, and again after a failure. */
  const load = () => {
    index ??= fetch(box.dataset.index).then(async (reply) => createIndex(await reply.json()));
    index.catch(() => {
      index = null;
    });
    return index;
  };

  const show = async () => {
    const words = input.value;
    const results = find(await load(), words);
    // A later letter has asked again.
    if (words !== input.value) return;
    list.replaceChildren(
      ...results.map(({ title, heading, href }) => {
        const contents = [create('strong', {}, title), create('span', { class: 'hint' }, heading)];
        return create('li', {}, create('a', { href }, ...contents));
      }),
    );
    status.textContent = words.trim() === '' ? '' : `${results.length || 'No'} results`;
  };

  input.addEventListener('focus', load);
  input.addEventListener('input', show);
  // Results show while the focus is in the search. The key Enter opens the first one, and arrows lead through all.
  box.addEventListener('keydown', (event) => {
    const stops = [input, ...list.querySelectorAll('a')];
    const at = stops.indexOf(document.activeElement);
    if (event.key === 'ArrowDown') stops[(at + 1) % stops.length].focus();
    else if (event.key === 'ArrowUp') stops.at(at - 1).focus();
    else if (event.key === 'Escape') document.activeElement.blur();
    else if (event.key === 'Enter' && at === 0) stops[1]?.click();
    else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea, [contenteditable]') !== null;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}

function createIndex({ entries }) {
  const index = new MiniSearch({
    fields: ['title', 'name', 'heading', 'text'],
    storeFields: ['title', 'heading', 'href'],
    extractField: (entry, field) => {
      if (field === 'id') return entry.href;
      // The address of an operation ends with its id.
      return field === 'name' ? entry.href.replace(/#.*/, '').replace(/.*\//, '') : entry[field];
    },
    // Names such as `payment_link.paid` are one word.
    tokenize: (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+(?:\.[\p{L}\p{N}_]+)*/gu) ?? [],
    processTerm: (word) => word,
    searchOptions: {
      combineWith: 'AND',
      prefix: true,
      boost: { title: 5, name: 5, heading: 3 },
      // The beginning of a page has no heading.
      boostDocument: (_id, _word, { heading }) => (heading === '' ? 1.5 : 1),
    },
  });
  index.addAll(entries);
  return index;
}

/** Returns the entries that contain all words, or else words that they may be meant for, best first. */
function find(index, words) {
  const perPage = {};
  const exact = index.search(words);
  return (exact.length > 0 ? exact : index.search(words, { fuzzy: TYPING_ERRORS }))
    .filter(({ href }) => {
      const [page] = href.split('#');
      perPage[page] = (perPage[page] ?? 0) + 1;
      return perPage[page] <= MAX_PER_PAGE;
    })
    .slice(0, MAX_RESULTS);
}

/** Shows the samples in the language that the reader chose last, on every page. It comes last, because a browser that blocks storage throws. */
const LANGUAGE = 'paylinks-language';
for (const label of document.querySelectorAll('.tabs label')) {
  if (label.textContent === localStorage.getItem(LANGUAGE)) label.control.checked = true;
  label.control.addEventListener('change', () => localStorage.setItem(LANGUAGE, label.textContent));
}
