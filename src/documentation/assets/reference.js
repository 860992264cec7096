/*
 * Shows the reference in Redoc, in the colours of the page. Redoc's own search needs a script from a blob, which the
 * security policy refuses. The search of the documentation finds operations as well.
 */

const style = getComputedStyle(document.documentElement);
const colour = (name) => style.getPropertyValue(`--${name}`).trim();
const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
const place = document.querySelector('#reference');

Redoc.init(
  place.dataset.contract,
  {
    disableSearch: true,
    hideDownloadButton: true,
    hideLoading: true,
    nativeScrollbars: true,
    theme: {
      colors: {
        primary: { main: colour('brand') },
        text: { primary: colour('ink'), secondary: colour('quiet') },
        border: { dark: colour('edge'), light: colour('line') },
        success: { main: isDark ? '#7fd6a2' : '#17663a' },
        error: { main: isDark ? '#ff9d94' : '#a3231b' },
        responses: {
          success: { color: isDark ? '#7fd6a2' : '#17663a' },
          error: { color: isDark ? '#ff9d94' : '#a3231b' },
        },
      },
      schema: { linesColor: colour('edge'), typeNameColor: colour('quiet'), nestedBackground: colour('surface') },
      typography: {
        fontFamily: 'system-ui, sans-serif',
        headings: { fontFamily: 'system-ui, sans-serif' },
        code: { color: colour('ink'), backgroundColor: colour('surface') },
        links: { color: colour('brand'), visited: colour('brand'), hover: colour('brand') },
      },
      sidebar: { backgroundColor: colour('surface'), textColor: colour('ink'), activeTextColor: colour('brand') },
      rightPanel: { backgroundColor: '#18222a', textColor: '#fff' },
    },
  },
  place,
);

/** Corrects what Redoc renders, so that it can be used by keyboard and by screen readers. */
function correct() {
  // Headings of operations are h2, and those of their parts h5.
  for (const heading of place.querySelectorAll('h5:not([role])')) {
    heading.setAttribute('role', 'heading');
    heading.setAttribute('aria-level', '3');
  }
  for (const wide of place.querySelectorAll('pre:not([tabindex]), table:not([tabindex])')) wide.tabIndex = 0;
}

// Redoc adds parts when a reader opens them.
new MutationObserver(correct).observe(place, { childList: true, subtree: true });
