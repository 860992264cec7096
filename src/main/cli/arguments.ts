import { InvalidArgumentError, Option } from 'commander';
import { apiScopes } from '../../contract/document.ts';
import type { ApiScope } from '../../contract/operations-type.ts';
import { centsFromDollars } from '../../platform/base/money.ts';
import { checkName } from '../../platform/base/text.ts';
import { parseTimestamp } from '../../platform/base/time/timestamp.ts';

/** Parsers of option values. A refused value is a usage error: exit 2. */

/** Parses a name or a reason: not blank, at most 200 characters, without control characters. Drops the blanks around it. */
export function parseLine(value: string): string {
  const check = checkName(value, 200);
  if ('refusal' in check) throw new InvalidArgumentError(`It ${check.refusal}.`);
  return check.name;
}

export function parseBoolean(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('Say true or false.');
  return text === 'true';
}

export function parseWholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Say a whole number.');
  return Number(text);
}

/** Parses dollars with at most two decimals, and returns cents. */
export function parseAmount(text: string): number {
  const cents = /^\d{1,7}(\.\d{1,2})?$/.test(text) ? centsFromDollars(Number(text)) : null;
  if (cents === null) throw new InvalidArgumentError('Say dollars, such as 120 or 99.95.');
  return cents;
}

export function parseTime(text: string): Date {
  const at = parseTimestamp(text);
  if (at === null) throw new InvalidArgumentError('Say a time with its zone, such as 2030-01-31T12:00:00Z.');
  return at;
}

/** Parses one scope of the contract. The option may be given several times. */
export function collectScope(text: string, earlier: ApiScope[] = []): ApiScope[] {
  const scope = apiScopes.find((name) => name === text);
  if (scope === undefined) throw new InvalidArgumentError(`Scopes are ${apiScopes.join(', ')}.`);
  return [...earlier, scope];
}

export function modeOption(): Option {
  return new Option('--mode <mode>', 'test or live').choices(['test', 'live']).makeOptionMandatory();
}
