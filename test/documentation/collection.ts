import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { checkout } from '../harness/processes.ts';

/** A request of a Postman collection, as far as this runner reads it. */
export interface Item {
  name: string;
  event: { listen: 'prerequest' | 'test'; script: { exec: string[] } }[];
  request: {
    method: string;
    header: { key: string; value: string; disabled?: boolean }[];
    url: { raw: string; variable: { key: string; value: string }[] };
    body?: { raw: string };
  };
  response: { name: string; code: number; body: string }[];
}

const text = readFileSync(join(checkout, 'generated/documentation/postman.json'), 'utf8');
const { item: folders }: { item: { name: string; item: Item[] }[] } = JSON.parse(text);

/** Requests of all folders, in their order. */
export const ITEMS: readonly Item[] = folders.flatMap(({ item }) => item);

/** Sends requests of the collection as Postman does: it fills variables in, and runs the scripts behind the answers. */
export class CollectionRun {
  readonly variables: Map<string, string>;

  /** @param variables values that a person sets */
  constructor(variables: { baseUrl: string; apiKey: string; webhookUrl: string }) {
    this.variables = new Map(Object.entries(variables));
  }

  /** Sends the requests that stand before the first one of this name in its folder, and the list of locations. */
  async prepare(name: string): Promise<void> {
    const folder = folders.find(({ item }) => item.some((one) => one.name === name))?.item ?? [];
    const before = folder.slice(
      0,
      folder.findIndex((one) => one.name === name),
    );
    for (const item of [...ITEMS.slice(0, 1), ...before]) await this.send(item);
  }

  /** Sends one request. @throws the first failure of its script */
  async send({ name, request, event }: Item): Promise<void> {
    const execute = (when: 'prerequest' | 'test', pm: object) => {
      for (const { listen, script } of event) if (listen === when) runInNewContext(script.exec.join('\n'), { pm });
    };
    const collectionVariables = { set: (key: string, value: string) => this.variables.set(key, value) };
    execute('prerequest', { collectionVariables });
    const path = request.url.variable.reduce((raw, { key, value }) => raw.replace(`:${key}`, value), request.url.raw);
    const sent = request.header.filter(({ disabled }) => disabled !== true);
    const response = await fetch(this.#filled(path), {
      method: request.method,
      headers: [
        ['Authorization', this.#filled('Bearer {{apiKey}}')],
        ...sent.map(({ key, value }): [string, string] => [key, this.#filled(value)]),
      ],
      body: request.body === undefined ? undefined : this.#filled(request.body.raw),
    });
    const body = await response.text();
    execute('test', {
      test: (_: string, check: () => void) => check(),
      response: {
        json: () => JSON.parse(body),
        to: { have: { status: (status: number) => expect(response.status, `${name}: ${body}`).to.equal(status) } },
      },
      collectionVariables,
    });
  }

  #filled(text: string): string {
    return text.replaceAll(/\{\{(\$?\w+)\}\}/g, (_, name: string) => {
      if (name === '$guid') return randomUUID();
      const value = this.variables.get(name);
      if (value === undefined) throw new Error(`no request has filled the variable ${name}`);
      return value;
    });
  }
}
