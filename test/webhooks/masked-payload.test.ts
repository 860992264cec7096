import { expect } from 'chai';
import fc from 'fast-check';
import events from '../../packages/paylinks-dev/events.json' with { type: 'json' };
import { personalFields } from '../../src/contract/fields.ts';
import { MASK, maskPayload } from '../../src/webhooks/events/masked-payload.ts';

/** Returns all texts and numbers of a value below names that the contract marks as personal. */
function personalValues(value: unknown, isPersonal = false): unknown[] {
  if (typeof value !== 'object' || value === null) return isPersonal && value !== null ? [value] : [];
  return Object.entries(value).flatMap(([name, field]) =>
    personalValues(field, isPersonal || (personalFields.has(name) && !Array.isArray(value))),
  );
}

describe('the masked payload', () => {
  it('the masked payload of every type has no value of a field that the contract marks as personal, and no address of a page', () => {
    for (const [type, event] of Object.entries(events)) {
      const masked = maskPayload(JSON.stringify(event));
      const hidden = personalValues(event);
      if (type !== 'ping') expect(hidden, type).to.have.length.above(5);
      for (const value of [...hidden, 'https://pay.', 'invoice-', '6789']) {
        expect(masked, `${type}: ${value}`).to.not.include(`${value}`);
      }
      expect(JSON.parse(masked), type).to.deep.include({ id: event.id, type, createdAt: event.createdAt });
    }
  });

  it('a developer still sees states, amounts and times, and which values are hidden', () => {
    const { data } = JSON.parse(maskPayload(JSON.stringify(events['payment_link.failed'])));
    const { paymentLink: link } = events['payment_link.failed'].data;
    expect(data.paymentLink).to.deep.include({ id: link.id, status: link.status, amount: link.amount, url: MASK });
    expect(data.paymentLink.patient).to.deep.include({ firstName: MASK, email: MASK });
    expect(data.context).to.deep.equal(events['payment_link.failed'].data.context);
  });

  it('the reason of a refund is masked, because people type it and may name the patient; the word of the bank is shown', () => {
    const reasonOf = (reason: string) => {
      const refund = { id: 're_1', object: 'refund', amount: 25, status: 'succeeded', reason };
      const event = { data: { paymentLink: { refunds: [refund] }, context: { reason } } };
      const { data } = JSON.parse(maskPayload(JSON.stringify(event)));
      return [data.paymentLink.refunds[0].reason, data.context.reason];
    };
    expect(reasonOf('Ada Byron moved to Leeds')).to.deep.equal([MASK, MASK]);
    expect(reasonOf('bank_reversal')).to.deep.equal(['bank_reversal', 'bank_reversal']);
  });

  it('a name that the contract does not have yet is masked with all below it, at every depth', () => {
    const anywhere = fc.constantFrom('root', 'data', 'paymentLink', 'patient', 'transaction', 'refunds', 'context');
    fc.assert(
      fc.property(anywhere, fc.string({ minLength: 1 }), fc.jsonValue(), (place, name, value) => {
        fc.pre(!['__proto__', 'data', 'location', 'refunds', 'context', 'transaction', 'paymentLink'].includes(name));
        const secret = { [`new ${name}`]: { id: 'CANARY', name: 'CANARY', value: [value, 'CANARY'] } };
        const patient = {
          firstName: 'CANARY',
          ...(place === 'patient' && { name: 'CANARY', id: 'CANARY', ...secret }),
        };
        const link = { patient, refunds: [place === 'refunds' ? secret : {}], ...(place === 'paymentLink' && secret) };
        const data = {
          paymentLink: link,
          context: place === 'context' ? secret : null,
          ...(place === 'data' && secret),
        };
        expect(maskPayload(JSON.stringify({ data, ...(place === 'root' && secret) }))).to.not.include('CANARY');
      }),
    );
  });

  it('a payload that is no JSON object is masked as a whole', () => {
    for (const payload of ['CANARY', '"CANARY"', '["CANARY"]', '{"CANARY', '42']) {
      expect(maskPayload(payload)).to.not.match(/CANARY|42/);
    }
  });
});
