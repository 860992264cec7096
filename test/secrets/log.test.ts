import { expect } from 'chai';
import { sensitiveFields } from '../../src/contract/fields.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';

describe('the log', () => {
  const written: string[] = [];
  const log = createLogger('info', sensitiveFields, { write: (line) => void written.push(line) });

  beforeEach(() => {
    written.length = 0;
  });

  it('the log blanks every field that the contract marks as secret or personal, at the top and one level below', () => {
    // Its schema says of the patient as a whole that it is personal; properties refer to it.
    expect([...sensitiveFields]).to.include.members(['secret', 'patient', 'firstName', 'phone', 'email']);
    for (const name of [...sensitiveFields, 'authorization', 'token', 'key']) {
      log.info({ [name]: 'CANARY', linkId: 'plink_1', about: { [name]: 'CANARY', id: 'pat_1' } }, 'a line');
      const line = JSON.parse(written.at(-1) ?? '') as Record<string, unknown>;
      expect(written.at(-1), name).not.to.contain('CANARY');
      expect(line[name], name).to.equal('[redacted]');
      expect(line, name).to.deep.include({ about: { [name]: '[redacted]', id: 'pat_1' } });
      expect(line, name).to.include({ linkId: 'plink_1', msg: 'a line' });
    }
  });

  it('the log leaves the fields that it was given as they are', () => {
    const fields = { phone: '+12025550143', nested: { email: 'a@example.com' } };
    log.info(fields, 'a line');
    expect(fields).to.deep.equal({ phone: '+12025550143', nested: { email: 'a@example.com' } });
  });

  it('the log shows of an error its name, message, code and frames, and none of its other fields', () => {
    log.error({ err: Object.assign(new Error('broken'), { code: 'E_BROKEN', email: 'CANARY' }) }, 'failed');
    const { err } = JSON.parse(written.at(-1) ?? '') as { err: object };
    expect(err).to.deep.include({ type: 'Error', message: 'broken', code: 'E_BROKEN' });
    expect(written.at(-1)).not.to.contain('CANARY');
  });

  it('the log shows of a database’s error its code, table and constraint, and nothing that quotes the row', () => {
    const quoted = { detail: 'Failing row contains (CANARY).', where: 'CANARY' };
    const where = { code: '23514', table: 'payment_links', constraint: 'payment_links_check' };
    log.error({ err: Object.assign(new Error('new row CANARY is refused'), where, quoted) }, 'failed');
    const { err } = JSON.parse(written.at(-1) ?? '') as { err: object };
    expect(err).to.deep.include(where);
    expect(written.at(-1)).not.to.contain('CANARY');
  });
});
