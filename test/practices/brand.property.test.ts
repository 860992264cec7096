import { expect } from 'chai';
import fc from 'fast-check';
import sharp from 'sharp';
import { parseBrandColor } from '../../src/practices/colors.ts';
import { decodeLogo } from '../../src/practices/logo.ts';

/** Contrast with white, by the formula of WCAG 2.2, written a second time. */
function contrastWithWhite(color: string): number {
  const linear = (at: number) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 1.05 / (0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5) + 0.05);
}

const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe('colors of practices', () => {
  it('a color is taken exactly if white text on it is readable, and the nearest one always is', () => {
    fc.assert(
      fc.property(hex, (color) => {
        const result = parseBrandColor(color.toUpperCase());
        if (result.kind === 'malformed') throw new Error('the color is well formed');
        expect(result.kind === 'color').to.equal(contrastWithWhite(color) >= 4.5);
        const usable = result.kind === 'color' ? result.color : result.nearest;
        expect(contrastWithWhite(usable)).to.be.at.least(4.5);
        expect(parseBrandColor(usable)).to.deep.equal({ kind: 'color', color: usable });
        expect(contrastWithWhite(usable), 'it is no darker than needed').to.be.below(
          result.kind === 'color' ? 21.1 : 4.9,
        );
      }),
    );
  });
});

describe('damaged pictures', () => {
  it('a picture with any changed bytes is either refused or becomes a small PNG', async () => {
    const picture = sharp({ create: { width: 90, height: 60, channels: 4, background: '#0b4f6c80' } });
    const files = await Promise.all(
      [picture.clone().png(), picture.clone().jpeg(), picture.clone().webp()].map((one) => one.toBuffer()),
    );
    const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...files), changes, fc.nat({ max: 40 }), async (file, changed, cut) => {
        const bytes = Uint8Array.from(file.subarray(0, file.length - cut));
        for (const [at, value] of changed) bytes[at % bytes.length] = value;
        const result = await decodeLogo(bytes);
        if (typeof result === 'string') return;
        const { width, height, bytes: encoded } = result;
        expect([width <= 480, height <= 160, encoded.length < 400_000]).to.deep.equal([true, true, true]);
        expect((await sharp(encoded).metadata()).format).to.equal('png');
      }),
      { numRuns: 150 },
    );
  });
});
