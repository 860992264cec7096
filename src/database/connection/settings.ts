/** Settings of a session by their names in lower case, values as PostgreSQL reads them. */
export type Settings = Record<string, string>;

/**
 * The settings that a string of `options` makes, as the server reads it: words are separated by ASCII white space, a
 * backslash takes the next character literally, and `-c name=value`, `-cname=value` and `--name=value` set something. A
 * no-break space is part of a word, though `\s` matches it. Other switches are left to the server.
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
