import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { commitOf } from '../../proofs/upgrade/version.ts';
import { leaveOut } from '../harness/leave-out.ts';
import { checkout } from '../harness/processes.ts';

describe('the rig of make upgrade', () => {
  it('the command names a revision that the clone lacks, and ends with 0', function () {
    if (commitOf('HEAD') === null) return leaveOut(this, 'no history of git');
    const { status, stdout } = spawnSync(process.execPath, [join(checkout, 'proofs/upgrade.ts')], {
      env: { ...process.env, FROM: 'no-such-revision' },
      encoding: 'utf8',
    });
    expect(stdout).to.match(/^skipped: this clone lacks no-such-revision/);
    expect(status).to.equal(0);
  });
});
