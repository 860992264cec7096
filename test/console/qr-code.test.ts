import { expect } from 'chai';
import { encode } from 'uqr';
import { qrCode } from '../../src/web/qr-code.ts';

describe('the QR code of a link', () => {
  it('the path of a code draws exactly the dark modules of the address, inside a quiet zone of four', () => {
    for (const address of ['https://pay.example.com/pay/Je2SW2VNaQUTvB66f4iBf3dk5llyU_h_', 'https://a.example']) {
      const { size, path } = qrCode(address);
      const { data } = encode(address, { ecc: 'M', border: 4 });
      const drawn = data.map((row) => row.map(() => false));
      for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1H\1z/g)) {
        for (let place = 0; place < Number(width); place++) {
          const row = drawn[Number(y)];
          if (row !== undefined) row[Number(x) + place] = true;
        }
      }
      expect(drawn).to.deep.equal(data);
      expect(size).to.equal(data.length);
      const margin = [...drawn.slice(0, 4), ...drawn.slice(-4), ...drawn.map((row) => row.slice(0, 4))].flat();
      expect(margin).to.not.include(true);
    }
  });
});
