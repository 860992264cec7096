import { expect } from 'chai';
import { setLock } from '../../src/console/identity/people/members.ts';
import { inTransaction } from '../../src/platform/database/query/transaction.ts';
import { setRecipients } from '../../src/practices/notifications.ts';
import { addMember } from '../console/console.ts';
import { madeForEach, useReceiver, useServiceForEach } from '../harness/fixtures.ts';
import { KeptMails, runJobs as runJobsOf } from '../harness/mails.ts';
import { refuse } from '../harness/receiver.ts';
import {
  createEndpoint,
  deliver,
  ENDPOINTS,
  exhaust,
  followRetrySchedule,
  paidLink,
  ping,
  setExhaustedInARow,
} from '../harness/webhooks.ts';

describe('admin mails about failing endpoints', () => {
  const service = useServiceForEach();
  const practice = madeForEach(() => service.practice());
  const receiver = useReceiver();
  const endpoint = madeForEach(() =>
    createEndpoint(practice.test, receiver.url.replace('/hook', '/hook?token=canary')),
  );
  let mailer: KeptMails;

  beforeEach(() => {
    receiver.answer = refuse(500);
    mailer = new KeptMails();
  });

  const runJobs = () => runJobsOf(service, mailer);

  /** Exhausts one event, as the given one in a row. */
  async function exhaustAs(inARow: number): Promise<void> {
    await setExhaustedInARow(service, endpoint.id, inARow - 1);
    await exhaust(service, service.deliverer(), practice.test, endpoint.id, 1);
  }

  const statusOf = async () => (await practice.test.get(`${ENDPOINTS}/${endpoint.id}`)).body.status;

  it('the administrator gets a warning at 10 and 15 exhausted events in a row, and a mail at 20, when the endpoint is disabled', async () => {
    const seen: [number, number, string][] = [];
    for (const inARow of [9, 10, 14, 15, 19, 20]) {
      await exhaustAs(inARow);
      await runJobs();
      seen.push([inARow, mailer.mails.length, await statusOf()]);
    }
    expect(seen).to.deep.equal([
      [9, 0, 'enabled'],
      [10, 1, 'enabled'],
      [14, 1, 'enabled'],
      [15, 2, 'enabled'],
      [19, 2, 'enabled'],
      [20, 3, 'disabled'],
    ]);
    expect(mailer.mails.map(({ to }) => to)).to.deep.equal(Array(3).fill('admin@elm.example'));
    expect(mailer.mails.map(({ subject }) => subject)).to.deep.equal([
      `Webhook endpoint ${endpoint.id} is failing`,
      `Webhook endpoint ${endpoint.id} is failing`,
      `Webhook endpoint ${endpoint.id} is disabled`,
    ]);
    expect(new Set(mailer.mails.map(({ id }) => id)).size).to.equal(3);
    const text = mailer.mails.at(-1)?.text ?? '';
    expect(text).to.include(endpoint.id).and.include('Host: 127.0.0.1').and.include('20 events in a row');
    expect(text).to.include('"enabled": true').and.include('replay');
    expect(text, 'no path, query or secret').to.not.include('hook?').and.not.include('canary');
    expect(text).to.not.include(endpoint.secret);
  });

  it('events that three deliverers exhaust at once disable the endpoint once and mail once', async () => {
    await setExhaustedInARow(service, endpoint.id, 8);
    for (let event = 0; event < 15; event++) await paidLink(practice.test);
    const deliverers = [service.deliverer(), service.deliverer(), service.deliverer()] as const;
    await followRetrySchedule(service, deliverers[0], endpoint.id, 7);
    service.clock.advance({ hours: 48 });
    for (const deliverer of deliverers) void deliverer.deliver([endpoint.id]);
    await Promise.all(deliverers.map((deliverer) => deliverer.idle()));
    await runJobs();
    expect(await statusOf()).to.equal('disabled');
    expect(mailer.mails.map(({ subject }) => subject.split(' ').at(-1))).to.deep.equal([
      'failing',
      'failing',
      'disabled',
    ]);
  });

  it('the job queue retries a mail that was not accepted; the job has ids and a number only, and its error no address', async () => {
    await exhaustAs(10);
    mailer.failures = 1;
    await runJobs();
    expect(mailer.mails).to.have.length(0);
    const [job] = await service.query<{ payload: object; last_error: string; attempts: number; max_attempts: number }>(
      'update graphile_worker._private_jobs set run_at = now() where last_error is not null returning *',
    );
    expect(job).to.deep.include({ attempts: 1, max_attempts: 20 });
    expect(Object.keys(job?.payload ?? {}).sort()).to.deep.equal(['deliveryId', 'endpointId', 'exhaustedInARow']);
    expect(job?.last_error).to.include('ECONNREFUSED').and.not.include('admin@');
    await runJobs();
    expect(mailer.mails).to.have.length(1);
  });

  it('a delivered event resets the count, so warnings are sent again', async () => {
    await exhaustAs(10);
    receiver.answer = refuse(204);
    await paidLink(practice.test);
    await deliver(service.deliverer(), endpoint.id);
    receiver.answer = refuse(500);
    await exhaust(service, service.deliverer(), practice.test, endpoint.id, 10);
    await runJobs();
    expect(mailer.mails.map(({ id }) => id.split('.').at(-1))).to.deep.equal(['10', '10']);
  });

  it('exhausted pings do not count towards disabling', async () => {
    await setExhaustedInARow(service, endpoint.id, 9);
    await ping(practice.test, endpoint.id);
    await followRetrySchedule(service, service.deliverer(), endpoint.id);
    await runJobs();
    expect(mailer.mails).to.have.length(0);
  });

  it('a locked person gets no mails about endpoints, and neither does one who sees some locations alone', async () => {
    const { practiceId, locationId } = practice;
    const operator = { kind: 'operator' } as const;
    const stays = await addMember(service, practiceId, 'developer');
    const locked = await addMember(service, practiceId, 'developer');
    const limited = await addMember(service, practiceId, 'billing', { locationIds: [locationId] });
    await setLock(service.scope(), operator, { practiceId, id: locked.id }, true);
    const lists = { disputes: [], refunds: [], payments: [], each_payment: [], expired_links: [] };
    const name = (people: { email: string }[]) =>
      inTransaction(service.scope(), (scope) =>
        setRecipients(scope, practiceId, { ...lists, webhooks: people.map(({ email }) => email) }),
      );
    await name([stays, locked, limited]);
    await exhaustAs(10);
    await runJobs();
    await name([locked, limited]);
    await exhaustAs(15);
    await runJobs();
    expect(mailer.mails.map(({ to }) => to)).to.deep.equal([stays.email, 'admin@elm.example']);
  });

  it('no mail is sent about a deleted endpoint', async () => {
    await exhaustAs(10);
    await practice.test.delete(`${ENDPOINTS}/${endpoint.id}`);
    await runJobs();
    expect(mailer.mails).to.have.length(0);
  });
});
