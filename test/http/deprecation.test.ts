import { expect } from 'chai';
import { deprecationHeaders } from '../../src/contract/deprecations.ts';
import { document } from '../../src/contract/document.ts';
import { useService } from '../harness/fixtures.ts';
import { createLink, idempotent, linkBody } from '../harness/service.ts';

const LINKS = '/api/v1/payment-links';
const GUIDE = '<https://pay.example.com/docs/versioning#deprecation>; rel="deprecation"; type="text/html"';

/** Returns our contract with a deprecated operation, query parameter and field of a body. */
function deprecated(marks: object = { 'x-deprecated-since': '2027-01-15', 'x-sunset': '2028-02-01' }) {
  const contract = structuredClone(document);
  const { post, get } = Object(contract.paths?.[LINKS]);
  const cancel = Object(contract.paths?.[`${LINKS}/{id}/cancel`]).post;
  const { properties } = Object(contract.components?.schemas?.CreatePaymentLinkPatient);
  const status = get.parameters.find(({ name }: { name?: string }) => name === 'status');
  for (const part of [cancel, status]) Object.assign(part, { deprecated: true, ...marks });
  Object.assign(properties.externalId, { deprecated: true, 'x-deprecated-since': '2026-12-01' });
  expect(post.operationId).to.equal('createPaymentLink');
  return contract;
}

describe('deprecated parts of the contract', () => {
  const service = useService({ announced: deprecated() });

  it('a deprecated operation, parameter and field are announced to the requests that use them, also if these fail', async () => {
    const { test } = await service.practice();
    const patient = { firstName: 'Ada', lastName: 'Moreno', externalId: 'MRN-1' };
    const link = await createLink(test);
    const both = {
      deprecation: `@${Date.UTC(2027, 0, 15) / 1_000}`,
      sunset: 'Tue, 01 Feb 2028 00:00:00 GMT',
      link: GUIDE,
    };
    const field = { deprecation: `@${Date.UTC(2026, 11, 1) / 1_000}`, link: GUIDE };
    for (const [reply, headers] of [
      [await test.post(`${LINKS}/${link.id}/cancel`), both],
      [await test.post(`${LINKS}/plink_unknown/cancel`), both],
      [await test.get(`${LINKS}?status=paid`), both],
      [await test.post(LINKS, linkBody({ patient }), idempotent()), field],
      [await test.post(LINKS, linkBody({ patient, amount: 0 }), idempotent()), field],
      [await test.get(LINKS), {}],
      [await test.post(LINKS, linkBody(), idempotent()), {}],
    ] as const) {
      const { deprecation, sunset, link: guide } = reply.headers;
      const sent = Object.entries({ deprecation, sunset, link: guide }).filter(([, value]) => value !== undefined);
      expect(Object.fromEntries(sent), reply.text).to.deep.equal(headers);
    }
  });

  it('a deprecated part must say since when, and may end a year later at the earliest', () => {
    expect(() => deprecationHeaders(deprecated({}), '')).to.throw('x-deprecated-since');
    const soon = { 'x-deprecated-since': '2027-01-15', 'x-sunset': '2028-01-14' };
    expect(() => deprecationHeaders(deprecated(soon), '')).to.throw('a year later');
    expect(deprecationHeaders(document, '')('listLocations', { query: {}, body: undefined })).to.deep.equal({});
  });
});
