import { readFileSync } from 'node:fs';

const bundles = new URL('../../node_modules/redoc/bundles/', import.meta.url);

/** Corrections of Redoc's script. Each text occurs in it exactly once. */
const CORRECTIONS: readonly { text: string; instead: string }[] = [
  // Its logo: the only thing that it loads from another host.
  {
    text: 'https://cdn.redoc.ly/redoc/logo-mini.svg',
    instead: 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E',
  },
  // A colour that no theme changes, with too little contrast in the dark scheme.
  { text: 'color: #0e7c86;', instead: 'color: inherit;' },
  // Browsers would ask for a file that is not served.
  { text: '\n//# sourceMappingURL=redoc.standalone.js.map', instead: '' },
];

/** Returns Redoc's corrected script and its licences, by path. @throws Error if a correction does not fit */
export function readRedoc(): [path: string, text: string][] {
  let script = readFileSync(new URL('redoc.standalone.js', bundles), 'utf8');
  for (const { text, instead } of CORRECTIONS) {
    if (script.split(text).length !== 2) throw new Error(`Redoc has changed: "${text}" is not in it once`);
    script = script.replace(text, instead);
  }
  const licences = readFileSync(new URL('redoc.standalone.js.LICENSE.txt', bundles), 'utf8');
  return [
    ['generated/documentation/redoc.js', script],
    ['generated/documentation/redoc.js.LICENSE.txt', licences],
  ];
}
