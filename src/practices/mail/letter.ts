/** Writes the text of a mail. */
export function letter(...paragraphs: string[]): string {
  return `${paragraphs.join('\n\n')}\n`;
}
