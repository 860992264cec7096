import { readFileSync } from 'node:fs';

/** The collection that `make generate` made from the contract. */
const text = readFileSync(new URL('../../../generated/documentation/postman.json', import.meta.url), 'utf8');

/** Returns the Postman collection with the service's own address, as JSON. */
export function postmanCollection(publicUrl: string): string {
  const collection = JSON.parse(text);
  const variable = [
    { key: 'baseUrl', value: publicUrl },
    { key: 'apiKey', value: '' },
  ];
  return `${JSON.stringify({ ...collection, variable }, null, 2)}\n`;
}
