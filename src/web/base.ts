/** File of the colors and common parts. The style sheets of hosted pages, documentation and console begin with it. */
export const BASE = new URL('assets/base.css', import.meta.url);
