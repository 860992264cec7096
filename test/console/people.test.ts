import { expect } from 'chai';
import { acceptInvitation, createInvitationToken } from '../../src/console/identity/people/accept.ts';
import { inviteMember, listInvitations } from '../../src/console/identity/people/invitations.ts';
import {
  changeMember,
  findMember,
  listMembers,
  type Member,
  removeMember,
  renamePerson,
  setLock,
} from '../../src/console/identity/people/members.ts';
import { purgeSignIns } from '../../src/console/identity/sign-in/retention.ts';
import { Person } from '../../src/console/model/person.entity.ts';
import type { PeopleRefused } from '../../src/console/model/refusals.ts';
import type { Role } from '../../src/console/model/roles.ts';
import { createFormats } from '../../src/console/screens/formats.ts';
import { useService } from '../harness/fixtures.ts';
import { KeptMails, runJobs } from '../harness/mails.ts';
import type { TestPractice } from '../harness/service.ts';
import {
  addMember,
  ConsoleBrowser,
  expectRefused,
  mailedUrl,
  notRefused,
  plantPasskey,
  signedIn,
  signedInAs,
  signInUrl,
  whileLocked,
} from './console.ts';

const OPERATOR = { kind: 'operator' } as const;

describe('people of a practice', () => {
  const service = useService();
  let practice: TestPractice;
  let owner: Member;
  let browser: ConsoleBrowser;
  let path: string;
  let mails: KeptMails;
  let people = 0;

  beforeEach(async () => {
    // Limits of former tests are over.
    service.clock.advance({ days: 2 });
    practice = await service.practice();
    path = `/console/${practice.practiceId}/people`;
    owner = await addMember(service, practice.practiceId, 'owner');
    people++;
    browser = await signedIn(service, owner);
    await runJobs(service, new KeptMails());
    mails = new KeptMails();
  });

  const invite = (email: string, role = 'viewer') => browser.post(path, { email, role, reach: 'all' });
  const sent = async () => {
    await runJobs(service, mails);
    return mails.mails.map(({ to }) => to);
  };
  /** Returns the path in the latest mail. */
  const mailed = async (): Promise<string> => {
    await sent();
    return new URL(mailedUrl(mails.mails.at(-1))).pathname;
  };
  const members = async () => (await listMembers(service.scope(), practice.practiceId)).map(({ email }) => email);
  const invitationId = async () => (await listInvitations(service.scope(), practice.practiceId))[0]?.id ?? 'none';
  const act = async (name: 'send' | 'withdraw') =>
    browser.post(`/console/${practice.practiceId}/invitations/${await invitationId()}/${name}`);
  const acts = async (practiceId: string, personId: string) =>
    (
      await service.query<{ action: string }>(
        'select action from audit_log where practice_id = $1 and actor_id = $2 order by id',
        [practiceId, personId],
      )
    ).map(({ action }) => action);

  const membershipsOf = (email: string) =>
    service.query<{ id: string; practiceId: string }>(
      `select m.id, practice_id as "practiceId" from memberships m join people p on p.id = person_id where email = $1`,
      [email],
    );

  const audit = () =>
    service.query<{ actor: string; action: string; target_id: string; address: string; before: object; after: object }>(
      `select coalesce(actor_id, actor_kind) as actor, action, target_id, address, before, after from audit_log
       where practice_id = $1 and action like 'member.%' order by id`,
      [practice.practiceId],
    );

  it('an owner invites, changes and removes a person, and each act is in the audit log with its address', async () => {
    const invited = await invite('Eve@Elm.example ');
    expect(invited.location).to.equal(`${path}?done=invited`);
    const list = await browser.get(`${path}?done=invited`);
    expect(list.text).to.include('eve@elm.example').and.include('The invitation is on its way.');
    expect(await members()).to.deep.equal([owner.email]);
    const [invitation] = await listInvitations(service.scope(), practice.practiceId);
    const eve = await acceptInvitation(service.scope(), invitation ?? { refusals: [] });
    const form = { role: 'front_desk', reach: 'some', [`location.${practice.locationId}`]: 'on' };
    expect((await browser.post(`${path}/${eve.id}`, form)).location).to.equal(`${path}?done=saved`);
    const one = await browser.get(`${path}/${eve.id}`);
    expect(one.title).to.equal('Change eve@elm.example');
    expect(one.text).to.match(/value="front_desk" selected/);
    expect(one.text).to.match(new RegExp(`name="location.${practice.locationId}" checked`));
    await browser.post(`${path}/${eve.id}/remove`, { confirmed: 'on' });
    expect(await members()).to.deep.equal([owner.email]);
    const all = { email: 'eve@elm.example', role: 'viewer', locationIds: null };
    const limited = { email: 'eve@elm.example', role: 'front_desk', locationIds: [practice.locationId] };
    const actor = { actor: owner.personId, target_id: eve.id, address: '127.0.0.1' };
    expect((await audit()).slice(2)).to.deep.equal([
      { ...actor, action: 'member.invited', before: null, after: all },
      { ...actor, actor: eve.personId, address: null, action: 'member.joined', before: null, after: all },
      { ...actor, action: 'member.changed', before: all, after: limited },
      { ...actor, action: 'member.removed', before: { ...limited, name: null }, after: null },
    ]);
  });

  it('the last owner stays: no removal, no other role, by nobody', async () => {
    for (const [act, fields] of [
      ['/remove', { confirmed: 'on' }],
      ['', { role: 'viewer', reach: 'all' }],
    ] as const) {
      await expectRefused(browser.post(`${path}/${owner.id}${act}`, fields), 'A practice needs an owner', act);
    }
    expect(await outcome(removeMember(service.scope(), OPERATOR, owner))).to.equal('last_owner');
    expect(await audit()).to.have.length(2);
  });

  it('one of two owners stays, even if both are removed, changed or locked at the same time', async () => {
    for (let i = 0; i < 5; i++) {
      const { practiceId } = await service.practice();
      const owners = [await addMember(service, practiceId, 'owner'), await addMember(service, practiceId, 'owner')];
      const results = await Promise.all(
        owners.map(({ id, personId }, index) => {
          const actor = { kind: 'person', id: personId, address: null } as const;
          if (i % 2 === 1) {
            // Who was locked first is nobody to the practice.
            const other = owners[1 - index]?.id ?? '';
            return outcome(setLock(service.scope(), actor, { practiceId, id: other }, true)).catch(({ code }) => code);
          }
          return outcome(
            index === 0
              ? removeMember(service.scope(), actor, { practiceId, id })
              : changeMember(service.scope(), actor, { practiceId, id }, { role: 'viewer', locationIds: null }),
          );
        }),
      );
      expect(results.filter((result) => result === 'done')).to.have.length(1);
      const left = await listMembers(service.scope(), practiceId);
      expect(left.filter(({ role, lockedAt }) => role === 'owner' && lockedAt === null)).to.have.length(1);
    }
  });

  it('an administrator can neither change, remove nor appoint an owner', async () => {
    const administrator = await addMember(service, practice.practiceId, 'administrator');
    browser = await signedIn(service, administrator);
    expect((await browser.get(path)).text)
      .to.not.include(`people/${owner.id}`)
      .and.not.include('value="owner"');
    await expectRefused(browser.post(`${path}/${administrator.id}`, { role: 'owner', reach: 'all' }), 'above your own');
    expect((await browser.get(`${path}/${owner.id}`)).status).to.equal(403);
    expect((await browser.post(`${path}/${owner.id}`, { role: 'viewer', reach: 'all' })).status).to.equal(403);
    expect((await browser.post(`${path}/${owner.id}/remove`, { confirmed: 'on' })).status).to.equal(403);
    expect((await invite('crony@elm.example', 'owner')).status).to.equal(422);
    expect(
      (await listMembers(service.scope(), practice.practiceId))
        .filter(({ role }) => role === 'owner')
        .map(({ id }) => id),
    ).to.deep.equal([owner.id]);
  });

  it('two invitations of one person at the same time are one invitation', async () => {
    const grant = { email: 'twice@elm.example', role: 'viewer', locationIds: null } as const;
    const results = await Promise.all(
      [1, 2, 3].map(() => outcome(inviteMember(service.scope(), OPERATOR, practice.practiceId, grant))),
    );
    expect(results.toSorted()).to.deep.equal(['already_invited', 'already_invited', 'done']);
    expect(await listInvitations(service.scope(), practice.practiceId)).to.have.length(1);
  });

  it('a person of two practices chooses one, and loses only the one from which they are removed', async () => {
    const second = await service.practice();
    const email = 'both@elm.example';
    const here = await addMember(service, practice.practiceId, 'viewer', { email });
    const there = await addMember(service, second.practiceId, 'viewer', { email });
    expect(there.personId).to.equal(here.personId);
    browser = await signedIn(service, here);
    const choice = await browser.get('/console');
    expect(choice.title).to.equal('Choose a practice');
    expect(choice.text).to.include(`/console/${practice.practiceId}`).and.include(`/console/${second.practiceId}`);
    await removeMember(service.scope(), OPERATOR, here);
    expect((await browser.get(`/console/${practice.practiceId}`)).status).to.equal(404);
    expect((await browser.get(`/console/${second.practiceId}`)).status).to.equal(200);
    await removeMember(service.scope(), OPERATOR, there);
    expect((await browser.get(`/console/${second.practiceId}`)).status).to.equal(303);
  });

  it('a limit to locations needs at least one location of the practice, and no owner or developer has one', async () => {
    const other = await service.practice();
    const invited = (role: Role, locationIds: string[]) =>
      outcome(
        inviteMember(service.scope(), OPERATOR, practice.practiceId, { email: 'l@elm.example', role, locationIds }),
      );
    expect(await invited('viewer', [])).to.equal('unknown_location');
    expect(await invited('viewer', [practice.locationId, other.locationId])).to.equal('unknown_location');
    for (const role of ['owner', 'developer'] as const) {
      expect(await invited(role, [practice.locationId]), role).to.equal('role_with_locations');
    }
    expect(await invited('viewer', [practice.locationId, practice.locationId])).to.equal('done');
  });

  it('a ticked location beside "all locations" is refused beside the field, and grants nothing', async () => {
    const tick = { [`location.${practice.locationId}`]: 'on' };
    const words = 'Choose all locations, or only these';
    const form = { role: 'viewer', reach: 'all', ...tick };
    const invited = await expectRefused(browser.post(path, { ...form, email: 'both@elm.example' }), words);
    expect(invited.text).to.match(/<p class="fault" id="reach-some-error">Choose all locations/);
    expect(invited.text, 'what was typed')
      .to.include('value="all" checked')
      .and.match(/name="location\.\w+" checked/);
    expect(await listInvitations(service.scope(), practice.practiceId)).to.deep.equal([]);
    const desk = await addMember(service, practice.practiceId, 'front_desk', { locationIds: [practice.locationId] });
    await expectRefused(browser.post(`${path}/${desk.id}`, form), words);
    await expectRefused(browser.post(`${path}/${desk.id}`, { role: 'viewer', reach: 'some' }), words);
    const { role, locationIds } = await findMember(service.scope(), desk.id);
    expect([role, locationIds]).to.deep.equal(['front_desk', [practice.locationId]]);
  });

  it('a form says all its faults at once, in the order of its fields and beside each, and a developer gets no limit', async () => {
    browser = await signedInAs(service, practice.practiceId, 'administrator');
    const tick = { [`location.${practice.locationId}`]: 'on' };
    const refused = await browser.post(path, { email: 'ada', role: 'owner', reach: 'some' });
    const faults = [...refused.text.matchAll(/class="fault" id="([\w-]+)"/g)].map(([, id]) => id);
    expect([refused.status, faults]).to.deep.equal([422, ['email-error', 'role-error', 'reach-some-error']]);
    const links = [...refused.text.matchAll(/<li><a href="(#[\w-]+)"/g)].map(([, href]) => href);
    expect(links).to.deep.equal(['#email', '#role', '#reach-some']);
    const developer = await addMember(service, practice.practiceId, 'developer');
    const limited = { role: 'developer', reach: 'some', ...tick };
    for (const [action, fields] of [
      [path, { ...limited, email: 'dev@elm.example' }],
      [`${path}/${developer.id}`, limited],
    ] as const) {
      const { text } = await expectRefused(
        browser.post(action, fields),
        'Owners and developers always see all',
        action,
      );
      expect(text).to.include('id="reach-some-error"');
    }
    expect((await findMember(service.scope(), developer.id)).locationIds).to.equal(null);
  });

  it('saving a person unchanged records nothing, and an invitation that was withdrawn is recorded as that', async () => {
    const desk = await addMember(service, practice.practiceId, 'front_desk', { locationIds: [practice.locationId] });
    const form = { role: 'front_desk', reach: 'some', [`location.${practice.locationId}`]: 'on' };
    expect((await browser.post(`${path}/${desk.id}`, form)).location).to.equal(`${path}?done=saved`);
    await invite(`gone-${people}@elm.example`);
    await act('withdraw');
    expect((await acts(practice.practiceId, owner.personId)).slice(-2)).to.deep.equal([
      'member.invited',
      'invitation.withdrawn',
    ]);
    expect(await acts(practice.practiceId, owner.personId)).to.not.include('member.changed');
    const log = await browser.get(`/console/${practice.practiceId}/audit-log`);
    expect(log.text).to.include('Withdrew an invitation');
  });

  it('an invitation is accepted only with a name of 1 to 100 characters, which the server checks', async () => {
    const email = `nameless-${people}@elm.example`;
    await invite(email);
    const link = await mailed();
    const person = new ConsoleBrowser(service);
    for (const name of [null, '', ' \u3000', 'x'.repeat(101), 'Ada\u202eB']) {
      const sent = person.post(link, name === null ? {} : { name });
      const refused = await expectRefused(sent, 'Enter a name of at most 100 characters');
      expect(refused.text).to.include('id="name-error"');
    }
    expect([await members(), person.cookie]).to.deep.equal([[owner.email], null]);
    expect(await service.scope().em.count(Person, { email }), 'a refused acceptance leaves no person').to.equal(0);
    expect((await person.post(link, { name: 'x'.repeat(100) })).location).to.equal('/console');
    expect(await members()).to.include(email);
  });

  it('a removal names the live keys and endpoints that the person created, revokes the ticked keys, and mails the others to the owners', async () => {
    const { practiceId } = practice;
    const developer = await addMember(service, practiceId, 'developer', { email: `dev-${people}@elm.example` });
    const theirs = await signedIn(service, developer);
    const developers = (mode: string) => `/console/${practiceId}/${mode}/developers`;
    const create = async (by: ConsoleBrowser, name: string, mode = 'live') => {
      const fields = { form: `${people}${name}`.padEnd(22, 'A'), name, 'scope.webhooks:manage': 'on' };
      expect((await by.post(`${developers(mode)}/keys`, fields)).status, name).to.equal(200);
      const [key] = await service.query<{ id: string; last_four: string }>(
        'select id, last_four from api_keys where practice_id = $1 and name = $2',
        [practiceId, name],
      );
      return key ?? { id: 'none', last_four: 'none' };
    };
    const [ticked, left] = [await create(theirs, 'Ticked'), await create(theirs, 'Left')];
    const [revoked, test] = [await create(theirs, 'Revoked'), await create(theirs, 'Test', 'test')];
    const own = await create(browser, 'Own');
    await theirs.post(`${developers('live')}/keys/${revoked.id}/revoke`, { confirmed: 'on' });
    const url = 'https://sync.elm.example/hooks';
    const form = { form: `${people}`.padEnd(22, 'B'), url, reach: 'all', description: '' };
    expect((await theirs.post(`${developers('live')}/webhooks`, form)).status).to.equal(303);
    const table = (await browser.get(developers('live'))).text;
    expect(table)
      .to.match(new RegExp(`Ticked[\\s\\S]*?${developer.email}`))
      .and.include('Created by');
    const page = (await browser.get(`${path}/${developer.id}`)).text;
    const offered = [...page.matchAll(/name="key\.(\w+)"/g)].map(([, id]) => id);
    expect(offered).to.deep.equal([ticked.id, left.id]);
    expect(page).to.include('Revoke Ticked (…').and.include(url).and.not.include('gets notifications');
    const everyone = { ...{ disputes: developer.email, refunds: '' }, ...{ payments: '', webhooks: '' } };
    await browser.post(`/console/${practiceId}/settings/notifications`, everyone);
    expect((await browser.get(`${path}/${developer.id}`)).text).to.include('gets notifications');
    await runJobs(service, new KeptMails());
    const removal = { confirmed: 'on', [`key.${ticked.id}`]: 'on', [`key.${own.id}`]: 'on' };
    expect((await browser.post(`${path}/${developer.id}/remove`, removal)).location).to.equal(`${path}?done=removed`);
    const working = await service.query<{ id: string }>(
      'select id from api_keys where practice_id = $1 and revoked_at is null and name is not null order by created_at, id',
      [practiceId],
    );
    expect(working.map(({ id }) => id)).to.have.members([left.id, test.id, own.id]);
    expect((await acts(practiceId, owner.personId)).slice(-2)).to.deep.equal(['member.removed', 'key.revoked']);
    expect(await sent()).to.deep.equal([owner.email]);
    expect(mails.mails[0]?.text).to.include(`…${left.last_four}`).and.not.include(ticked.last_four);
    expect(mails.mails[0]?.text)
      .to.include(`${developers('live')}\n`)
      .and.not.include(developer.email);
    expect((await browser.get(`${developers('live')}/keys/${left.id}`)).text).to.include(developer.email);
    mails = new KeptMails();
    await removeMember(service.scope(), OPERATOR, await addMember(service, practiceId, 'developer'));
    expect(await sent(), 'nothing is left').to.deep.equal([]);
  });

  it('hostile names of a practice, a location and a person are shown as text', async () => {
    const hostile = '<img src=x onerror=alert(1)>"\'&';
    const quoted = await addMember(service, practice.practiceId, 'owner', { email: "o'quote&co@elm.example" });
    await service.query('update practices set name = $1 where id = $2', [hostile, practice.practiceId]);
    await service.query('update locations set name = $1, city = $1 where practice_id = $2', [
      hostile,
      practice.practiceId,
    ]);
    for (const page of ['', '/people', `/people/${quoted.id}`, '/audit-log']) {
      const { status, text } = await browser.get(`/console/${practice.practiceId}${page}`);
      expect(status, page).to.equal(200);
      expect(text, page).to.include('&lt;img src=x onerror').and.not.include('<img');
    }
  });

  it('a locked person loses the practice at once, keeps role, name and the other practices, and is back after the unlock', async () => {
    const second = await service.practice();
    const email = `locked-${people}@elm.example`;
    const desk = await addMember(service, practice.practiceId, 'front_desk', { email });
    await addMember(service, second.practiceId, 'viewer', { email });
    const [home, one] = [`/console/${practice.practiceId}`, `${path}/${desk.id}`];
    const person = await signedIn(service, desk);
    expect((await person.get(home)).status).to.equal(200);
    expect((await browser.post(`${one}/lock`, { confirmed: 'on' })).location).to.equal(`${path}?done=locked`);
    expect((await person.get(home)).status).to.equal(404);
    expect((await person.get(`/console/${second.practiceId}`)).status).to.equal(200);
    expect((await browser.get(path)).text).to.match(new RegExp(`${email}[\\s\\S]*?Front desk[\\s\\S]*?Locked<`));
    expect((await browser.get(one)).text)
      .to.include(`Locked since ${createFormats('America/Chicago').day(service.clock.now())}`)
      .and.include(`${one}/unlock`);
    const [member] = (await listMembers(service.scope(), second.practiceId)).filter((user) => user.email === email);
    await removeMember(service.scope(), OPERATOR, { practiceId: second.practiceId, id: member?.id ?? '' });
    expect((await person.get(home)).status, 'no practice is left').to.equal(303);
    await new ConsoleBrowser(service).post('/console/sign-in', { email });
    expect(await sent(), 'nor does a mail sign in').to.deep.equal([]);
    await renamePerson(service.scope(), { kind: 'person', id: desk.personId, address: null }, 'Lou Locked');
    await addMember(service, (await service.practice()).practiceId, 'viewer', { email });
    expect((await browser.get(one)).text, 'joined elsewhere').to.include('Lou Locked');
    expect((await browser.post(`${one}/unlock`)).location).to.equal(`${path}?done=unlocked`);
    const again = new ConsoleBrowser(service);
    await again.signIn(await signInUrl(service, desk));
    expect((await again.get(home)).status).to.equal(200);
    expect((await audit()).slice(-2).map(({ action, target_id }) => [action, target_id])).to.deep.equal([
      ['member.locked', desk.id],
      ['member.unlocked', desk.id],
    ]);
  });

  it('the last owner who is not locked can be neither locked nor removed, and a locked administrator changes nobody', async () => {
    const second = await addMember(service, practice.practiceId, 'owner', { email: `second-${people}@elm.example` });
    const actor = { kind: 'person', id: second.personId, address: null } as const;
    await setLock(service.scope(), OPERATOR, second, true);
    expect(await outcome(setLock(service.scope(), OPERATOR, owner, true))).to.equal('last_owner');
    expect(await outcome(removeMember(service.scope(), OPERATOR, owner))).to.equal('last_owner');
    const change = removeMember(service.scope(), actor, owner);
    expect(await change.catch(({ code }) => code)).to.equal('not_found');
  });

  it('no act of an administrator changes how a person signs in to another practice, or shows that practice in the log', async () => {
    const second = await service.practice();
    const email = `open-${people}@elm.example`;
    const desk = await addMember(service, practice.practiceId, 'front_desk', { email });
    await addMember(service, second.practiceId, 'viewer', { email });
    const [one, elsewhere] = [`${path}/${desk.id}`, `/console/${second.practiceId}`];
    await plantPasskey(service, desk);
    const person = await signedIn(service, desk);
    const { pathname } = new URL(await signInUrl(service, desk));
    const page = await browser.get(one);
    const forms = [...page.text.matchAll(/<form[^>]* method="post" action="([^"]+)"/g)].map(([, action]) => action);
    expect(forms.filter((action) => action?.startsWith(one))).to.deep.equal([one, `${one}/lock`, `${one}/remove`]);
    expect((await browser.post(one, { role: 'viewer', reach: 'all' })).location).to.equal(`${path}?done=saved`);
    for (const act of ['lock', 'unlock', 'remove']) await browser.post(`${one}/${act}`, { confirmed: 'on' });
    expect(await members()).to.deep.equal([owner.email]);
    expect((await person.get(elsewhere)).status).to.equal(200);
    expect((await new ConsoleBrowser(service).post(pathname)).location, 'mailed links').to.equal('/console');
    const passkeys = await service.query('select from passkeys where person_id = $1', [desk.personId]);
    expect(passkeys).to.have.length(1);
    expect(await acts(second.practiceId, owner.personId)).to.deep.equal([]);
  });

  it('a practice in which a person is locked has their acts on their own account without the network address', async () => {
    const second = await service.practice();
    const email = `locked-out-${people}@elm.example`;
    const desk = await addMember(service, practice.practiceId, 'front_desk', { email });
    await addMember(service, second.practiceId, 'viewer', { email });
    await setLock(service.scope(), OPERATOR, desk, true);
    const person = await signedIn(service, desk);
    await person.get(`/console/${second.practiceId}`);
    await person.post('/console/account/name', { 'person-name': 'Lou Locked' });
    await person.post('/console/sign-out');
    const seen = await service.query<{ practice: string; action: string; address: string | null }>(
      `select practice_id = $2 as locked, action, address from audit_log
       where actor_id = $1 and action <> 'member.joined' order by id`,
      [desk.personId, practice.practiceId],
    );
    expect(seen).to.have.deep.members([
      { locked: false, action: 'session.started', address: '127.0.0.1' },
      { locked: true, action: 'person.renamed', address: null },
      { locked: false, action: 'person.renamed', address: '127.0.0.1' },
      { locked: false, action: 'session.ended', address: '127.0.0.1' },
    ]);
  });

  it('a person gives a name at the acceptance and changes it in the account, and lists and log show it beside the address', async () => {
    const email = `ada-${people}@elm.example`;
    await invite(email);
    const link = await mailed();
    const person = new ConsoleBrowser(service);
    expect((await person.get(link)).text).to.include('name="name" required');
    await person.post(link, { name: ' Ada <Byron> ' });
    await person.readToken();
    const log = `/console/${practice.practiceId}/audit-log`;
    expect((await browser.get(path)).text).to.match(new RegExp(`Ada &lt;Byron&gt;[\\s\\S]*?${email}`));
    expect((await browser.get(log)).text).to.include(`Ada &lt;Byron&gt; (${email})`);
    for (const name of ['', ' ', 'x'.repeat(101), 'Ada\u202eB']) {
      const refused = person.post('/console/account/name', { 'person-name': name });
      await expectRefused(refused, 'at most 100 characters', name);
    }
    const renamed = await person.post('/console/account/name', { 'person-name': 'Ada King' });
    expect(renamed.location).to.equal('/console/account?done=saved');
    expect((await person.get('/console/account')).text).to.include('value="Ada King"');
    const { text } = await browser.get(log);
    expect(text).to.include(`Ada King (${email})`).and.include('Ada &lt;Byron&gt;</bdi> → <bdi>Ada King');
    const second = await service.practice();
    const there = notRefused(
      await inviteMember(service.scope(), OPERATOR, second.practiceId, {
        ...{ email, role: 'viewer', locationIds: null },
      }),
    );
    const token = await createInvitationToken(service.scope(), there);
    const known = await new ConsoleBrowser(service).get(`/console/sign-in/${token}`);
    expect(known.text, 'a known person keeps the name').to.include(email).and.not.include('name="name"');
    await new ConsoleBrowser(service).post(`/console/sign-in/${token}`, { name: 'Eve' });
    for (const { id, practiceId } of await membershipsOf(email)) {
      expect((await findMember(service.scope(), id)).name).to.equal('Ada King');
      await removeMember(service.scope(), OPERATOR, { practiceId, id });
    }
    const next = await addMember(service, practice.practiceId, 'viewer', { email });
    expect(next.name, 'the next person at this address has another name').to.equal(null);
  });

  it('the list says who is active or invited, when people last signed in to this practice, and who has a passkey', async () => {
    const second = await service.practice();
    const email = `both-${people}@elm.example`;
    const both = await addMember(service, practice.practiceId, 'viewer', { email });
    await addMember(service, second.practiceId, 'viewer', { email });
    await plantPasskey(service, both);
    await invite(`new-${people}@elm.example`);
    const person = await signedIn(service, both);
    await person.get(`/console/${second.practiceId}`);
    const rows = async () =>
      [...(await browser.get(path)).text.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
        [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)]
          .map(([, cell = '']) => cell.replaceAll(/<br>/g, ' ').replaceAll(/<[^>]+>|\n/g, ''))
          .slice(0, 6),
      );
    const day = () => createFormats('America/Chicago').day(service.clock.now());
    const mine = [`${owner.email} (you)`, 'Owner', 'All locations', 'Active', day(), 'No'];
    const theirs = [email, 'Viewer', 'All locations', 'Active'];
    const until = createFormats('America/Chicago').day(new Date(service.clock.now().getTime() + 7 * 86_400_000));
    const invited = [`new-${people}@elm.example`, 'Viewer', 'All locations', `Invited until ${until}`, '–', '–'];
    expect((await rows()).slice(1)).to.deep.equal([[...theirs, 'Never', 'Yes'], mine, invited]);
    const earlier = await signedIn(service, both);
    service.clock.advance({ minutes: 5 });
    const later = await signedIn(service, both);
    for (const one of [later, earlier]) await one.get(`/console/${practice.practiceId}`);
    expect((await rows())[1]).to.deep.equal([...theirs, day(), 'Yes']);
    expect(
      (await findMember(service.scope(), both.id)).lastSignInAt,
      'the latest one, whichever was used last',
    ).to.deep.equal(service.clock.now());
  });

  it('an invited person is nobody in the practice before the acceptance, which is one click and signs in', async () => {
    const email = `new-${people}@elm.example`;
    await invite(email);
    const link = await mailed();
    expect((await browser.get(path)).text)
      .to.include(email)
      .and.include('have not accepted yet');
    expect(await members()).to.deep.equal([owner.email]);
    expect(await service.query('select from people where email = $1', [email])).to.deep.equal([]);
    await new ConsoleBrowser(service).post('/console/sign-in', { email });
    expect(await sent(), 'the person cannot sign in yet').to.have.length(1);
    const person = new ConsoleBrowser(service);
    const page = await person.get(link);
    expect([page.status, page.title, page.cookie]).to.deep.equal([200, 'Invitation', null]);
    expect(page.text).to.include('Elm Street Dental').and.include(email).and.include('Viewer');
    expect(await members(), 'opening accepts nothing').to.deep.equal([owner.email]);
    await person.signIn(`https://pay.example.com${link}`, { name: 'Nell New' });
    expect((await person.get('/console')).location).to.equal(`/console/${practice.practiceId}`);
    expect((await person.get(`/console/${practice.practiceId}`)).status).to.equal(200);
    expect(await members()).to.deep.equal([email, owner.email].toSorted());
    expect((await new ConsoleBrowser(service).post(link)).status, 'it works once').to.equal(410);
    const personId = (await listMembers(service.scope(), practice.practiceId)).find(
      (one) => one.email === email,
    )?.personId;
    expect(await acts(practice.practiceId, personId ?? '')).to.deep.equal(['member.joined', 'session.started']);
  });

  it('a person who accepts while being invited again is a member and has no second invitation', async () => {
    const email = `twice-${people}@elm.example`;
    await invite(email);
    const accepting = [
      'lock table invitations in access exclusive mode',
      `insert into people (id, email, created_at) values ('pers_' || $1, $2, now())`,
      `insert into memberships (id, practice_id, person_id, role, all_locations, created_at)
       values ('mem_' || $1, $1, 'pers_' || $1, 'viewer', true, now())`,
      'delete from invitations where practice_id = $1 and email = $2',
    ];
    const [answer] = await whileLocked(service, accepting, [practice.practiceId, email], () => [invite(email)]);
    expect([answer?.status, answer?.text.includes('already')]).to.deep.equal([422, true]);
    expect(await listInvitations(service.scope(), practice.practiceId)).to.deep.equal([]);
  });

  it('an invitation of a person of another practice changes nothing for them, and shows the inviter no sign-in', async () => {
    const elsewhere = await service.practice();
    const email = `busy-${people}@elm.example`;
    const person = await addMember(service, elsewhere.practiceId, 'owner', { email });
    await invite(email);
    const other = new ConsoleBrowser(service);
    await other.signIn(await signInUrl(service, person));
    expect((await other.get('/console')).location).to.equal(`/console/${elsewhere.practiceId}`);
    expect((await other.get(`/console/${practice.practiceId}`)).status).to.equal(404);
    await other.get(`/console/${elsewhere.practiceId}`);
    await other.post('/console/sign-out');
    expect(await acts(practice.practiceId, person.personId)).to.deep.equal([]);
    const expected = ['member.joined', 'session.started', 'session.ended'];
    expect(await acts(elsewhere.practiceId, person.personId)).to.deep.equal(expected);
  });

  it('a practice has the sign-ins of a session that was used for it, once, and no others', async () => {
    const elsewhere = await service.practice();
    const email = `both-${people}@elm.example`;
    const person = await addMember(service, practice.practiceId, 'viewer', { email });
    await addMember(service, elsewhere.practiceId, 'viewer', { email });
    const [one, two] = [await signedIn(service, person), await signedIn(service, person)];
    await Promise.all([1, 2, 3].map(() => one.get(`/console/${practice.practiceId}`)));
    await two.get(`/console/${elsewhere.practiceId}`);
    await two.post('/console/sign-out');
    await one.get(`/console/${practice.practiceId}`);
    expect((await acts(practice.practiceId, person.personId)).slice(1)).to.deep.equal(['session.started']);
    const ended = ['session.started', 'session.ended'];
    expect((await acts(elsewhere.practiceId, person.personId)).slice(1)).to.deep.equal(ended);
    await one.post('/console/sign-out-everywhere');
    const everywhere = ['session.started', 'session.ended_everywhere'];
    expect((await acts(practice.practiceId, person.personId)).slice(1)).to.deep.equal(everywhere);
    expect((await acts(elsewhere.practiceId, person.personId)).slice(1)).to.deep.equal(ended);
  });

  it('the address of an invitation is no sign-in link to other practices: after 15 minutes it only accepts', async () => {
    const elsewhere = await service.practice();
    const email = `careful-${people}@elm.example`;
    await addMember(service, elsewhere.practiceId, 'owner', { email });
    await runJobs(service, new KeptMails());
    await invite(email);
    const link = await mailed();
    service.clock.advance({ minutes: 15 });
    const answer = await new ConsoleBrowser(service).post(link, { name: 'Carl Careful' });
    const at = `/console/${practice.practiceId}`;
    expect([answer.status, answer.location, answer.cookie]).to.deep.equal([303, at, null]);
    expect(await members()).to.include(email);
  });

  it('an invitation works for seven days, can be sent again after them, and ends when it is withdrawn', async () => {
    const email = `late-${people}@elm.example`;
    await invite(email);
    const first = await mailed();
    service.clock.advance({ days: 6, hours: 23 });
    expect((await new ConsoleBrowser(service).get(first)).title).to.equal('Invitation');
    service.clock.advance({ hours: 1 });
    for (const answer of [
      await new ConsoleBrowser(service).get(first),
      await new ConsoleBrowser(service).post(first),
    ]) {
      expect([answer.status, answer.title]).to.deep.equal([410, 'This link no longer works']);
    }
    browser = await signedIn(service, owner);
    expect((await browser.get(path)).text).to.include('expired');
    expect((await act('send')).location).to.equal(`${path}?done=invited`);
    const second = await mailed();
    expect(mails.mails.map(({ id }) => id).length).to.equal(new Set(mails.mails.map(({ id }) => id)).size);
    expect((await new ConsoleBrowser(service).get(second)).title).to.equal('Invitation');
    expect((await act('withdraw')).location).to.equal(`${path}?done=withdrawn`);
    expect((await new ConsoleBrowser(service).post(second)).status).to.equal(410);
    expect((await invite(email)).location, 'and may be invited anew').to.equal(`${path}?done=invited`);
    service.clock.advance({ days: 37, minutes: 1 });
    await purgeSignIns(service.scope());
    expect(await invitationId()).to.equal('none');
    const left = await service.query('select from invitation_mails union all select from invitation_tokens');
    expect(left).to.deep.equal([]);
  });

  it('an administrator neither sends nor withdraws the invitation of an owner', async () => {
    await invite(`second-${people}@elm.example`, 'owner');
    browser = await signedInAs(service, practice.practiceId, 'administrator');
    expect((await browser.get(path)).text).to.not.include(`invitations/${await invitationId()}`);
    for (const name of ['send', 'withdraw'] as const) {
      await expectRefused(act(name), 'above your own', name);
    }
  });

  it('a practice sends at most 20 invitations an hour, also if 40 are asked for at once', async () => {
    const emails = Array.from({ length: 40 }, (_, index) => `flood-${people}-${index}@elm.example`);
    const answers = await Promise.all(emails.map((email) => invite(email)));
    expect(answers.filter(({ status }) => status === 303)).to.have.length(20);
    expect(answers.find(({ status }) => status === 422)?.text).to.include('at most 20 invitations an hour');
    expect(await sent()).to.have.length(20);
    service.clock.advance({ minutes: 61 });
    browser = await signedIn(service, owner);
    expect((await invite(`flood-${people}@elm.example`)).status).to.equal(303);
  });

  it('a recipient gets at most three invitations a day, from all practices together', async () => {
    const email = `bothered-${people}@elm.example`;
    await invite(email);
    await act('send');
    await act('withdraw');
    await invite(email);
    await expectRefused(act('send'), 'three invitations in the last 24 hours');
    const { practiceId } = await service.practice();
    const stranger = await addMember(service, practiceId, 'owner');
    const third = (await signedIn(service, stranger)).post(`/console/${practiceId}/people`, {
      ...{ email, role: 'viewer', reach: 'all' },
    });
    await expectRefused(third, 'three invitations in the last 24 hours');
    const grant = { email, role: 'viewer', locationIds: null } as const;
    const byOperator = notRefused(await inviteMember(service.scope(), OPERATOR, practiceId, grant));
    expect(byOperator.email, 'the operator has no limit').to.equal(email);
  });

  it('the name of a practice brings no address and no telephone number into the mail', async () => {
    await service.query('update practices set name = $1 where id = $2', [
      'Your account is locked! Go to https://evil.example/login or www.evil.example, call +1 (800) 555-0199\u202e',
      practice.practiceId,
    ]);
    await invite(`target-${people}@elm.example`);
    await sent();
    const { text = '', subject = '' } = mails.mails[0] ?? {};
    const foreign = text.replaceAll(/^https:\/\/pay\.example\.com\S+$/gm, '');
    expect(foreign).to.not.match(/https?:|www\.\S|\w\.\w|555|!|\u202e/);
    expect(foreign).to.include('The practice calls itself:').and.include('“Your account is locked');
    expect(subject).to.equal('You are invited to the Paylinks console');
  });

  it('an invitation that was accepted or withdrawn before its mail is not mailed', async () => {
    await invite(`gone-${people}@elm.example`);
    await act('withdraw');
    await addMember(service, practice.practiceId, 'viewer');
    expect(await sent()).to.deep.equal([]);
  });
});

/** Returns `done` or the reasons why a change of people was refused. */
async function outcome(change: Promise<object | PeopleRefused>): Promise<string> {
  const result = await change;
  return 'refusals' in result ? `${result.refusals}` : 'done';
}
