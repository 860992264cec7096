/** File of the colors. The style sheets of hosted pages, documentation and console begin with it. */
export const PALETTE = new URL('assets/palette.css', import.meta.url);
