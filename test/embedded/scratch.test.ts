import { existsSync, rmSync, utimesSync } from 'node:fs';
import { expect } from 'chai';
import { enter } from '../../src/embedded/locks.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { newScratchFolder, removeLeftFolders } from '../harness/scratch.ts';

describe('scratch folders of test runs', () => {
  it('a folder that a killed run left is removed two hours later, and one whose server is used is not', () => {
    const [left, used, recent] = [newScratchFolder('left'), newScratchFolder('used'), newScratchFolder('recent')];
    const membership = enter(used);
    afterThisTest(async () => {
      membership.release();
      for (const folder of [used, recent]) rmSync(folder, { recursive: true });
    });
    const threeHoursAgo = Date.now() / 1000 - 3 * 3_600;
    for (const folder of [left, used]) utimesSync(folder, threeHoursAgo, threeHoursAgo);
    removeLeftFolders();
    expect([left, used, recent].map((folder) => existsSync(folder))).to.deep.equal([false, true, true]);
  });
});
