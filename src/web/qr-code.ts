import { encode } from 'uqr';
import { type Block, element } from './html.ts';

/** Modules of the quiet zone on each side; ISO/IEC 18004 asks for four. */
const QUIET_ZONE = 4;

/** Returns a QR code as the path of an SVG element with one unit per module, and its width in units. A seventh may be dirty. */
export function qrCode(address: string) {
  const { data, size } = encode(address, { ecc: 'M', border: QUIET_ZONE });
  // One rectangle per run of dark modules keeps the page small.
  const runs = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => {
      if (!isDark || row[x - 1] === true) return [];
      const end = row.findIndex((dark, place) => place > x && !dark);
      return `M${x} ${y}h${(end === -1 ? row.length : end) - x}v1H${x}z`;
    }),
  );
  return { size, path: runs.join('') };
}

/** Returns a QR code as a picture with a name. */
export function qrPicture(url: string, name: string): Block {
  const { size, path } = qrCode(url);
  const look = { class: 'qr-code', viewBox: `0 0 ${size} ${size}`, width: 192, height: 192 };
  const attributes = { ...look, role: 'img', 'aria-label': name, 'shape-rendering': 'crispEdges' };
  const background = element('rect', { width: size, height: size, fill: '#fff' });
  return element('svg', attributes, background, element('path', { d: path, fill: '#000' }));
}
