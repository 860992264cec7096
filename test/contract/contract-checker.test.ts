import { expect } from 'chai';
import { document } from '../../src/contract/document.ts';
import { valueAt } from '../../src/contract/json-pointer.ts';
import { ContractChecker, type ResponseSeen } from '../contract-checker/contract-checker.ts';

const LIMITS = { 'ratelimit-limit': '120', 'ratelimit-remaining': '119', 'ratelimit-reset': '60' };
const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'request-id': 'req_1', ...LIMITS };

function example(name: string) {
  return Object(valueAt(document, `#/components/examples/${name}/value`));
}

function error(code: string, requestId = 'req_1'): string {
  return JSON.stringify({ error: { code, message: 'No.', param: null, requestId } });
}

function linkSeen(changes: object = {}): ResponseSeen {
  const body = JSON.stringify({ ...example('PaymentLinkPaid'), ...changes });
  return { operationId: 'getPaymentLink', status: 200, headers: HEADERS, body };
}

describe('The contract checker', () => {
  const checker = new ContractChecker();
  const faultsOf = (seen: ResponseSeen) => checker.checkResponse(seen).join('\n');

  it('the contract checker finds nothing wrong with documented exchanges', () => {
    expect(faultsOf(linkSeen())).to.equal('');
    expect(faultsOf({ ...linkSeen(), status: 404, body: error('not_found') })).to.equal('');
    expect(faultsOf({ ...noContent, headers: { 'request-id': 'req_1', ...LIMITS } })).to.equal('');
  });

  const noContent: ResponseSeen = { operationId: 'deleteWebhookEndpoint', status: 204, headers: HEADERS, body: '' };
  const withHeaders = (changes: object): ResponseSeen => ({ ...linkSeen(), headers: { ...HEADERS, ...changes } });
  const refused = (status: number, body: string): ResponseSeen => ({ ...linkSeen(), status, body });

  for (const [what, seen, fault] of [
    ['a status that is not documented', refused(202, ''), 'getPaymentLink 202: the status is not documented'],
    ['a media type that is not documented', withHeaders({ 'content-type': 'text/html' }), 'text/html'],
    ['a body that is no JSON', { ...linkSeen(), body: '<html>' }, 'not JSON'],
    ['a body where there should be none', { ...noContent, body: '{}' }, 'none is documented'],
    ['a header that is missing', withHeaders({ 'request-id': undefined }), 'Request-Id'],
    ['a header that is malformed', withHeaders({ 'ratelimit-reset': '1.5' }), 'RateLimit-Reset'],
    ['a header that is not documented', withHeaders({ 'retry-after': '3' }), 'Retry-After'],
    ['a header of another status', refused(401, error('invalid_api_key')), 'RateLimit-Limit is not documented here'],
    ['a property that is missing', linkSeen({ paidAt: undefined }), 'paidAt'],
    ['a property with a wrong value', linkSeen({ status: 'open' }), '/status'],
    ['a property that is not documented', linkSeen({ practiceId: 'prac_1' }), 'practiceId'],
    ['an undocumented property of a property', linkSeen({ location: { id: 'l', name: 'A', city: 'B' } }), 'city'],
    ['an error code that this operation cannot give', refused(404, error('link_not_active')), 'link_not_active'],
    ['a request id that is another', refused(404, error('not_found', 'req_2')), 'error.requestId'],
  ] as const) {
    it(`the contract checker reports ${what}`, () => {
      expect(faultsOf(seen)).to.include(fault);
    });
  }

  it('the contract checker reports a secret outside creation and rotation', () => {
    const body = JSON.stringify(example('WebhookEndpointWithSecret'));
    const shown: ResponseSeen = { operationId: 'createWebhookEndpoint', status: 201, headers: HEADERS, body };
    expect(faultsOf(shown)).to.equal('');
    expect(faultsOf({ ...shown, operationId: 'getWebhookEndpoint', status: 200 })).to.include('secret');
  });

  it('the contract checker requires the envelope, the request id, and Allow with 405, where a request names no operation', () => {
    const headers = { 'content-type': 'application/json', 'request-id': 'req_1' };
    const unknown: ResponseSeen = { operationId: null, status: 404, headers, body: error('not_found') };
    expect(faultsOf(unknown)).to.equal('');
    expect(faultsOf({ ...unknown, body: 'Not Found' })).not.to.equal('');
    expect(faultsOf({ ...unknown, status: 405, body: error('method_not_allowed') })).to.include('Allow');
    expect(faultsOf({ ...unknown, status: 200 })).to.include('success');
  });

  it('the contract checker looks into the payload of a delivery', () => {
    const delivery = example('WebhookDeliveryDetail');
    const seen: ResponseSeen = { operationId: 'getWebhookDelivery', status: 200, headers: HEADERS, body: '' };
    expect(faultsOf({ ...seen, body: JSON.stringify(delivery) })).to.equal('');
    const payload = delivery.payload.replace('"data":{}', '"data":{"a":1}');
    expect(faultsOf({ ...seen, body: JSON.stringify({ ...delivery, payload }) })).not.to.equal('');
  });
});

describe('The contract checker on webhooks', () => {
  const checker = new ContractChecker();

  function webhook(changes: object = {}, headers: object = {}) {
    const event = { ...example('PaymentLinkRefundedEvent'), ...changes };
    const own = {
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Webhooks/1.0',
      'Service-Event-Id': event.id,
      'Service-Event-Type': event.type,
      'Service-Signature': `t=1795187106,v1=${'0a'.repeat(32)}`,
    };
    return checker.checkWebhook({ headers: { ...own, ...headers }, body: JSON.stringify(event) }).join('\n');
  }

  it('the contract checker finds nothing wrong with a documented event, signed with one secret or two', () => {
    expect(webhook()).to.equal('');
    const two = `t=1795187106,v1=${'0a'.repeat(32)},v1=${'1b'.repeat(32)}`;
    expect(webhook({}, { 'Service-Signature': two })).to.equal('');
  });

  const { data } = example('PaymentLinkRefundedEvent');

  for (const [what, changes, headers, fault] of [
    ['a type that is not documented', { type: 'payment_link.sold' }, {}, 'not documented'],
    ['a context with a wrong value', { data: { ...data, context: { refundAmount: '25' } } }, {}, 'refundAmount'],
    ['a context of another type', { data: { ...data, context: { triggeredBy: 'staff' } } }, {}, 'triggeredBy'],
    ['a member that is not documented', { practiceId: 'prac_1' }, {}, 'practiceId'],
    ['another media type', {}, { 'Content-Type': 'application/json; charset=utf-8' }, 'Content-Type'],
    ['a header that is missing', {}, { 'User-Agent': undefined }, 'User-Agent'],
    ['a header that is malformed', {}, { 'Service-Signature': 'v1=00' }, 'Service-Signature'],
    ['an id that contradicts the body', {}, { 'Service-Event-Id': 'evt_other' }, 'Service-Event-Id'],
    ['a type that contradicts the body', {}, { 'Service-Event-Type': 'ping' }, 'Service-Event-Type'],
  ] as const) {
    it(`the contract checker reports a webhook with ${what}`, () => {
      expect(webhook(changes, headers)).to.include(fault);
    });
  }
});
