import { expect } from 'chai';
import { type PatientVisit, recordPatientView } from '../../src/console/routing/patient-views.ts';
import type { Reply, Route } from '../../src/console/routing/route.ts';
import { findSession, startSession } from '../../src/console/sign-in/sessions.ts';
import { query } from '../harness/database.ts';
import { type TestPractice, TestService } from '../harness/service.ts';
import { addUser } from './console.ts';

const PAGE: Reply = { kind: 'page', template: 'home', title: 'A link', view: {} };

describe('views of patient data', () => {
  let service: TestService;
  let practice: TestPractice;
  let people = 0;

  before(async () => {
    service = await TestService.start();
    practice = await service.practice();
  });

  after(() => service?.close());

  const route = (access: 'links.view' | 'payments.view', views?: 'linkId' | 'paidLinkId'): Route => ({
    ...{ name: 'test', method: 'GET', path: '/console/:practiceId/:mode/links/:linkId', access },
    ...(views === undefined ? {} : { views }),
    handle: async () => PAGE,
  });

  /** Returns a request of a new person for a link. */
  const visitOf = async (linkId: string): Promise<PatientVisit> => {
    const scope = service.scope();
    const email = `viewer-${++people}@elm.example`;
    const { personId } = await addUser(service, practice.practiceId, 'viewer', { email });
    const session = await findSession(scope, await startSession(scope, personId), 'read');
    const member = session?.memberships[0];
    if (session === null || member === undefined) throw new Error('the person has a session');
    const params = { practiceId: practice.practiceId, mode: 'live', linkId };
    return { scope, params, address: '203.0.113.7', session, member };
  };

  const entries = (visit: PatientVisit) =>
    query<{ action: string; target: string; address: string }>(
      service.config.databaseUrl,
      `select action, target_kind || ' ' || target_id as target, address from audit_log where actor_id = $1 order by id`,
      [visit.session.personId],
    );

  it('a page of one patient’s record leaves an entry with person, address and the id of the link alone', async () => {
    const visit = await visitOf('plink_1');
    await recordPatientView(route('links.view', 'linkId'), visit, PAGE);
    const paid = { ...visit, params: { paidLinkId: 'plink_1' } };
    await recordPatientView(route('payments.view', 'paidLinkId'), paid, PAGE);
    expect(await entries(visit)).to.deep.equal([
      { action: 'link.viewed', target: 'payment_link plink_1', address: '203.0.113.7' },
      { action: 'payment.viewed', target: 'payment_link plink_1', address: '203.0.113.7' },
    ]);
  });

  it('repeated views of one link by one person within 15 minutes are one entry', async () => {
    const [one, other] = [await visitOf('plink_2'), await visitOf('plink_2')];
    const view = () => recordPatientView(route('links.view', 'linkId'), one, PAGE);
    await view();
    service.clock.advance({ minutes: 14, seconds: 59 });
    await view();
    expect(await entries(one)).to.have.length(1);
    await recordPatientView(route('links.view', 'linkId'), other, PAGE);
    expect(await entries(other)).to.have.length(1);
    await recordPatientView(route('links.view', 'linkId'), { ...one, params: { linkId: 'plink_3' } }, PAGE);
    expect(await entries(one)).to.have.length(2);
    service.clock.advance({ seconds: 2 });
    await view();
    expect(await entries(one)).to.have.length(3);
  });

  it('an answer without a record leaves no entry: another page, a problem, a redirect', async () => {
    const visit = await visitOf('plink_4');
    await recordPatientView(route('links.view'), visit, PAGE);
    const replies: Reply[] = [
      { kind: 'problem', problem: 'not_found', status: 404 },
      { kind: 'redirect', to: '/console' },
      { ...PAGE, status: 404 },
    ];
    for (const reply of replies) await recordPatientView(route('links.view', 'linkId'), visit, reply);
    expect(await entries(visit)).to.deep.equal([]);
  });

  it('a view that cannot be recorded is an error, so the page is not sent', async () => {
    const visit = await visitOf('plink_5');
    // The database refuses the character.
    const refused = { ...visit, params: { ...visit.params, linkId: 'plink_\u0000' } };
    const failed = await recordPatientView(route('links.view', 'linkId'), refused, PAGE).then(
      () => 'recorded',
      () => 'failed',
    );
    expect(failed).to.equal('failed');
  });
});
