import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { deleteMoved } from '../../src/moves/delete-moved.ts';
import { cancelMove, type MoveStep, movePractices } from '../../src/moves/move.ts';
import { createDatabase, query } from '../harness/database.ts';
import { start } from '../harness/processes.ts';
import { idempotent, linkBody, type TestPractice } from '../harness/service.ts';
import { TwoCells } from './two-cells.ts';

const LINKS = '/api/v1/payment-links';
const BEFORE: readonly MoveStep[] = [
  'begun',
  'first copy made',
  'marked',
  'guarded',
  'drained',
  'frozen',
  'second copy made',
];
const AFTER: readonly MoveStep[] = ['arrived', 'handed over'];

describe('an interrupted move of a practice', function () {
  this.timeout(180_000);
  let cells: TwoCells;
  let practice: TestPractice;

  before(async () => {
    cells = await TwoCells.start({ workers: false });
  });

  beforeEach(async () => {
    // An address may use few wrong keys a minute.
    for (const { clock } of [cells.source, cells.target]) clock.advance({ minutes: 2 });
    practice = await cells.source.practice();
    expect(await statuses()).to.deep.equal([201, 401]);
  });

  after(() => cells.close());

  /** Statuses of a create in the source and in the target. */
  async function statuses(): Promise<number[]> {
    const clients = [practice.live, cells.target.client(practice.live.key)];
    const replies = await Promise.all(clients.map((client) => client.post(LINKS, linkBody(), idempotent())));
    return replies.map(({ status }) => status);
  }

  const options = () => ({ ...cells.urls, practiceIds: [practice.practiceId] });

  async function killedAfter(step: MoveStep): Promise<void> {
    const { sourceUrl, targetUrl } = cells.urls;
    const mover = fileURLToPath(new URL('./mover.ts', import.meta.url));
    const ended = await start(process.execPath, [mover, sourceUrl, targetUrl, practice.practiceId, step], {
      env: process.env,
    }).finished;
    expect([ended.code, ended.stderr]).to.deep.equal([null, '']);
  }

  for (const step of BEFORE) {
    it(`a move killed after "${step}" leaves no create to the target, and ends when it is repeated`, async () => {
      await killedAfter(step);
      const isFrozen = step === 'frozen' || step === 'second copy made';
      expect(await statuses()).to.deep.equal([isFrozen ? 503 : 201, 401]);
      await movePractices(options());
      expect(await statuses()).to.deep.equal([503, 201]);
    });

    it(`a move killed after "${step}" can be cancelled: the source goes on, and a later move succeeds`, async () => {
      await killedAfter(step);
      await cancelMove(options());
      expect(await statuses()).to.deep.equal([201, 401]);
      await movePractices(options());
      expect(await statuses()).to.deep.equal([503, 201]);
    });
  }

  it('a move that was killed does not go on into a cell that has been migrated since', async () => {
    await killedAfter('begun');
    await query(cells.urls.targetUrl, 'alter table payment_links add column added integer not null default 1');
    const refused = await movePractices(options()).catch((error: Error) => error);
    await query(cells.urls.targetUrl, 'alter table payment_links drop column added');
    expect(refused).to.have.property('message', 'The cells have different schemas.');
    expect(await statuses()).to.deep.equal([201, 401]);
    await movePractices(options());
    expect(await statuses()).to.deep.equal([503, 201]);
  });

  it('a practice that a killed move has frozen works again while the next one copies it', async () => {
    await killedAfter('frozen');
    const seen: number[][] = [];
    await movePractices({
      ...options(),
      onStep: async (step) => {
        if (step === 'first copy made') seen.push(await statuses());
      },
    });
    expect(seen).to.deep.equal([[201, 401]]);
    expect(await statuses()).to.deep.equal([503, 201]);
  });

  for (const step of AFTER) {
    it(`a move killed after "${step}" is active in the target alone, cannot be cancelled, and ends when it is repeated`, async () => {
      await killedAfter(step);
      expect(await statuses()).to.deep.equal([503, 201]);
      const error = await cancelMove(options()).catch((error: Error) => error);
      expect(error).to.have.property('message').that.includes('have arrived');
      await movePractices(options());
      expect(await statuses()).to.deep.equal([503, 201]);
    });
  }

  for (const step of AFTER) {
    it(`a move killed after "${step}" goes on to no other database, where the practice would be active twice`, async () => {
      await killedAfter(step);
      const elsewhere = { ...options(), targetUrl: await createDatabase() };
      for (const goOn of [movePractices, cancelMove]) {
        const error = await goOn(elsewhere).catch((error: Error) => error);
        expect(error).to.have.property('message', 'The interrupted move goes to another database.');
      }
      expect(await query(elsewhere.targetUrl, 'select from practices')).to.deep.equal([]);
      expect(await statuses()).to.deep.equal([503, 201]);
    });
  }

  it('a copy that begins while its move is cancelled does not commit', async () => {
    const moving = movePractices({
      ...options(),
      async onStep(step) {
        if (step !== 'begun') return;
        await query(
          cells.urls.targetUrl,
          `insert into practice_moves (id, practice_id, side, state)
           select id, practice_id, 'target', 'cancelled' from json_to_recordset($1) as m (id text, practice_id text)`,
          [
            JSON.stringify(
              await query(cells.urls.sourceUrl, 'select id, practice_id from practice_moves where practice_id = $1', [
                practice.practiceId,
              ]),
            ),
          ],
        );
      },
    });
    expect(await moving.catch((error: Error) => error.message)).to.equal('The move was cancelled.');
    expect(await statuses()).to.deep.equal([201, 401]);
  });

  it('a practice that moved away and was deleted can move back', async () => {
    await movePractices(options());
    await deleteMoved(cells.urls.sourceUrl, [practice.practiceId]);
    expect(await cells.rows(cells.source, practice.practiceId)).to.deep.equal({});
    expect(await statuses()).to.deep.equal([401, 201]);
    const { sourceUrl, targetUrl } = cells.urls;
    // A request that was logged late.
    await query(
      sourceUrl,
      `insert into api_requests values ('areq_' || $1, $1, false, 'key_1', 'req_1', 'createPaymentLink', 503, null, 1, now())`,
      [practice.practiceId],
    );
    await movePractices({ ...options(), sourceUrl: targetUrl, targetUrl: sourceUrl });
    expect(await statuses()).to.deep.equal([201, 503]);
  });

  it('a practice that a restore of the source made active in both cells leaves it again, as the guide for operators says', async () => {
    const [, statement = ''] = /"(update practices set move_state [^"]*)"/.exec(
      readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8'),
    ) ?? [''];
    await query(cells.urls.sourceUrl, statement.replace(/'prac_1', 'prac_2'/, `'${practice.practiceId}'`));
    expect(await statuses()).to.deep.equal([503, 401]);
    await deleteMoved(cells.urls.sourceUrl, [practice.practiceId]);
    expect(await cells.rows(cells.source, practice.practiceId)).to.deep.equal({});
    expect(await statuses()).to.deep.equal([401, 401]);
  });

  it('an active practice is not deleted', async () => {
    const error = await deleteMoved(cells.urls.sourceUrl, [practice.practiceId]).catch((error: Error) => error);
    expect(error).to.have.property('message').that.includes('is active in this cell');
  });
});
