import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { useFolder } from '../../harness/fixtures.ts';
import { checkout } from '../../harness/processes.ts';
import { runShell, shellBlocks } from '../shell-blocks.ts';

describe('the figures of PostgreSQL’s alerts', () => {
  const folder = useFolder('figures');

  it('the page about PostgreSQL has jobs with the names of its alerts, and a block that writes the figures they ask for', () => {
    const page = readFileSync(join(checkout, 'docs/postgresql.md'), 'utf8');
    const rules = readFileSync(join(checkout, 'operations/prometheus/postgresql.yaml'), 'utf8');
    const asked = [...rules.matchAll(/job="(\w+)"/g)].map(([, name]) => name);
    const jobs = [...page.matchAll(/^ {2}- job_name: (\w+)$/gm)].map(([, name]) => name);
    expect(jobs.toSorted()).to.deep.equal([...new Set(asked)].toSorted());
    const written = join(folder, 'var/lib/prometheus/node-exporter');
    for (const path of [written, join(folder, 'etc/paylinks')]) mkdirSync(path, { recursive: true });
    for (const day of ['2026-11-21', '2026-11-22', '2026-11-23']) {
      const backup = join(folder, `var/backups/paylinks/base-${day}`);
      mkdirSync(backup, { recursive: true });
      // The last one is not complete.
      if (day !== '2026-11-23') writeFileSync(join(backup, 'backup_manifest'), day);
    }
    utimesSync(join(folder, 'var/backups/paylinks/base-2026-11-22/backup_manifest'), 1_000_000, 1_000_000);
    const certificate = ['-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=pay.example.com', '-days', '30'];
    const files = ['-keyout', join(folder, 'key'), '-out', join(folder, 'etc/paylinks/edge.pem')];
    execFileSync('openssl', ['req', '-x509', ...certificate, ...files], { stdio: 'ignore' });
    const [text = ''] = shellBlocks('figures', ['docs/postgresql.md']);
    const inside = text.replaceAll(/(?<![\w.-])\/(etc|var)\//g, `${folder}/$1/`);
    runShell(inside);
    const figure = (file: string) => readFileSync(join(written, file), 'utf8');
    expect(figure('backup.prom')).to.equal('database_backup_finished_timestamp_seconds 1000000\n');
    const [, expires] = /^edge_certificate_expires_timestamp_seconds (\d+)\n$/.exec(figure('certificate.prom')) ?? [];
    expect(Number(expires) * 1_000 - Date.now()).to.be.within(29 * 86_400_000, 31 * 86_400_000);
  });
});
