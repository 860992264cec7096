/** A fault of valid JSON text that `JSON.parse` overlooks. The sender may have meant the other of two amounts. */
export interface JsonFault {
  /** `repeated`: an object has two members of this name. `digits`: a double loses some of the number. */
  kind: 'repeated' | 'digits';
  path: string[];
}

/** An object or array that the walk is in. */
interface Level {
  /** Names of the object so far; null for an array. */
  names: Set<string> | null;
  member: string | number;
}

/** Any number of this many characters has at most 15 digits, which a double always holds. */
const MAX_SAFE_LENGTH = 15;

/** A number that a double holds as written is shorter, unless it is written with hundreds of zeros. */
const MAX_NUMBER_LENGTH = 100;

/** Returns the first fault of a text that `JSON.parse` accepts; null if there is none. Its own stack makes deep nesting harmless. */
export function findJsonFault(text: string): JsonFault | null {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1);
    switch (text[at]) {
      case '{':
        levels.push({ names: new Set(), member: '' });
        break;
      case '[':
        levels.push({ names: null, member: 0 });
        break;
      case '}':
      case ']':
        levels.pop();
        break;
      case ',':
        if (typeof level?.member === 'number') level.member++;
        break;
      case '"': {
        const [string = '', raw = '', colon] = matchAt(STRING, text, at);
        if (level?.names && colon !== undefined) {
          level.member = raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
          if (level.names.has(level.member)) return { kind: 'repeated', path: pathTo(levels) };
          level.names.add(level.member);
        }
        at += string.length - 1;
        break;
      }
      default: {
        const [number = ''] = matchAt(NUMBER, text, at);
        if (number.length > MAX_SAFE_LENGTH && !isExact(number)) return { kind: 'digits', path: pathTo(levels) };
        at += Math.max(number.length - 1, 0);
      }
    }
  }
  return null;
}

function pathTo(levels: readonly Level[]): string[] {
  return levels.map(({ member }) => `${member}`);
}

/** A string; with a colon behind it, it is the name of a member. */
const STRING = /"((?:[^"\\]|\\.)*)"(\s*:)?/y;
const NUMBER = /-?\d[\d.eE+-]*/y;

function matchAt(pattern: RegExp, text: string, at: number): readonly (string | undefined)[] {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? [];
}

/** Returns true if the double that is read from a number is written with the same digits. */
function isExact(number: string): boolean {
  return number.length <= MAX_NUMBER_LENGTH && normalizeDecimal(number) === normalizeDecimal(`${Number(number)}`);
}

/** Returns one spelling for all spellings of a decimal number: its digits without zeros at the ends, and its exponent. */
function normalizeDecimal(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = `${whole}${fraction}`.replace(/^(-?)0+/, '$1');
  const trimmed = digits.replace(/0+$/, '');
  return `${trimmed}e${Number(exponent) - fraction.length + digits.length - trimmed.length}`;
}
