import type { DocumentationPage } from '../render.ts';

/** Returns what docs.js indexes for the search, as JSON: an entry for each part of a page. The entry of a page's beginning has no heading. */
export function searchIndex(pages: readonly DocumentationPage[], basePath: string): string {
  const entries = pages.flatMap(({ title, path, rendered }) =>
    rendered().sections.map(({ id, heading, text }) => ({
      title,
      heading: id === null ? '' : heading,
      href: `${basePath}${path}${id === null ? '' : `#${id}`}`,
      text,
    })),
  );
  return JSON.stringify({ entries });
}

/** Returns the list of pages for language models, in the form of llmstxt.org. */
export function llmsText(pages: readonly DocumentationPage[], publicUrl: string): string {
  const line = ({ title, rendered, markdown }: DocumentationPage) =>
    `- [${title}](${publicUrl}${markdown.path}): ${wholeSentences(rendered().summary)}`;
  const linesBelow = (folder: string) => pages.filter(({ path }) => path.startsWith(`/docs/${folder}/`)).map(line);
  const guides = pages.filter(({ path }) => !/^\/docs\/\w+\//.test(path)).map(line);
  return `# Paylinks

> Payment links for the balances of medical and dental patients, with signed webhooks. A JSON API over HTTPS.

Contract: [OpenAPI 3.1](${publicUrl}/openapi.yaml), [OpenAPI 3.0](${publicUrl}/openapi-3.0.yaml).
Every page is Markdown.

## Guides

${guides.join('\n')}

## Reference

${linesBelow('reference').join('\n')}

## Error codes

${linesBelow('errors').join('\n')}

## Optional

- [Postman collection](${publicUrl}/docs/postman.json): Requests for all operations, in an order in which all succeed.
`;
}

/** Returns the first two sentences. One that leads to a list or a snippet ends here. */
function wholeSentences(text: string): string {
  const sentences = text.split(/(?<=\.)\s+/).slice(0, 2);
  return sentences.join(' ').replace(/:$/, '.');
}
