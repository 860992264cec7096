import { expect } from 'chai';
import { auditPatientView, type PatientVisit } from '../../src/console/routing/patient-views.ts';
import type { Reply, Route } from '../../src/console/routing/route.ts';
import { findSession, startSession } from '../../src/console/sign-in/sessions.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { addUser, type ConsoleBrowser, signedIn, signedInAs } from './console.ts';
import { billingPractice, paid } from './payments-setup.ts';

const PAGE: Reply = { kind: 'page', template: 'home', title: 'A link', view: {} };

describe('views of patient data', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  let people = 0;

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
    if (member === undefined) throw new Error('the person has a session');
    const params = { practiceId: practice.practiceId, mode: 'live', linkId };
    return { scope, params, member, mode: 'live', actor: { kind: 'person', id: personId, address: '203.0.113.7' } };
  };

  const entries = (visit: PatientVisit) =>
    service.query<{ action: string; target: string; address: string }>(
      `select action, target_kind || ' ' || target_id as target, address from audit_log
       where actor_id = $1 and action like '%.viewed' order by id`,
      [visit.actor.id],
    );

  it('a page of one patient’s record leaves an entry with person, address and the id of the link alone', async () => {
    const visit = await visitOf('plink_1');
    await auditPatientView(route('links.view', 'linkId'), visit, PAGE);
    const paid = { ...visit, params: { paidLinkId: 'plink_1' } };
    await auditPatientView(route('payments.view', 'paidLinkId'), paid, PAGE);
    expect(await entries(visit)).to.deep.equal([
      { action: 'link.viewed', target: 'payment_link plink_1', address: '203.0.113.7' },
      { action: 'payment.viewed', target: 'payment_link plink_1', address: '203.0.113.7' },
    ]);
  });

  it('repeated views of one link by one person within 15 minutes are one entry', async () => {
    const [one, other] = [await visitOf('plink_2'), await visitOf('plink_2')];
    const view = () => auditPatientView(route('links.view', 'linkId'), one, PAGE);
    await view();
    service.clock.advance({ minutes: 14, seconds: 59 });
    await view();
    expect(await entries(one)).to.have.length(1);
    await auditPatientView(route('links.view', 'linkId'), other, PAGE);
    expect(await entries(other)).to.have.length(1);
    await auditPatientView(route('links.view', 'linkId'), { ...one, params: { linkId: 'plink_3' } }, PAGE);
    expect(await entries(one)).to.have.length(2);
    service.clock.advance({ seconds: 2 });
    await view();
    expect(await entries(one)).to.have.length(3);
  });

  it('an answer without a record leaves no entry: another page, a problem, a redirect', async () => {
    const visit = await visitOf('plink_4');
    await auditPatientView(route('links.view'), visit, PAGE);
    const replies: Reply[] = [
      { kind: 'problem', problem: 'not_found', status: 404 },
      { kind: 'redirect', to: '/console' },
      { ...PAGE, status: 404 },
    ];
    for (const reply of replies) await auditPatientView(route('links.view', 'linkId'), visit, reply);
    expect(await entries(visit)).to.deep.equal([]);
  });

  it('a view that cannot be recorded is an error, so the page is not sent', async () => {
    const visit = await visitOf('plink_5');
    // The database refuses the character.
    const refused = { ...visit, params: { ...visit.params, linkId: 'plink_\u0000' } };
    const failed = await auditPatientView(route('links.view', 'linkId'), refused, PAGE).then(
      () => 'recorded',
      () => 'failed',
    );
    expect(failed).to.equal('failed');
  });

  describe('lists', () => {
    let browser: ConsoleBrowser;
    let path: string;
    let personId: string;

    /** Returns the entries of lists, without their type and mode, which are the same in all of them. */
    const listed = async (action: string) => {
      const rows = await service.query<{ after: object }>(
        'select after from audit_log where actor_id = $1 and action = $2 order by id',
        [personId, action],
      );
      return rows.map(({ after }) => after);
    };

    beforeEach(async () => {
      const billing = await billingPractice(service);
      path = billing.path;
      const viewer = await addUser(service, billing.practice.practiceId, 'viewer', {
        email: `list-${++people}@elm.example`,
      });
      personId = viewer.personId;
      browser = await signedIn(service, viewer);
      await paid(billing, 'CANARY');
    });

    it('each list and search of links is an entry with the kind of the text, filters, rows and locations', async () => {
      for (const [query, after] of [
        ['', { filters: [], term: null, rows: 1 }],
        ['', { filters: [], term: null, rows: 1 }],
        ['?q=canary&status=paid', { filters: ['q', 'status'], term: 'name_or_reference', rows: 1 }],
        ['?q=canary%40elm.example', { filters: ['q'], term: 'email', rows: 0 }],
        ['?q=(202)+555-0143', { filters: ['q'], term: 'phone', rows: 0 }],
        ['?q=202555014', { filters: ['q'], term: 'payment_number', rows: 0 }],
        ['?location=canary', { filters: ['location'], term: null, rows: 1 }],
      ] as const) {
        expect((await browser.get(`${path}/links${query}`)).status).to.equal(200);
        const entry = (await listed('links.listed')).at(-1);
        expect(entry, query).to.deep.equal({ ...after, mode: 'live', locationIds: null });
      }
      const entries = await listed('links.listed');
      expect(entries).to.have.length(7);
      expect(JSON.stringify(entries)).to.not.match(/canary|555/i);
    });

    it('each page of payments is an entry, also one that refuses an export, and shows in the audit log in words', async () => {
      const [, practiceId = ''] = /(prac_\w+)/.exec(path) ?? [];
      await browser.get(`${path}/payments?state=refunded&location=CANARY`);
      expect(await listed('payments.listed')).to.deep.equal([
        { mode: 'live', filters: ['state', 'location'], term: null, rows: 0, locationIds: null },
      ]);
      const owner = await signedInAs(service, practiceId, 'owner', { email: `o-${people}@elm.example` });
      const { text } = await owner.get(`/console/${practiceId}/audit-log?action=payments.listed`);
      expect(text).to.include('Viewed a list of payments').and.include('state, location').and.not.include('CANARY');
    });
  });
});
