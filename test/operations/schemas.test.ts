import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { type DocumentOptions, parseAllDocuments, type SchemaOptions } from 'yaml';
import { checkout } from '../harness/processes.ts';

type Value = null | boolean | number | string | Value[] | { [name: string]: Value };

/** Returns the offences of a document against the schema of its format, a line each. */
type Check = (document: Value) => string[];

const KUBERNETES = ['1.30', '1.37'] as const;
const MANIFESTS = globSync('operations/kubernetes/**/*.yaml', { cwd: checkout }).toSorted();
const COMPOSITION = 'operations/container/compose.yaml';

/** A part that the table of mistakes takes away. */
const SELECTOR = '  selector: { matchLabels: { app: paylinks-worker } }\n';

const schemaOf = (name: string) =>
  JSON.parse(gunzipSync(readFileSync(new URL(`schemas/${name}.json.gz`, import.meta.url))).toString()) as Record<
    string,
    unknown
  >;
const read = (file: string) => readFileSync(join(checkout, file), 'utf8');

const kubernetes = Object.fromEntries(KUBERNETES.map((version) => [version, kubernetesCheck(version)]));
const composition = checkOf(new Ajv2020({ strict: false, allErrors: true }).compile(schemaOf('compose')));
// The schema says draft 4, of which it uses nothing that later drafts changed.
const { $schema: _, ...draft } = schemaOf('kustomization');
const kustomization = checkOf(new Ajv({ strict: false, allErrors: true }).compile(draft));

function checkOf(validate: ValidateFunction): Check {
  return (document) => {
    validate(document);
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}

function kubernetesCheck(version: string): Check {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(schemaOf(`kubernetes-${version}`), 'kubernetes');
  return (document) => {
    const { apiVersion, kind } = document as { apiVersion: string; kind: string };
    const [group = '', api] = apiVersion.split('/');
    const name = [kind.toLowerCase(), group.split('.')[0], api].filter((part) => part !== undefined).join('-');
    const validate = ajv.getSchema(`kubernetes#/$defs/${name}`);
    if (validate === undefined) return [`${version} has no ${kind} of ${apiVersion} among our schemas`];
    return checkOf(validate as ValidateFunction)(document);
  };
}

/** Returns the documents of a text. Kubernetes reads YAML 1.1, in which `on` is no word. */
function documentsOf(text: string, options: DocumentOptions & SchemaOptions): Value[] {
  return parseAllDocuments(text, options).map((document) => {
    if (document.errors.length > 0) throw new Error(document.errors.map(({ message }) => message).join('\n'));
    return document.toJS() as Value;
  });
}

const isKustomization = (document: Value) => (document as { kind?: string }).kind === 'Kustomization';

function manifestProblems(text: string, version: string): string[] {
  return documentsOf(text, { version: '1.1' }).flatMap((document) =>
    isKustomization(document) ? kustomization(document) : (kubernetes[version] as Check)(document),
  );
}

function compositionProblems(text: string): string[] {
  return documentsOf(text, { merge: true }).flatMap(composition);
}

describe('files for an installation against published schemas', () => {
  for (const version of KUBERNETES) {
    it(`manifests and kustomizations are valid for Kubernetes ${version}`, () => {
      expect(MANIFESTS).to.have.length.at.least(6);
      for (const file of MANIFESTS) expect(manifestProblems(read(file), version), file).to.deep.equal([]);
    });

    it(`the example is valid for Kubernetes ${version} after kustomize made it`, function () {
      const { error, status, stdout, stderr } = spawnSync('kubectl', ['kustomize', 'operations/kubernetes/example'], {
        cwd: checkout,
        encoding: 'utf8',
      });
      if (error !== undefined) return this.skip();
      expect(status, stderr).to.equal(0);
      expect(manifestProblems(stdout, version)).to.deep.equal([]);
      expect(stdout).to.include('kind: Secret');
    });
  }

  it('the composition is valid for the Compose Specification', () => {
    expect(compositionProblems(read(COMPOSITION))).to.deep.equal([]);
  });

  // The schemas refuse what their makers say; a few mistakes show that they are asked.
  for (const [mistake, file, from, to, refusal] of [
    ['a deployment without a selector', 'kubernetes/base/worker.yaml', SELECTOR, '', "'selector'"],
    ['half a pod', 'kubernetes/base/api.yaml', 'maxUnavailable: 0', 'maxUnavailable: 0.5', 'must be integer'],
    ['an annotation that is no text', 'kubernetes/base/api.yaml', 'scrape: "true"', 'scrape: on', 'must be string'],
    ['a version that is gone', 'kubernetes/base/worker.yaml', 'apps/v1', 'apps/v1beta1', 'has no Deployment'],
    ['a misspelt property', 'kubernetes/base/worker.yaml', 'periodSeconds', 'periodSecond', '"periodSecond"'],
    ['a misspelt list of resources', 'kubernetes/base/kustomization.yaml', 'resources', 'resource', '"resource"'],
    ['a number for a switch', 'container/compose.yaml', 'read_only: true', 'read_only: 1', 'boolean'],
    ['a misspelt key of a service', 'container/compose.yaml', 'stop_grace_period', 'stop_period', '"stop_period"'],
  ] as const) {
    it(`${mistake} is refused in ${file}`, () => {
      const text = read(`operations/${file}`);
      const changed = text.replace(from, to);
      expect(changed).to.not.equal(text);
      const found = file.startsWith('container')
        ? [compositionProblems(changed)]
        : KUBERNETES.map((version) => manifestProblems(changed, version));
      for (const problems of found) expect(problems.join('\n')).to.include(refusal);
    });
  }

  it('a property that stands twice is refused', () => {
    const text = read('operations/kubernetes/base/worker.yaml').replace('replicas: 2', 'replicas: 2\n  replicas: 3');
    expect(() => manifestProblems(text, '1.37')).to.throw('Map keys must be unique');
  });
});
