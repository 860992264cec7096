/*
 * Adds to a page: a search over all pages, a button that copies a snippet, and the memory of the chosen language. The page
 * works without them.
 */

/** Most results that are shown. */
const MAX_RESULTS = 12;

/** A word in a title counts more than one in a heading, and that more than one in the text. */
const WEIGHTS = { title: 5, heading: 3, text: 1 };

/** A whole word counts more than a part of one, and that more than another name. */
const WHOLE = 3;
const PART = 2;
const OTHER_NAME = 1;

/** Points of a guide, of the beginning of a page, and of one whose title or address is what was asked for. */
const GUIDE = 4;
const BEGINNING = 5;
const SAME_TITLE = 60;

/** Most results of one page. */
const MAX_PER_PAGE = 2;

/** Letters of the shortest words that are found within others, and that may have one and two typing errors. */
const WITHIN = 4;
const ERRORS = [4, 8];

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
    placeholder: 'Search (press /)',
    'aria-label': 'Search the documentation',
    autocomplete: 'off',
  });
  const list = element('ul', { 'aria-label': 'Results' });
  const status = element('p', { class: 'unseen', role: 'status' });
  box.append(input, status, list);
  let index = null;

  /** Loads the index at the first use, and again after a failure. */
  const load = () => {
    index ??= fetch(box.dataset.index).then(async (reply) => prepared(await reply.json()));
    index.catch(() => {
      index = null;
    });
    return index;
  };

  const show = async () => {
    const asked = input.value;
    const words = wordsOf(asked);
    const found = words.length === 0 ? [] : find(await load(), words);
    // A later letter has asked again.
    if (asked !== input.value) return;
    list.replaceChildren(
      ...found.map(({ title, heading, href }) => {
        const link = element('a', { href });
        link.append(element('strong', {}, title), element('span', { class: 'hint' }, heading));
        const item = element('li');
        item.append(link);
        return item;
      }),
    );
    status.textContent = words.length === 0 ? '' : found.length === 0 ? 'No results' : `${found.length} results`;
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

/** Returns the words of a text. Names such as `payment_link.paid` are one word. */
function wordsOf(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+(?:\.[\p{L}\p{N}_]+)*/gu) ?? [];
}

/** Returns the index with the words of each entry between blanks, and with all words that can be asked for. */
function prepared({ entries, otherNames }) {
  const spaced = (text) => ` ${wordsOf(text).join(' ')} `;
  const all = entries.map(({ title, heading, text, href }) => {
    // The address of an operation ends with its id.
    const titles = [title, href.replace(/#.*/, '').replace(/.*\//, '')].map(spaced);
    const words = { title: titles.join(''), heading: spaced(heading), text: spaced(text) };
    return { title, heading, href, titles, words };
  });
  const vocabulary = new Set(all.flatMap(({ words }) => Object.values(words).join('').trim().split(/ +/)));
  return { entries: all, vocabulary: [...vocabulary, ...Object.keys(otherNames)], otherNames };
}

/** Returns the entries that contain all words, other names of them, or words that they may be meant for, best first. */
function find({ entries, vocabulary, otherNames }, words) {
  const meant = words.map((word) => {
    const isKnown =
      word in otherNames || entries.some((entry) => strengthIn(Object.values(entry.words).join(''), word) > 0);
    const own = isKnown ? [word] : nearest(word, vocabulary);
    return { own, others: own.flatMap((one) => otherNames[one] ?? []) };
  });
  const perPage = {};
  return entries
    .map((entry) => ({ entry, points: pointsOf(entry, meant, words.join(' ')) }))
    .filter(({ points }) => points > 0)
    .sort((one, other) => other.points - one.points)
    .map(({ entry }) => entry)
    .filter(({ href }) => {
      const [page] = href.split('#');
      perPage[page] = (perPage[page] ?? 0) + 1;
      return perPage[page] <= MAX_PER_PAGE;
    })
    .slice(0, MAX_RESULTS);
}

/** Returns 0 if a word is missing. */
function pointsOf(entry, meant, asked) {
  let sum = (entry.heading === '' ? BEGINNING : 0) + (/\/(changelog|errors|reference)\b/.test(entry.href) ? 0 : GUIDE);
  if (entry.heading === '' && entry.titles.includes(` ${asked} `)) sum += SAME_TITLE;
  for (const { own, others } of meant) {
    const points = Object.entries(WEIGHTS).map(([part, weight]) => {
      const strengths = own.map((word) => strengthIn(entry.words[part], word));
      const hasOther = others.some((word) => strengthIn(entry.words[part], word) > 0);
      return weight * Math.max(...strengths, hasOther ? OTHER_NAME : 0);
    });
    const best = points.reduce((all, one) => all + one);
    if (best === 0) return 0;
    sum += best;
  }
  return sum;
}

/** Short words are found at the beginning of others only: "ip" is not in "recipient". */
function strengthIn(text, word) {
  if (text.includes(` ${word} `)) return WHOLE;
  return text.includes(word.length < WITHIN ? ` ${word}` : word) ? PART : 0;
}

/** Returns the words with the fewest typing errors in them. */
function nearest(word, vocabulary) {
  const allowed = ERRORS.filter((length) => word.length >= length).length;
  const near = vocabulary
    .filter((known) => Math.abs(known.length - word.length) <= allowed)
    .map((known) => ({ known, errors: errorsIn(word, known) }))
    .filter(({ errors }) => errors <= allowed);
  const least = Math.min(...near.map(({ errors }) => errors));
  return near.filter(({ errors }) => errors === least).map(({ known }) => known);
}

/** Counts the letters that are missing, added or wrong, and the neighbors that have changed places. */
function errorsIn(word, known) {
  let before = [];
  let row = [...Array(known.length + 1).keys()];
  for (let i = 1; i <= word.length; i++) {
    const next = [i];
    for (let j = 1; j <= known.length; j++) {
      const wrong = row[j - 1] + (word[i - 1] === known[j - 1] ? 0 : 1);
      next[j] = Math.min(wrong, row[j] + 1, next[j - 1] + 1);
      const areSwapped = i > 1 && j > 1 && word[i - 1] === known[j - 2] && word[i - 2] === known[j - 1];
      if (areSwapped) next[j] = Math.min(next[j], before[j - 2] + 1);
    }
    before = row;
    row = next;
  }
  return row[known.length];
}

/** Shows the samples in the language that the reader chose last, on every page. It comes last, because a browser that blocks storage throws. */
const LANGUAGE = 'paylinks-language';
for (const label of document.querySelectorAll('.tabs label')) {
  if (label.textContent === localStorage.getItem(LANGUAGE)) label.control.checked = true;
  label.control.addEventListener('change', () => localStorage.setItem(LANGUAGE, label.textContent));
}
