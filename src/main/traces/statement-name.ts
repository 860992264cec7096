import { schemaNames } from '../../platform/database/schema-files.ts';

/** Most texts whose names are kept. The service has fewer statements; those with lists in their text have many forms. */
const MAX_CACHED_NAMES = 1_000;

/** First words of statements that a span shows. */
const OPERATIONS: ReadonlySet<string> = new Set([
  'select',
  'insert',
  'update',
  'delete',
  'with',
  'begin',
  'commit',
  'rollback',
  'savepoint',
  'release',
  'set',
]);

/** Parts of a statement that a span shows. */
export interface StatementName {
  /** First word in lower case; `other` for an unknown one. */
  operation: string;
  /** First table or function of the schema that the text has; null without one. */
  target: string | null;
}

/**
 * Creates the function that names statements. Names consist of words that the schema's files have, so no value of a
 * statement can become a part of one.
 */
export function createStatementNames(): (text: string) => StatementName {
  const schemaObjects = schemaNames();
  const kept = new Map<string, StatementName>();
  const nameStatement = (text: string): StatementName => {
    const words = text.matchAll(/[a-z_]+/gi).map(([word]) => word.toLowerCase());
    const [first = ''] = text.trimStart().toLowerCase().split(/\W/, 1);
    const target = words.find((word) => schemaObjects.has(word)) ?? null;
    return { operation: OPERATIONS.has(first) ? first : 'other', target };
  };
  return (text) => {
    const name = kept.get(text) ?? nameStatement(text);
    if (kept.size < MAX_CACHED_NAMES) kept.set(text, name);
    return name;
  };
}
