const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Returns the text with HTML's special characters escaped. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** Returns the text with HTML's special characters instead of their names. */
export function unescapeHtml(text: string): string {
  return Object.entries(ESCAPES).reduce((all, [character, entity]) => all.replaceAll(entity, character), text);
}
