import { expect } from 'chai';
import { createGatheringStore } from '../../../src/payment-links/store/gathered.ts';
import { type LinkWrite, linkRef } from '../../../src/payment-links/store/port.ts';
import { postgres } from '../../../src/payment-links/store/postgres.ts';
import { decideWrite } from '../../../src/payment-links/store/writes.ts';
import type { Scope } from '../../../src/platform/base/scope.ts';
import { createBatcher } from '../../../src/platform/database/query/batch.ts';
import { inTransaction } from '../../../src/platform/database/query/transaction.ts';
import { madeForEach, useService } from '../../harness/fixtures.ts';
import { createLink } from '../../harness/service.ts';

describe('the store that gathers calls', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const statements: string[][] = [];
  const store = createGatheringStore(
    {
      ...postgres,
      read(scope, refs) {
        statements.push(refs.map(() => 'read'));
        return postgres.read(scope, refs);
      },
      write(scope, writes, lockWaitMs) {
        statements.push(writes.map(() => 'write'));
        return postgres.write(scope, writes, lockWaitMs);
      },
    },
    createBatcher,
  );
  beforeEach(() => void statements.splice(0));

  async function writeFor(scope: Scope, id: string, description: string): Promise<LinkWrite> {
    const read = await store.read(scope, linkRef(id));
    if (read === null) throw new Error('the link exists');
    const { write } = decideWrite(scope, read, (draft) => draft.setLink({ description }));
    if (write === null) throw new Error('the change writes');
    return write;
  }

  it('calls that arrive together share a statement, and each gets its own result', async () => {
    const links = [await createLink(practice.test), await createLink(practice.test)];
    const writes = await Promise.all(links.map(({ id }, index) => writeFor(service.scope(), id, `Crown ${index}`)));
    const outcomes = await Promise.all(writes.map((write) => store.write(service.scope(), write)));
    expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(['written', 'written']);
    expect(statements).to.deep.equal([
      ['read', 'read'],
      ['write', 'write'],
    ]);
  });

  it('of two writes of one link in a statement, the second one is stale and writes nothing', async () => {
    const { id } = await createLink(practice.test);
    const [first, second] = await Promise.all(
      ['Crown', 'Filling'].map((description) => writeFor(service.scope(), id, description)),
    );
    if (first === undefined || second === undefined) throw new Error('there are two writes');
    const outcomes = await Promise.all([first, second].map((write) => store.write(service.scope(), write)));
    expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(['written', 'stale']);
    const read = await store.read(service.scope(), linkRef(id));
    expect(read?.state.link.description).to.equal('Crown');
  });

  it('calls of a transaction stay apart, so that they end with it', async () => {
    const [mine, other] = [await createLink(practice.test), await createLink(practice.test)];
    const beside = await writeFor(service.scope(), other.id, 'Filling');
    const failed = inTransaction(service.scope(), async (scope) => {
      const write = await writeFor(scope, mine.id, 'Crown');
      await Promise.all([store.write(scope, write), store.write(service.scope(), beside)]);
      throw new Error('refused');
    });
    expect(await failed.catch((error: Error) => error.message)).to.equal('refused');
    const reads = await Promise.all([mine, other].map(({ id }) => store.read(service.scope(), linkRef(id))));
    expect(reads.map((read) => read?.state.link.description)).to.deep.equal(['Cleaning', 'Filling']);
    expect(statements.filter(([kind]) => kind === 'write')).to.deep.equal([['write'], ['write']]);
  });
});
