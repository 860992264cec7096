import { expect } from 'chai';
import { useService } from '../harness/fixtures.ts';
import { sendRaw } from '../harness/raw.ts';

const PATH = '/processor/notifications/sandbox';

describe('the address for notifications of the processor', () => {
  const service = useService();

  for (const [what, head] of [
    ['of a length that says so', `Content-Length: 300000\r\n\r\n${'x'.repeat(300_000)}`],
    [
      'without a length',
      `Transfer-Encoding: chunked\r\n\r\n${`10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(5)}0\r\n\r\n`,
    ],
  ] as const) {
    it(`a body too large, ${what}, is answered 413 before the connection is closed`, async () => {
      const { status, headers, body } = await sendRaw(service.baseUrl, `POST ${PATH} HTTP/1.1\r\nHost: x\r\n${head}`);
      expect([status, headers.connection]).to.deep.equal([413, 'close']);
      expect(JSON.parse(body).error.code).to.equal('payload_too_large');
    });
  }

  it('the address for notifications of the processor answers 400 to a notification without valid signature, and 404 to another processor', async () => {
    const post = async (path: string) =>
      (await fetch(`${service.baseUrl}${path}`, { method: 'POST', body: '{}' })).status;
    expect([await post(PATH), await post('/processor/notifications/stripe')]).to.deep.equal([400, 404]);
  });
});
