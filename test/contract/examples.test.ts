import { expect } from 'chai';
import { document } from '../../src/contract/document.ts';
import { valueAt } from '../../src/contract/json-pointer.ts';
import { useService } from '../harness/fixtures.ts';
import { outcome } from '../harness/refusal.ts';
import { idempotent, type TestPractice } from '../harness/service.ts';

const example = (name: string) => Object(valueAt(document, `#/components/examples/${name}/value`));

describe('The examples of a first link', () => {
  const service = useService();
  let practice: TestPractice;

  before(async () => {
    service.clock.set('2026-11-20T15:04:05.000Z');
    practice = await service.practice();
  });

  /** Sends an example of the contract, with a location of this practice. */
  const sent = (body: object) =>
    practice.test.post(
      '/api/v1/payment-links',
      'locationId' in body ? { ...body, locationId: practice.locationId } : body,
      idempotent(),
    );

  it('the examples of a first link make a link in a practice with several locations, the one without locationId excepted', async () => {
    await service.location(practice.practiceId, 'Harbor');
    for (const body of [example('CreatePaymentLinkMinimal'), example('CreatePaymentLinkComplete')]) {
      expect(outcome(await sent(body))).to.equal('201');
    }
    const single = example('CreatePaymentLinkSingleLocation');
    expect(outcome(await sent(single))).to.equal('400 validation_error locationId');
    practice = await service.practice();
    expect(outcome(await sent(single))).to.equal('201');
  });
});
