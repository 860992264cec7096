import { readFileSync } from 'node:fs';

/** A parameter of the database URL: the pattern of its values, and its description for errors. */
interface Parameter {
  form: RegExp;
  must: string;
}

const anything: Parameter = { form: /^[\s\S]+$/, must: 'must not be empty' };
const milliseconds: Parameter = { form: /^\d{1,9}$/, must: 'must be a whole number of milliseconds' };
const seconds: Parameter = { form: /^\d{1,6}$/, must: 'must be a whole number of seconds' };
const file: Parameter = { form: /^[\s\S]+$/, must: 'must name a file' };

function oneOf(...values: string[]): Parameter {
  return { form: new RegExp(`^(?:${values.join('|')})$`), must: `must be one of ${values.join(', ')}` };
}

/**
 * Allowed parameters of the database URL: those that `pg` supports there, and libpq's names for options of `pg`'s client
 * (`connect_timeout`, `keepalives`, `keepalives_idle`). `replication` and `binary` are excluded, because no statement of
 * the service works with them. The README describes each parameter.
 */
const PARAMETERS: Record<string, Parameter> = {
  user: anything,
  password: anything,
  host: { form: /^[^,]+$/, must: 'must name one host' },
  port: { form: /^\d{1,5}$/, must: 'must be a port' },
  sslmode: oneOf('disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'),
  ssl: oneOf('true', '1', 'false', '0', 'no-verify'),
  sslrootcert: file,
  sslcert: file,
  sslkey: file,
  sslnegotiation: oneOf('postgres', 'direct'),
  uselibpqcompat: oneOf('true', 'false'),
  application_name: anything,
  fallback_application_name: anything,
  options: anything,
  client_encoding: { form: /^utf-?8$/i, must: 'must be UTF8' },
  statement_timeout: milliseconds,
  lock_timeout: milliseconds,
  idle_in_transaction_session_timeout: milliseconds,
  query_timeout: milliseconds,
  connect_timeout: seconds,
  keepalives: oneOf('0', '1'),
  keepalives_idle: seconds,
};

/** Names of all parameters, for messages and for the test of the documentation. */
export const PARAMETER_NAMES = Object.keys(PARAMETERS);

/**
 * Reads the part of the address behind `?`.
 *
 * @returns the values by name, and a sentence for each parameter that is unknown, repeated or ill-formed. Values are not
 *   repeated in it, nor are names that could be part of a password.
 */
export function readParameters(query: string): { values: Map<string, string>; faults: string[] } {
  const values = new Map<string, string>();
  const faults: string[] = [];
  const given = new URLSearchParams(query);
  for (const [name, value] of given) {
    const parameter = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
    if (parameter === undefined) {
      const shown = /^[a-z_]{1,40}$/i.test(name) && !given.has('password') ? `the parameter ${name}` : 'a parameter';
      faults.push(`${shown} is unknown; known are ${PARAMETER_NAMES.join(', ')}`);
    } else if (values.has(name)) {
      faults.push(`${name} is there twice`);
    } else if (!parameter.form.test(value)) {
      faults.push(`${name} ${parameter.must}`);
    }
    values.set(name, value);
    if (parameter === file && value !== '') faults.push(...fileFaults(name, value));
  }
  return { values, faults };
}

function fileFaults(name: string, path: string): string[] {
  try {
    readFileSync(path);
    return [];
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown error';
    return [`${name} names the file ${JSON.stringify(path)}, which can't be read (${code})`];
  }
}

/** Settings of a session by their names in lower case, values as PostgreSQL reads them. */
export type Settings = Record<string, string>;

/**
 * Returns the settings in a string of `options`, as the server reads it. ASCII white space separates words; a no-break
 * space does not, though `\s` matches it. A backslash escapes the next character. `-c name=value`, `-cname=value` and
 * `--name=value` are settings; other switches are ignored.
 */
export function settingsOf(options: string): Settings {
  const settings: Settings = {};
  const words = (options.match(/(?:\\[\s\S]|[^ \t\n\v\f\r\\])+/g) ?? []).map((word) =>
    word.replace(/\\([\s\S])/g, '$1'),
  );
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const assignment = word === '-c' || word === '--' ? words[++at] : /^(?:-c|--)([\s\S]+)$/.exec(word)?.[1];
    const parts = /^([^=]+)=([\s\S]*)$/.exec(assignment ?? '');
    // As the server does: names ignore case, and a dash stands for an underscore.
    if (parts !== null) settings[(parts[1] ?? '').toLowerCase().replaceAll('-', '_')] = parts[2] ?? '';
  }
  return settings;
}
