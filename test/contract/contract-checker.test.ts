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
    const gone = { 'request-id': 'req_1', ...LIMITS };
    expect(faultsOf({ operationId: 'deleteWebhookEndpoint', status: 204, headers: gone, body: '' })).to.equal('');
  });

  it('the contract checker accepts a 429 before the key was known, and one after', () => {
    const refused = { ...linkSeen(), status: 429, body: error('rate_limited') };
    const before = { 'content-type': 'application/json', 'request-id': 'req_1', 'retry-after': '3' };
    expect(faultsOf({ ...refused, headers: before })).to.equal('');
    expect(faultsOf({ ...refused, headers: { ...before, ...LIMITS } })).to.equal('');
  });

  it('the contract checker reports a status that is not documented', () => {
    expect(faultsOf({ ...linkSeen(), status: 202 })).to.include('getPaymentLink 202: the status is not documented');
  });

  it('the contract checker reports a media type that is not documented, a body that is no JSON, and one where there should be none', () => {
    expect(faultsOf({ ...linkSeen(), headers: { ...HEADERS, 'content-type': 'text/html' } })).to.include('text/html');
    expect(faultsOf({ ...linkSeen(), body: '<html>' })).to.include('not JSON');
    const deleted: ResponseSeen = { operationId: 'deleteWebhookEndpoint', status: 204, headers: HEADERS, body: '{}' };
    expect(faultsOf(deleted)).to.include('none is documented');
  });

  it('the contract checker reports a header that is missing, malformed, or not documented', () => {
    expect(faultsOf({ ...linkSeen(), headers: { ...HEADERS, 'request-id': undefined } })).to.include('Request-Id');
    expect(faultsOf({ ...linkSeen(), headers: { ...HEADERS, 'ratelimit-reset': '1.5' } })).to.include(
      'RateLimit-Reset',
    );
    expect(faultsOf({ ...linkSeen(), headers: { ...HEADERS, 'retry-after': '3' } })).to.include('Retry-After');
    const unauthorized = { ...linkSeen(), status: 401, body: error('invalid_api_key') };
    expect(faultsOf(unauthorized)).to.include('RateLimit-Limit is not documented here');
  });

  it('the contract checker reports missing, wrong and undocumented properties of a body', () => {
    expect(faultsOf(linkSeen({ paidAt: undefined }))).to.include('paidAt');
    expect(faultsOf(linkSeen({ status: 'open' }))).to.include('/status');
    expect(faultsOf(linkSeen({ practiceId: 'prac_1' }))).to.include('practiceId');
    expect(faultsOf(linkSeen({ location: { id: 'loc_1', name: 'A', city: 'B' } }))).to.include('city');
  });

  it('the contract checker reports a secret outside creation and rotation', () => {
    const body = JSON.stringify(example('WebhookEndpointWithSecret'));
    const shown: ResponseSeen = { operationId: 'createWebhookEndpoint', status: 201, headers: HEADERS, body };
    expect(faultsOf(shown)).to.equal('');
    expect(faultsOf({ ...shown, operationId: 'getWebhookEndpoint', status: 200 })).to.include('secret');
  });

  it('the contract checker reports an error code that this operation cannot give, and a request id that is another', () => {
    const conflict = { ...linkSeen(), status: 404 };
    expect(faultsOf({ ...conflict, body: error('link_not_active') })).to.include('link_not_active');
    expect(faultsOf({ ...conflict, body: error('not_found', 'req_2') })).to.include('error.requestId');
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

  it('the contract checker lists the responses that no test exercised', () => {
    const fresh = new ContractChecker();
    expect(fresh.neverExercised()).to.include.members(['getPaymentLink 200', 'getPaymentLink 404']);
    fresh.checkResponse(linkSeen());
    fresh.checkResponse({ ...linkSeen(), status: 403, body: error('insufficient_scope') });
    expect(fresh.neverExercised()).not.to.include.members(['getPaymentLink 200', 'getPaymentLink 403']);
    expect(fresh.neverExercised()).to.include('getPaymentLink 404');
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

  it('the contract checker reports a type, a context or a member that is not documented', () => {
    const { data } = example('PaymentLinkRefundedEvent');
    expect(webhook({ type: 'payment_link.sold' })).to.include('not documented');
    expect(webhook({ data: { ...data, context: { refundAmount: '25' } } })).to.include('refundAmount');
    expect(webhook({ data: { ...data, context: { refundAmount: 25, triggeredBy: 'staff' } } })).to.include(
      'triggeredBy',
    );
    expect(webhook({ practiceId: 'prac_1' })).to.include('practiceId');
  });

  it('the contract checker reports headers that are missing, malformed, or contradict the body', () => {
    expect(webhook({}, { 'Content-Type': 'application/json; charset=utf-8' })).to.include('Content-Type');
    expect(webhook({}, { 'User-Agent': undefined })).to.include('User-Agent');
    expect(webhook({}, { 'Service-Signature': 'v1=00' })).to.include('Service-Signature');
    expect(webhook({}, { 'Service-Event-Id': 'evt_other' })).to.include('Service-Event-Id');
    expect(webhook({}, { 'Service-Event-Type': 'ping' })).to.include('Service-Event-Type');
  });
});
