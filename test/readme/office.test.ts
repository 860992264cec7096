import { expect } from 'chai';
import { prepareOffice } from '../../scripts/office.ts';
import { useService } from '../harness/fixtures.ts';

describe('the practice of make run DEMO=office', function () {
  this.timeout(120_000);
  const service = useService();

  it('the practice has links in all states, and a sign-in address for a person of each role', async () => {
    const first = await prepareOffice(service.config, service.config.databaseUrl);
    const roles = [
      'owner',
      'administrator',
      'billing',
      'front_desk',
      'front_desk of a location',
      'developer',
      'viewer',
    ];
    for (const role of roles) expect(first).to.match(new RegExp(`, ${role} +https://pay.example.com/console/sign-in/`));
    const found = await service.query<{ states: string[] }>(
      `select array_agg(distinct concat_ws(' ', l.status, t.status, d.status, r.status, e.reason)) as states
       from payment_links l left join transactions t on t.payment_link_id = l.id left join disputes d on d.payment_link_id = l.id
         left join refunds r on r.payment_link_id = l.id left join link_resolutions e on e.payment_link_id = l.id`,
    );
    expect(found[0]?.states).to.include.members([
      ...['active', 'cancelled', 'expired', 'expired replaced', 'expired paid_at_desk'],
      ...['paid pending', 'paid failed', 'paid failed replaced', 'paid failed paid_at_desk'],
      ...['paid succeeded', 'paid succeeded succeeded', 'paid succeeded failed', 'paid refunded succeeded'],
      ...['paid succeeded open', 'paid succeeded won', 'paid succeeded lost'],
    ]);
    const again = await prepareOffice(service.config, service.config.databaseUrl);
    expect(again, 'the second start makes no second practice').to.have.lengthOf(first.length);
  });
});
