import { expect } from 'chai';
import type { Scope } from '../../src/platform/base/scope.ts';
import { afterCommit, inTransaction } from '../../src/platform/database/query/transaction.ts';
import { useService } from '../harness/fixtures.ts';

describe('steps after a commit', () => {
  const service = useService();
  let done: string[];

  beforeEach(() => {
    done = [];
  });

  const later = (scope: Scope, step: string) => afterCommit(scope, () => void done.push(step));
  const fail = () => {
    throw new Error('rolled back');
  };

  it('a step without a transaction runs at once, and one of a transaction after its commit, in their order', async () => {
    later(service.scope(), 'alone');
    expect(done).to.deep.equal(['alone']);
    await inTransaction(service.scope(), async (scope) => {
      later(scope, 'first');
      later(scope, 'second');
      expect(done).to.deep.equal(['alone']);
    });
    expect(done).to.deep.equal(['alone', 'first', 'second']);
  });

  it('the steps of a savepoint wait for the outer transaction, and end with the savepoint or with it', async () => {
    await inTransaction(service.scope(), async (scope) => {
      await inTransaction(scope, async (inner) => later(inner, 'kept'));
      await inTransaction(scope, async (inner) => {
        later(inner, 'lost');
        fail();
      }).catch(() => undefined);
      expect(done).to.deep.equal([]);
    });
    expect(done).to.deep.equal(['kept']);
    const outer = inTransaction(service.scope(), async (scope) => {
      await inTransaction(scope, async (inner) => later(inner, 'lost with the outer one'));
      fail();
    });
    expect(await outer.catch((error: Error) => error.message)).to.equal('rolled back');
    expect(done).to.deep.equal(['kept']);
  });
});
