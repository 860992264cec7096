import type { CodeSample, ContractDocument } from '../../src/contract/document.ts';
import { type Described, describeContract } from '../../src/documentation/content/reference/described.ts';

/** The request of a sample. */
interface Call {
  id: string;
  method: string;
  path: string;
  headers: [name: string, value: string][];
  /** JSON in several lines; undefined without a body. */
  body?: string;
}

/** Language of a code block, title, and code for a request. All read the service's address and the key from variables. */
const LANGUAGES: readonly [lang: string, label: string, source: (call: Call) => string][] = [
  ['sh', 'curl', curl],
  ['ts', 'TypeScript', typescript],
  ['python', 'Python', python],
  ['go', 'Go', go],
  ['java', 'Java', java],
];

/** Returns samples of an operation in the form of `x-codeSamples`, made from the contract's examples. They need no library. */
function makeSamples({ id, method, path, parameters, body }: Described): CodeSample[] {
  const findExample = (name: string) => `${parameters.find((one) => one.name === name)?.example}`;
  const example = body?.examples[0]?.value;
  const call: Call = {
    id,
    method,
    path: path.replaceAll(/\{(\w+)\}/g, (_, name) => findExample(name)),
    headers: [
      ...(example === undefined ? [] : [['Content-Type', 'application/json'] as [string, string]]),
      ...parameters.filter((one) => one.in === 'header').map(({ name }): [string, string] => [name, findExample(name)]),
    ],
    body: example === undefined ? undefined : JSON.stringify(example, null, 2),
  };
  return LANGUAGES.map(([lang, label, source]) => ({ lang, label, source: source(call) }));
}

/** Adds the samples to a contract. */
export function withSamples(document: ContractDocument): ContractDocument {
  const samples = new Map(describeContract(document).map((one) => [one.id, makeSamples(one)]));
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => {
    const members = Object.entries(Object(item)).map(([name, operation]) => {
      const ownSamples = samples.get(Object(operation).operationId);
      return [name, ownSamples === undefined ? operation : { ...Object(operation), 'x-codeSamples': ownSamples }];
    });
    return [path, Object.fromEntries(members)];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

/** Indents all lines of a text except the first. */
function indented(text: string, indent: string): string {
  return text.replaceAll('\n', `\n${indent}`);
}

function curl({ method, path, headers, body }: Call): string {
  const isPlain = method === (body === undefined ? 'GET' : 'POST');
  const lines = [
    `curl -sS${isPlain ? '' : ` -X ${method}`} "$PAYLINKS_BASE_URL${path}"`,
    '-H "Authorization: Bearer $PAYLINKS_API_KEY"',
    ...headers.map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body === undefined ? [] : [`-d '${indented(body.replaceAll("'", String.raw`'\''`), '  ')}'`]),
  ];
  return lines.join(' \\\n  ');
}

function typescript({ method, path, headers, body }: Call): string {
  // Names without quotation marks, and texts in single ones, as formatters write them.
  const literal = body?.replaceAll(/"(\w+)":/g, '$1:').replaceAll(/"([^"'\\]*)"/g, "'$1'");
  const lines = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    'headers: {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the sample has the template.
    '  Authorization: `Bearer ${process.env.PAYLINKS_API_KEY}`,',
    ...headers.map(([name, value]) => `  '${name}': '${value}',`),
    '},',
    ...(literal === undefined ? [] : [`body: JSON.stringify(${indented(literal, '  ')}),`]),
  ];
  return `const response = await fetch(\`\${process.env.PAYLINKS_BASE_URL}${path}\`, {
  ${lines.join('\n  ')}
});
console.log(response.status, await response.text());`;
}

function python({ method, path, headers, body }: Call): string {
  const literal = body
    ?.replaceAll(': true', ': True')
    .replaceAll(': false', ': False')
    .replaceAll(': null', ': None')
    .replaceAll('  ', '    ');
  const lines = [
    `os.environ["PAYLINKS_BASE_URL"] + "${path}",`,
    `method="${method}",`,
    'headers={',
    '    "Authorization": "Bearer " + os.environ["PAYLINKS_API_KEY"],',
    ...headers.map(([name, value]) => `    "${name}": "${value}",`),
    '},',
    ...(literal === undefined ? [] : [`data=json.dumps(${indented(literal, '    ')}).encode(),`]),
  ];
  return `${literal === undefined ? '' : 'import json\n'}import os
import urllib.request

request = urllib.request.Request(
    ${lines.join('\n    ')}
)
with urllib.request.urlopen(request) as response:
    print(response.status, response.read().decode())`;
}

function go({ method, path, headers, body }: Call): string {
  const reader = body === undefined ? 'nil' : 'body';
  const lines = [
    ...(body === undefined ? [] : [`body := strings.NewReader(\`${body}\`)`]),
    `request, err := http.NewRequest("${method}", os.Getenv("PAYLINKS_BASE_URL")+"${path}", ${reader})`,
    'if err != nil {\n\t\tpanic(err)\n\t}',
    'request.Header.Set("Authorization", "Bearer "+os.Getenv("PAYLINKS_API_KEY"))',
    ...headers.map(([name, value]) => `request.Header.Set("${name}", "${value}")`),
    'response, err := http.DefaultClient.Do(request)',
    'if err != nil {\n\t\tpanic(err)\n\t}',
    'defer response.Body.Close()',
    'answer, err := io.ReadAll(response.Body)',
    'fmt.Println(response.StatusCode, string(answer), err)',
  ];
  const packages = ['fmt', 'io', 'net/http', 'os', ...(body === undefined ? [] : ['strings'])];
  return `package main

import (
${packages.map((name) => `\t"${name}"`).join('\n')}
)

func main() {
\t${lines.join('\n\t')}
}`;
}

function java({ id, method, path, headers, body }: Call): string {
  const publisher =
    body === undefined
      ? 'BodyPublishers.noBody()'
      : `BodyPublishers.ofString("""\n                ${indented(body.replaceAll('\\', '\\\\'), ' '.repeat(16))}""")`;
  const lines = [
    `.newBuilder(URI.create(System.getenv("PAYLINKS_BASE_URL") + "${path}"))`,
    '.header("Authorization", "Bearer " + System.getenv("PAYLINKS_API_KEY"))',
    ...headers.map(([name, value]) => `.header("${name}", "${value}")`),
    `.method("${method}", ${publisher})`,
    '.build();',
  ];
  return `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

public class ${id.replace(/^./, (letter) => letter.toUpperCase())} {
    public static void main(String[] arguments) throws Exception {
        var request = HttpRequest
            ${lines.join('\n            ')}
        var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        System.out.println(response.statusCode() + " " + response.body());
    }
}`;
}
