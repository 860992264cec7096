export const search = {
  isCut: 'There are more matches than a search reads, so some may be missing. Type more of the name.',
} satisfies Record<string, string | ((text: string) => string)>;
