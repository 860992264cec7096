import { expect } from 'chai';
import { acceptInvitation } from '../../src/console/people/accept.ts';
import { inviteUser, listInvitations } from '../../src/console/people/invitations.ts';
import { changeUser, listUsers, PeopleRefused, removeUser } from '../../src/console/people/users.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { addUser, signedIn } from './console.ts';

const OPERATOR = { kind: 'operator' } as const;

describe('people of a practice', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  let path: string;

  beforeEach(async () => {
    path = `/console/${practice.practiceId}/people`;
  });

  const users = () => listUsers(service.scope(), practice.practiceId);
  const audit = () =>
    service.query<{ actor: string; action: string; target_id: string; address: string; before: object; after: object }>(
      `select coalesce(actor_id, actor_kind) as actor, action, target_id, address, before, after from audit_log
       where practice_id = $1 and action like 'member.%' order by id`,
      [practice.practiceId],
    );

  it('an owner invites, changes and removes a person, and each act is in the audit log with its address', async () => {
    const owner = await addUser(service, practice.practiceId, 'owner');
    const browser = await signedIn(service, owner);
    const invited = await browser.post(path, { email: 'Eve@Elm.example ', role: 'viewer', reach: 'all' });
    expect(invited.location).to.equal(`${path}?done=invited`);
    const list = await browser.get(`${path}?done=invited`);
    expect(list.text).to.include('eve@elm.example').and.include('The invitation is on its way.');
    expect((await users()).map(({ email }) => email)).to.deep.equal([owner.email]);
    const [invitation] = await listInvitations(service.scope(), practice.practiceId);
    const eve = await acceptInvitation(service.scope(), invitation?.id ?? '');
    const form = { role: 'front_desk', reach: 'some', [`location.${practice.locationId}`]: 'on' };
    expect((await browser.post(`${path}/${eve.id}`, form)).location).to.equal(`${path}?done=changed`);
    const one = await browser.get(`${path}/${eve.id}`);
    expect(one.title).to.equal('Change eve@elm.example');
    expect(one.text).to.match(/value="front_desk" selected/);
    expect(one.text).to.match(new RegExp(`name="location.${practice.locationId}" checked`));
    const unconfirmed = await browser.post(`${path}/${eve.id}/remove`);
    expect(unconfirmed.location).to.equal(`${path}/${eve.id}?refused=not_confirmed`);
    expect((await browser.get(unconfirmed.location ?? '')).text).to.include('Tick the box');
    await browser.post(`${path}/${eve.id}/remove`, { confirmed: 'on' });
    expect((await users()).map(({ email }) => email)).to.deep.equal([owner.email]);
    const all = { email: 'eve@elm.example', role: 'viewer', locationIds: null };
    const limited = { email: 'eve@elm.example', role: 'front_desk', locationIds: [practice.locationId] };
    const actor = { actor: owner.personId, target_id: eve.id, address: '127.0.0.1' };
    expect((await audit()).slice(2)).to.deep.equal([
      { ...actor, action: 'member.invited', before: null, after: all },
      { ...actor, actor: eve.personId, address: null, action: 'member.joined', before: null, after: all },
      { ...actor, action: 'member.changed', before: all, after: limited },
      { ...actor, action: 'member.removed', before: limited, after: null },
    ]);
  });

  it('the last owner stays: no removal, no other role, by nobody', async () => {
    const owner = await addUser(service, practice.practiceId, 'owner');
    const browser = await signedIn(service, owner);
    const removed = await browser.post(`${path}/${owner.id}/remove`, { confirmed: 'on' });
    expect((await browser.get(removed.location ?? '')).text).to.include('A practice needs an owner');
    const changed = await browser.post(`${path}/${owner.id}`, { role: 'viewer', reach: 'all' });
    expect([changed.status, changed.text.includes('A practice needs an owner')]).to.deep.equal([422, true]);
    expect(await outcome(removeUser(service.scope(), OPERATOR, practice.practiceId, owner.id))).to.equal('last_owner');
    expect(await audit()).to.have.length(2);
  });

  it('one of two owners stays, even if both are removed or changed at the same time', async () => {
    for (let i = 0; i < 5; i++) {
      const { practiceId } = await service.practice();
      const owners = [
        await addUser(service, practiceId, 'owner', { email: 'first@elm.example' }),
        await addUser(service, practiceId, 'owner', { email: 'second@elm.example' }),
      ];
      const results = await Promise.all(
        owners.map(({ id, personId }, index) => {
          const actor = { kind: 'person', id: personId, address: null } as const;
          return outcome(
            index === 0
              ? removeUser(service.scope(), actor, practiceId, id)
              : changeUser(service.scope(), actor, practiceId, id, { role: 'viewer', locationIds: null }),
          );
        }),
      );
      expect(results.filter((result) => result === 'done')).to.have.length(1);
      const left = await listUsers(service.scope(), practiceId);
      expect(left.filter(({ role }) => role === 'owner')).to.have.length(1);
    }
  });

  it('an administrator can neither change, remove nor appoint an owner', async () => {
    const owner = await addUser(service, practice.practiceId, 'owner');
    const administrator = await addUser(service, practice.practiceId, 'administrator');
    const browser = await signedIn(service, administrator);
    expect((await browser.get(path)).text)
      .to.not.include(`people/${owner.id}`)
      .and.not.include('value="owner"');
    const raised = await browser.post(`${path}/${administrator.id}`, { role: 'owner', reach: 'all' });
    expect([raised.status, raised.text.includes('above your own')]).to.deep.equal([422, true]);
    expect((await browser.get(`${path}/${owner.id}`)).status).to.equal(403);
    expect((await browser.post(`${path}/${owner.id}`, { role: 'viewer', reach: 'all' })).status).to.equal(403);
    expect((await browser.post(`${path}/${owner.id}/remove`, { confirmed: 'on' })).status).to.equal(403);
    const crony = await browser.post(path, { email: 'crony@elm.example', role: 'owner', reach: 'all' });
    expect(crony.status).to.equal(422);
    expect((await users()).filter(({ role }) => role === 'owner').map(({ id }) => id)).to.deep.equal([owner.id]);
  });

  it('two invitations of one person at the same time are one invitation', async () => {
    const grant = { email: 'twice@elm.example', role: 'viewer', locationIds: null } as const;
    const results = await Promise.all(
      [1, 2, 3].map(() => outcome(inviteUser(service.scope(), OPERATOR, practice.practiceId, grant))),
    );
    expect(results.toSorted()).to.deep.equal(['already_invited', 'already_invited', 'done']);
    expect(await listInvitations(service.scope(), practice.practiceId)).to.have.length(1);
  });

  it('a person of two practices chooses one, and loses only the one from which they are removed', async () => {
    const second = await service.practice();
    const email = 'both@elm.example';
    const here = await addUser(service, practice.practiceId, 'viewer', { email });
    const there = await addUser(service, second.practiceId, 'viewer', { email });
    expect(there.personId).to.equal(here.personId);
    const browser = await signedIn(service, here);
    const choice = await browser.get('/console');
    expect(choice.title).to.equal('Choose a practice');
    expect(choice.text).to.include(`/console/${practice.practiceId}`).and.include(`/console/${second.practiceId}`);
    await removeUser(service.scope(), OPERATOR, practice.practiceId, here.id);
    expect((await browser.get(`/console/${practice.practiceId}`)).status).to.equal(404);
    expect((await browser.get(`/console/${second.practiceId}`)).status).to.equal(200);
    await removeUser(service.scope(), OPERATOR, second.practiceId, there.id);
    expect((await browser.get(`/console/${second.practiceId}`)).status).to.equal(303);
  });

  it('a limit to locations needs at least one location of the practice, and no owner has one', async () => {
    const other = await service.practice();
    const invited = (role: 'owner' | 'viewer', locationIds: string[]) =>
      outcome(
        inviteUser(service.scope(), OPERATOR, practice.practiceId, { email: 'l@elm.example', role, locationIds }),
      );
    expect(await invited('viewer', [])).to.equal('unknown_location');
    expect(await invited('viewer', [practice.locationId, other.locationId])).to.equal('unknown_location');
    expect(await invited('owner', [practice.locationId])).to.equal('owner_with_locations');
    expect(await invited('viewer', [practice.locationId, practice.locationId])).to.equal('done');
  });

  it('hostile names of a practice, a location and a person are shown as text', async () => {
    const hostile = '<img src=x onerror=alert(1)>"\'&';
    const owner = await addUser(service, practice.practiceId, 'owner', { email: "o'quote&co@elm.example" });
    await service.query('update practices set name = $1 where id = $2', [hostile, practice.practiceId]);
    await service.query('update locations set name = $1, city = $1 where practice_id = $2', [
      hostile,
      practice.practiceId,
    ]);
    const browser = await signedIn(service, owner);
    for (const page of ['', '/people', `/people/${owner.id}`, '/audit-log']) {
      const { status, text } = await browser.get(`/console/${practice.practiceId}${page}`);
      expect(status, page).to.equal(200);
      expect(text, page).to.include('&lt;img src=x onerror').and.not.include('<img');
    }
  });
});

/** Returns `done` or the reason why a change of people was refused. */
async function outcome(change: Promise<unknown>): Promise<string> {
  return change.then(
    () => 'done',
    (error) => (error instanceof PeopleRefused ? error.reason : Promise.reject(error)),
  );
}
