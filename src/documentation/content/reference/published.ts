import { readFileSync } from 'node:fs';
import { EXAMPLE_URL } from '../guides.ts';
import { withSamples } from './samples.ts';

/** Matches the `servers` block in the contract's YAML, up to the next member of the document. */
const SERVERS = /^servers:\n(?:[ -].*\n|\n)+/m;

/**
 * Returns the contract in two OpenAPI versions and two formats, with `publicUrl` as its server. The later version has
 * samples of code. The other one is for generators, which have no use for them.
 */
export function publishedTexts(publicUrl: string) {
  const description = 'The address at which the service is installed.';
  const servers = [{ url: publicUrl, description }];
  // Every JSON string is also a valid YAML string.
  const block = `servers:\n  - url: ${JSON.stringify(publicUrl)}\n    description: ${description}\n\n`;
  const readText = (name: string) =>
    readFileSync(new URL(`../../../../generated/${name}`, import.meta.url), 'utf8').replaceAll(EXAMPLE_URL, publicUrl);
  const yaml = (name: string) => readText(name).replace(SERVERS, () => block);
  const json = (contract: object) => `${JSON.stringify({ ...contract, servers }, null, 2)}\n`;
  const newer = () => withSamples(JSON.parse(readText('openapi.json')));
  return [
    { path: '/openapi.yaml', type: 'application/yaml', make: () => yaml('openapi.yaml') },
    { path: '/openapi.json', type: 'application/json', make: () => json(newer()) },
    { path: '/openapi-3.0.yaml', type: 'application/yaml', make: () => yaml('openapi-3.0.yaml') },
    { path: '/openapi-3.0.json', type: 'application/json', make: () => json(JSON.parse(readText('openapi-3.0.json'))) },
  ];
}
