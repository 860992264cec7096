import { encode } from 'uqr';

/** Modules of the quiet zone on each side; ISO/IEC 18004 asks for four. */
const QUIET_ZONE = 4;

/** A QR code as the path of an SVG element with one unit per module. */
export interface QrCode {
  /** Width and height in units, with the quiet zone. */
  size: number;
  path: string;
}

/** Returns the QR code of an address. It stays readable if a seventh of it is dirty. */
export function qrCode(address: string): QrCode {
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
