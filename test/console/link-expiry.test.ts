import { expect } from 'chai';
import { createLocation } from '../../src/practices/service.ts';
import { useService } from '../harness/fixtures.ts';
import { hiddenFields, signedInAs } from './console.ts';

const ENTRIES = { firstName: 'Ada', lastName: 'Byron', amount: '120', description: 'Crown' };

describe('the expiry of links in the console', () => {
  const service = useService();

  /** Returns a person of a new practice in Chicago. */
  async function deskOfPractice() {
    const { practiceId, locationId } = await service.practice();
    const desk = await signedInAs(service, practiceId, 'front_desk');
    const path = `/console/${practiceId}/live/links`;
    return {
      practiceId,
      locationId,
      path,
      desk,
      async create(entries: Record<string, string>): Promise<string> {
        const { link = '' } = hiddenFields((await desk.get(`${path}/new`)).text);
        const { location } = await desk.post(`${path}/new`, { link, ...ENTRIES, ...entries });
        expect(location).to.equal(`${path}/${link}?done=created`);
        return link;
      },
    };
  }

  const expiryOf = async (id: string): Promise<string | undefined> => {
    const [row] = await service.query<{ at: Date }>('select expires_at as at from payment_links where id = $1', [id]);
    return row === undefined ? undefined : new Date(row.at).toISOString();
  };

  it('a link until a day works until the end of that day, also of a day of 23 hours', async () => {
    service.clock.set('2031-03-02T23:30:00Z');
    const { desk, path, create } = await deskOfPractice();
    expect((await desk.get(`${path}/new`)).text).to.include('7 days, until March 9, 2031');
    const id = await create({ days: '7' });
    expect(await expiryOf(id)).to.equal('2031-03-10T04:59:59.000Z');
    expect((await desk.get(`${path}/${id}/change`)).text)
      .to.include('March 9, 2031')
      .and.include('14 days, until March 16, 2031');
    await desk.post(`${path}/${id}/change`, { ...ENTRIES, days: '14' });
    expect(await expiryOf(id)).to.equal('2031-03-17T04:59:59.000Z');
  });

  it('the day is that of the practice, and ends where the location of the link is', async () => {
    service.clock.set('2031-05-02T05:30:00Z');
    const { practiceId, desk, path, create } = await deskOfPractice();
    // The zone of the practice is that of its oldest location.
    service.clock.advance({ seconds: 1 });
    const place = { name: 'Bayside', city: 'Oakland', state: 'CA', timeZone: 'America/Los_Angeles' };
    const { id: locationId } = await createLocation(service.scope(), { practiceId, ...place });
    expect((await desk.get(`${path}/new`)).text).to.include('30 days, until June 1, 2031');
    expect(await expiryOf(await create({ days: '30', locationId }))).to.equal('2031-06-02T06:59:59.000Z');
  });
});
