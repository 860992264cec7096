import { expect } from 'chai';
import { handleDueNotifications } from '../../src/payment-links/payments/notifications.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { useService } from '../harness/fixtures.ts';
import { noAnswer, Payments } from '../harness/payments.ts';

describe('retries of a notification that fails', () => {
  const captured = new CapturedLog();
  const service = useService({ log: captured.log });
  const payments = new Payments(service);

  /** A notification about a payment that the sandbox can't be asked about. */
  async function arrives(): Promise<string> {
    const { id, link } = { id: `msg_${Math.random()}`, link: await payments.link(await service.practice()) };
    await payments.pay(link, 'card_challenge');
    const { reference, account } = await payments.payment(link);
    await service.query(
      `insert into processor_notifications (processor, id, account_id, subject, received_at, due_at)
       values ('sandbox', $1, $2, $3, $4, $4)`,
      [id, account, JSON.stringify({ kind: 'payment', reference }), service.clock.now()],
    );
    return id;
  }

  /** One try; returns whether it is to be tried again. */
  async function tried(id: string): Promise<boolean> {
    await handleDueNotifications(() => ({
      ...service.scope(),
      processor: { ...payments.sandbox, retrieve: noAnswer },
      ...separately,
    }));
    const [row] = await service.query<{ due: Date | null }>(
      'select due_at as due from processor_notifications where id = $1',
      [id],
    );
    return row?.due !== null;
  }

  it('a failing notification is tried at least ten times, even after days without a worker', async () => {
    const id = await arrives();
    service.clock.advance({ days: 5 });
    for (let time = 1; time < 10; time++) {
      expect(await tried(id), `after ${time} tries`).to.equal(true);
      service.clock.advance({ hours: 1 });
    }
    expect(captured.take('processor notification dropped after its last try')).to.deep.equal([]);
    expect(await tried(id)).to.equal(false);
    const [line] = captured.take('processor notification dropped after its last try');
    expect(line).to.include({ notificationId: id, kind: 'payment', tries: 10, level: 50 });
  });

  it('a failing notification is tried for three days, whatever the number of tries', async () => {
    const id = await arrives();
    for (let hour = 0; hour < 72; hour++) {
      expect(await tried(id), `after ${hour} hours`).to.equal(true);
      service.clock.advance({ hours: 1 });
    }
    service.clock.advance({ hours: 1 });
    expect(await tried(id)).to.equal(false);
  });
});
