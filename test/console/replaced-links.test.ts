import { expect } from 'chai';
import { newId } from '../../src/platform/base/ids.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { Payments } from '../harness/payments.ts';
import { createLink } from '../harness/service.ts';
import { type Answer, type ConsoleBrowser, expectRefused, hiddenFields, signedInAs } from './console.ts';

/** Entries of the form for a new link. */
const ENTRIES = { firstName: 'Ada', lastName: 'Byron', amount: '$1,250.5', description: 'Crown' };

describe('links that another one replaces, or that are settled elsewhere', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  let desk: ConsoleBrowser;
  let path: string;

  beforeEach(async () => {
    desk = await signedInAs(service, practice.practiceId, 'front_desk');
    path = `/console/${practice.practiceId}/live/links`;
  });

  const create = async (entries: Record<string, string>): Promise<Answer> => {
    const { link = '' } = hiddenFields((await desk.get(`${path}/new`)).text);
    return desk.post(`${path}/new`, { link, ...ENTRIES, ...entries });
  };

  const idOf = ({ location }: Answer): string => /plink_\w+/.exec(location ?? '')?.[0] ?? '';

  const acts = (link: string) =>
    service.query<{ action: string; before: object | null; after: object | null; actor_kind: string }>(
      `select action, before, after, actor_kind from audit_log
       where target_id = $1 and action <> 'link.viewed' order by id`,
      [link],
    );

  it('a new link in the place of an expired one names it, and both pages lead to the other; so does no link of another practice', async () => {
    const expired = await createLink(practice.live);
    const other = await service.practice();
    const foreign = await createLink(other.live);
    service.clock.set(new Date(new Date(expired.expiresAt).getTime() + 60_000).toISOString());
    desk = await signedInAs(service, practice.practiceId, 'front_desk');
    const form = hiddenFields((await desk.get(`${path}/new?from=${expired.id}`)).text);
    expect(form.replaces).to.equal(expired.id);
    const successor = idOf(await desk.post(`${path}/new`, { ...form, ...ENTRIES }));
    expect((await desk.get(`${path}/${expired.id}`)).text).to.include(`links/${successor}">Another link has replaced`);
    expect((await desk.get(`${path}/${successor}`)).text).to.include(`links/${expired.id}">This link replaces`);
    expect((await acts(expired.id)).at(-1)).to.include({ action: 'link.replaced', actor_kind: 'person' });
    const stolen = idOf(await create({ replaces: foreign.id }));
    expect((await desk.get(`${path}/${stolen}`)).text).not.to.include('This link replaces');
    expect(await acts(foreign.id)).to.have.length(1);
    // An unknown id is treated alike, so no answer reveals the link.
    const unknown = await create({ replaces: newId('paymentLink', new Date()) });
    expect(unknown.status).to.equal(303);
    expect(await service.query('select from link_resolutions')).to.have.length(1);
  });

  it('of two people who replace or settle a link at once, the second one creates nothing, and can look at the first', async () => {
    const [replaced, settled] = [await createLink(practice.live), await createLink(practice.live)];
    service.clock.set(new Date(new Date(settled.expiresAt).getTime() + 60_000).toISOString());
    desk = await signedInAs(service, practice.practiceId, 'front_desk');
    const formOf = async (id: string) => hiddenFields((await desk.get(`${path}/new?from=${id}`)).text);
    const send = (form: Record<string, string>) => desk.post(`${path}/new`, { ...form, ...ENTRIES });
    const [form, other, late] = [await formOf(replaced.id), await formOf(replaced.id), await formOf(settled.id)];
    const answers = await Promise.all([form, form, other].map(send));
    const created = new Set(answers.filter(({ status }) => status === 303).map(idOf));
    expect([created.size, answers.some(({ text }) => text.includes('Nothing was created'))]).to.deep.equal([1, true]);
    await desk.post(`${path}/${settled.id}/cancel`, { reason: 'paid_at_desk', confirmed: 'on' });
    await expectRefused(send(late), 'Nothing was created');
    const again = await formOf(replaced.id);
    expect(again).to.not.have.property('replaces');
    expect((await send(again)).status, 'a link with the same entries, as the person wants').to.equal(303);
  });

  it('a link that still takes a payment, or was paid, is replaced by no other one', async () => {
    const waiting = await createLink(practice.live);
    const payments = new Payments(service);
    const paid = await payments.link(practice);
    await payments.pay(paid, 'card_success');
    for (const { id } of [waiting, paid]) {
      const successor = idOf(await create({ replaces: id }));
      expect((await desk.get(`${path}/${successor}`)).text).not.to.include('This link replaces');
    }
  });

  it('an expired link is settled elsewhere with a reason, once, and a person can take it back', async () => {
    const { id, expiresAt } = await createLink(practice.live);
    service.clock.set(new Date(new Date(expiresAt).getTime() + 60_000).toISOString());
    desk = await signedInAs(service, practice.practiceId, 'front_desk');
    const settle = (reason: string) => desk.post(`${path}/${id}/cancel`, { reason, confirmed: 'on' });
    await expectRefused(settle('because'), 'Choose a reason');
    expect((await settle('paid_at_desk')).status).to.equal(303);
    await expectRefused(settle('wrong'), 'Nothing is owed');
    const { text } = await desk.get(`${path}/${id}`);
    expect(text).to.include('Settled elsewhere: Paid at the desk.').and.not.include('/cancel"');
    await desk.post(`${path}/${id}/cancel/undo`);
    expect((await desk.get(`${path}/${id}`)).text).not.to.include('Paid at the desk.');
    expect((await acts(id)).slice(-2)).to.deep.equal([
      { action: 'link.settled', before: null, after: { reason: 'paid_at_desk' }, actor_kind: 'person' },
      { action: 'link.unsettled', before: { reason: 'paid_at_desk' }, after: null, actor_kind: 'person' },
    ]);
  });
});
