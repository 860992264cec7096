/* Colors of practices. WCAG 2.2 asks for a contrast of 4.5 : 1 (criterion 1.4.3) between buttons and their white text. */

const LEAST_CONTRAST = 4.5;

/** Contrast of white on black is 21; both luminances are raised by this share of flare. */
const FLARE = 0.05;

/** A color that a practice chose, or the reason why it cannot have it. */
type BrandColor =
  | { kind: 'color'; color: string }
  | { kind: 'malformed' }
  /** White text on it is hard to read. `nearest` is the same hue, as little darker as needed. */
  | { kind: 'too_light'; nearest: string };

/** Checks a color of the form `#0b4f6c`, in any case and with or without `#`. */
export function parseBrandColor(text: string): BrandColor {
  const [, digits] = /^#?([0-9a-f]{6})$/i.exec(text.trim()) ?? [];
  if (digits === undefined) return { kind: 'malformed' };
  const channels = parseChannels(digits);
  if (isReadable(channels)) return { kind: 'color', color: hex(channels) };
  return { kind: 'too_light', nearest: hex(darkenUntilReadable(channels)) };
}

/** Returns a darker shade of a color of the form `#0b4f6c`, for a button under the pointer. */
export function darker(color: string): string {
  return hex(parseChannels(color.slice(1)).map((channel) => Math.round(channel * 0.8)));
}

/** Scales the channels in steps of one shade. The end of the loop is black, on which white is readable. */
function darkenUntilReadable(channels: readonly number[]): number[] {
  for (let shade = 254; shade > 0; shade--) {
    const darker = channels.map((channel) => Math.round((channel * shade) / 255));
    if (isReadable(darker)) return darker;
  }
  return [0, 0, 0];
}

function parseChannels(digits: string): number[] {
  return [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16));
}

function isReadable(channels: readonly number[]): boolean {
  return (1 + FLARE) / (luminance(channels) + FLARE) >= LEAST_CONTRAST;
}

/** Relative luminance of an sRGB color, as WCAG 2.2 defines it: 0 for black, 1 for white. */
function luminance(channels: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function hex(channels: readonly number[]): string {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
