import { readFileSync } from 'node:fs';

/** The collection that `make generate` makes from the contract. */
const file = new URL('../../../generated/documentation/postman.json', import.meta.url);

/** Returns the Postman collection with the service's own address, as JSON. */
export function postmanCollection(publicUrl: string): string {
  const collection = JSON.parse(readFileSync(file, 'utf8'));
  const variable = [
    { key: 'baseUrl', value: publicUrl },
    { key: 'apiKey', value: '' },
  ];
  return `${JSON.stringify({ ...collection, variable }, null, 2)}\n`;
}
