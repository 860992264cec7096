import { expect } from 'chai';
import { startServer } from '../../src/main/processes/serve.ts';
import { ApiError } from '../../src/platform/base/errors.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { DatabaseUnavailable } from '../../src/platform/database/query/errors.ts';
import { ProcessorUnavailable } from '../../src/processors/processor.ts';
import { linkPage, tokenOf } from './fixtures/scripted-pages.ts';
import { payment, usePages } from './fixtures/started-pages.ts';

describe('refusals and errors of hosted pages', () => {
  const started = usePages({ PUBLIC_URL: 'https://pay.example.com/base/' });

  describe('refusals', () => {
    it('a refused method is answered with the allowed methods', async () => {
      const path = started.pages.put(linkPage());
      for (const [method, where, allow] of [
        ['POST', path, 'GET, HEAD'],
        ['DELETE', path, 'GET, HEAD'],
        ['GET', `${path}/submit`, 'POST'],
        ['PUT', `${path}/submit`, 'POST'],
      ] as const) {
        const response = await started.get(where, { method });
        expect([response.status, response.headers.get('allow')]).to.deep.equal([405, allow]);
        expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      }
      expect(started.pages.asked).to.deep.equal([]);
    });

    it('a form from another site is refused', async () => {
      const path = `${started.pages.put(linkPage())}/submit`;
      const cases: [headers: Record<string, string>, status: number][] = [
        [{ 'sec-fetch-site': 'cross-site' }, 403],
        [{ 'sec-fetch-site': 'same-site' }, 403],
        [{ 'sec-fetch-site': 'none' }, 403],
        [{ origin: 'https://evil.example' }, 403],
        [{ origin: 'https://pay.example.com.evil.example' }, 403],
        [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, 303],
        [{ origin: 'https://pay.example.com' }, 303],
        [{ origin: started.baseUrl }, 303],
        [{ origin: 'null' }, 303],
        [{}, 303],
      ];
      for (const [headers, status] of cases) {
        expect((await started.post(path, payment(), headers)).status, JSON.stringify(headers)).to.equal(status);
      }
    });

    it('a body that is not one of our forms is refused', async () => {
      const path = `${started.pages.put(linkPage())}/submit`;
      const cases: [body: string, headers: Record<string, string>, status: number][] = [
        ['{}', { 'content-type': 'application/json' }, 415],
        ['a=b', { 'content-type': 'multipart/form-data; boundary=x' }, 415],
        ['a=b', { 'content-type': 'application/x-www-form-urlencoded; charset=utf-16' }, 415],
        ['a=b', { 'content-encoding': 'gzip' }, 415],
        ['lang=en&lang=es', {}, 400],
        ['a=\u00ff', {}, 400],
        ['a=\u0000', {}, 400],
        [`a=${'x'.repeat(8_200)}`, {}, 413],
      ];
      for (const [body, headers, status] of cases) {
        const response = await started.post(path, body, headers);
        expect(response.status, body.slice(0, 20)).to.equal(status);
        expect(await response.text())
          .to.include('This request has taken no money')
          .and.not.match(/\bat .*\.ts/);
      }
      expect((await started.post(path, '%zz=%&=&&lang')).status).to.equal(422);
      expect(started.pages.asked).to.deep.equal([]);
    });

    it('a body of unknown length is refused when it exceeds the limit', async () => {
      const path = `${started.pages.put(linkPage())}/submit`;
      const body = new ReadableStream({
        start(controller) {
          for (let part = 0; part < 20; part++) controller.enqueue(new TextEncoder().encode('x'.repeat(1_000)));
          controller.close();
        },
      });
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const response = await started.get(path, { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
      expect(response.status).to.equal(413);
    });

    it('the 61st form of one address in a minute is refused with the time to wait', async () => {
      const path = `${started.pages.put(linkPage())}/resume`;
      for (let sent = 0; sent < 60; sent++) expect((await started.post(path, {})).status).to.equal(303);
      const response = await started.post(path, {});
      expect(response.status).to.equal(429);
      expect(response.headers.get('retry-after')).to.equal('60');
      expect(await response.text()).to.include('Wait a minute');
      expect((await started.get(path.replace('/resume', ''))).status).to.equal(200);
      started.service.clock.advance({ seconds: 60 });
      expect((await started.post(path, {})).status).to.equal(303);
    });

    it('the 601st view of one address in a minute is refused, also of pages that do not exist, so that nobody guesses at will', async () => {
      const path = started.pages.put(linkPage());
      started.service.clock.advance({ seconds: 60 });
      for (let guessed = 0; guessed < 600; guessed += 50) {
        const guesses = Array.from({ length: 50 }, (_, n) => `/pay/guess-of-a-token-${guessed + n}`);
        const statuses = await Promise.all(guesses.map(async (guess) => (await started.get(guess)).status));
        expect([...new Set(statuses)]).to.deep.equal([404]);
      }
      const response = await started.get(path);
      expect([response.status, response.headers.get('retry-after')]).to.deep.equal([429, '60']);
      started.service.clock.advance({ seconds: 60 });
      expect((await started.get(path)).status).to.equal(200);
    });
  });

  describe('faults', () => {
    it('an error is answered with a page that refers to the link’s page and shows no trace', async () => {
      const path = started.pages.put(linkPage());
      const cases: [fault: Error, status: number][] = [
        [new Error('secret cause'), 500],
        [new ApiError('service_unavailable'), 503],
        [new ProcessorUnavailable(new Error('secret cause')), 503],
        [new DatabaseUnavailable(new Error('secret cause')), 503],
      ];
      for (const [fault, status] of cases) {
        started.pages.next = { result: fault };
        const response = await started.post(`${path}/submit`, payment());
        expect(response.status).to.equal(status);
        const wait = response.headers.get('retry-after');
        if (status === 503) expect(Number(wait)).to.be.within(5, 10);
        else expect(wait).to.equal(null);
        expect(response.headers.get('content-security-policy')).to.include("default-src 'none'");
        expect(await response.text())
          .to.include('whether money was taken')
          .and.not.match(/secret|\.ts/);
      }
      started.pages.fault = new Error('secret cause');
      expect((await started.get(path)).status).to.equal(500);
    });

    it('no token of a link appears in the log', async () => {
      const lines: string[] = [];
      const log = createLogger('trace', [], { write: (line) => void lines.push(line) });
      const { service, pages } = started;
      const server = await startServer(service.config, log, { clock: service.clock, pageService: () => pages });
      const path = pages.put(linkPage());
      const at = `http://127.0.0.1:${server.port}${path}`;
      const form = { method: 'POST', body: new URLSearchParams(payment()), redirect: 'manual' } as const;
      try {
        await fetch(`${at}?lang=es`);
        await fetch(`${at}x`);
        await fetch(`${at}/submit`, form);
        pages.next = { result: new Error('cause') };
        await fetch(`${at}/submit`, form);
      } finally {
        await server.close();
      }
      expect(lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')).to.have.length(4);
      expect(lines.join('')).to.not.include(tokenOf('payable')).and.not.include('/pay/');
      expect(lines.join('')).to.include('"operationId":"page.submit"');
    });
  });
});
