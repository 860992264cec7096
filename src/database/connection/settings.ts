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
