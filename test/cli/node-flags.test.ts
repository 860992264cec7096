import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkout, NODE_FLAGS } from '../../scripts/service.ts';

describe('scripts/paylinks', () => {
  it('scripts/paylinks starts Node with the same flags as make run', () => {
    const wrapper = readFileSync(join(checkout, 'scripts/paylinks'), 'utf8');
    expect(wrapper).to.contain(`exec "$node" ${NODE_FLAGS.join(' ')} "$checkout/src/cli/main.js" "$@"`);
  });
});
