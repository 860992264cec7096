import { document, operations } from '../../contract/document.ts';
import type { Page } from '../page.ts';

/** Entry of the search. The script in docs.js reads it. */
interface SearchEntry {
  /** Title of the page or the operation. */
  title: string;
  /** Heading of the part of the page; empty at its beginning. */
  heading: string;
  href: string;
  text: string;
}

/** Returns the search's index as JSON: one entry for each part of a page, and one for each operation. */
export function searchIndex(pages: readonly Page[], basePath: string): string {
  const parts: SearchEntry[] = pages.flatMap(({ title, path, rendered }) =>
    rendered().sections.map(({ id, heading, text }) => ({
      title,
      heading: id === null ? '' : heading,
      href: `${basePath}${path}${id === null ? '' : `#${id}`}`,
      text,
    })),
  );
  const operationEntries: SearchEntry[] = operations.map(({ operationId, method, path }) => ({
    title: summaryOf(operationId),
    heading: `${method} ${path}`,
    href: `${basePath}/docs/reference#operation/${operationId}`,
    text: operationId,
  }));
  return JSON.stringify([...parts, ...operationEntries]);
}

/** Returns the list of pages for language models, in the form of llmstxt.org. */
export function llmsText(pages: readonly Page[], publicUrl: string): string {
  const line = ({ title, rendered, markdown }: Page) =>
    `- [${title}](${publicUrl}${markdown.path}): ${rendered().summary}`;
  const isError = ({ path }: Page) => path.startsWith('/docs/errors/');
  return `# Paylinks

> Payment links for the balances of medical and dental patients, with signed webhooks. A JSON API over HTTPS.

Contract: [OpenAPI 3.1](${publicUrl}/openapi.yaml), [OpenAPI 3.0](${publicUrl}/openapi-3.0.yaml).
Every page is Markdown.

## Guides

${pages
  .filter((page) => !isError(page))
  .map(line)
  .join('\n')}

## Error codes

${pages.filter(isError).map(line).join('\n')}

## Optional

- [Postman collection](${publicUrl}/docs/postman.json)
`;
}

const summaries = new Map(
  Object.values(document.paths ?? {}).flatMap((item) =>
    Object.values(item ?? {}).map((operation) => [Object(operation).operationId, Object(operation).summary]),
  ),
);

function summaryOf(operationId: string): string {
  return `${summaries.get(operationId) ?? operationId}`;
}
