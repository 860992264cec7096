/* Names of browser and system. The header itself is not stored: it is long, and could identify a device. */

/** Marks in the header `User-Agent`, in this order: browsers also name browsers that they resemble. */
const BROWSERS = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/\S+.* Safari\//, 'Safari'],
] as const;

const SYSTEMS = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** Longest header that is looked at. Browsers send some 150 characters. */
const MAX_LENGTH = 512;

/** Returns browser and system, such as `Firefox, Windows`, or the one of both that the header names; null if it names none. */
export function deviceName(userAgent: string): string | null {
  const text = userAgent.slice(0, MAX_LENGTH);
  const names = [BROWSERS, SYSTEMS].flatMap((marks) => marks.find(([mark]) => mark.test(text))?.[1] ?? []);
  return names.length === 0 ? null : names.join(', ');
}
