import { readFileSync } from 'node:fs';

const folder = new URL('../../../examples/verify/', import.meta.url);

const FILES = [
  'typescript/verify.ts',
  'python/verify.py',
  'go/verify.go',
  'php/verify.php',
  'ruby/verify.rb',
  'java/WebhookVerifier.java',
  'vectors.json',
] as const;

/** Modules that verify webhooks, for readers to download into their own code. */
export const VERIFIERS: readonly { path: string; read: () => string }[] = FILES.map((file) => ({
  path: `/docs/verify/${file.split('/').at(-1)}`,
  read: () => readFileSync(new URL(file, folder), 'utf8'),
}));
