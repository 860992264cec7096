import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { type DocumentOptions, parseAllDocuments, type SchemaOptions } from 'yaml';
import { leaveOut } from '../harness/leave-out.ts';
import { checkout } from '../harness/processes.ts';

/** A document of any kind, which its schema has judged. */
// biome-ignore lint/suspicious/noExplicitAny: manifests of every kind, read by the tests that know them
type Manifest = any;

/** Returns the offences of a document against the schema of its format, a line each. */
type Check = (document: Manifest) => string[];

const KUBERNETES = ['1.30', '1.37'] as const;
const MANIFESTS = globSync('operations/kubernetes/**/*.yaml', { cwd: checkout }).toSorted();
const COMPOSITION = 'operations/container/compose.yaml';

const schemaOf = (name: string): Record<string, unknown> =>
  JSON.parse(gunzipSync(readFileSync(new URL(`schemas/${name}.json.gz`, import.meta.url))).toString());
const read = (file: string) => readFileSync(join(checkout, file), 'utf8');

const kubernetes = new Map(KUBERNETES.map((version) => [version, kubernetesCheck(version)]));
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
    const { apiVersion, kind }: { apiVersion: string; kind: string } = document;
    const [group = '', api] = apiVersion.split('/');
    const name = [kind.toLowerCase(), group.split('.')[0], api].filter((part) => part !== undefined).join('-');
    const validate = ajv.getSchema(`kubernetes#/$defs/${name}`);
    if (validate === undefined) return [`${version} has no ${kind} of ${apiVersion} among our schemas`];
    return checkOf(validate as ValidateFunction)(document);
  };
}

/** Returns the documents of a text. Kubernetes reads YAML 1.1, in which `on` is no word. */
function documentsOf(text: string, options: DocumentOptions & SchemaOptions = { version: '1.1' }): Manifest[] {
  return parseAllDocuments(text, options).map((document) => {
    if (document.errors.length > 0) throw new Error(document.errors.map(({ message }) => message).join('\n'));
    return document.toJS();
  });
}

function manifestProblems(text: string): string[] {
  return documentsOf(text).flatMap((document) =>
    document.kind === 'Kustomization'
      ? kustomization(document)
      : [...kubernetes.values()].flatMap((check) => check(document)),
  );
}

const compositionProblems = (text: string) => documentsOf(text, { merge: true }).flatMap(composition);

const manifests = documentsOf(MANIFESTS.map(read).join('---\n'));
const ofKind = (...kinds: string[]) => manifests.filter(({ kind }) => kinds.includes(kind));
const deployments = ofKind('Deployment');
const processes = ofKind('Deployment', 'Job');

describe('manifests for Kubernetes', () => {
  it(`manifests and kustomizations are valid for Kubernetes ${KUBERNETES.join(' and ')}, and the composition is for Compose`, () => {
    expect(MANIFESTS).to.have.length.at.least(6);
    for (const file of MANIFESTS) expect(manifestProblems(read(file)), file).to.deep.equal([]);
    expect(compositionProblems(read(COMPOSITION))).to.deep.equal([]);
  });

  it('manifests give every process its probes, its time to stop, its pods on several nodes, and limits', () => {
    const names = processes.map(({ metadata }) => metadata.name);
    expect(names).to.have.members(['paylinks-api', 'paylinks-worker', 'paylinks-migrate']);
    for (const { metadata, spec } of processes) {
      const { requests, limits } = spec.template.spec.containers[0].resources;
      expect(requests, metadata.name).to.have.all.keys('cpu', 'memory');
      expect(limits, metadata.name).to.have.all.keys('memory');
    }
    for (const { metadata, spec } of deployments) {
      const { containers, terminationGracePeriodSeconds, topologySpreadConstraints } = spec.template.spec;
      expect(containers[0], metadata.name).to.include.keys('startupProbe', 'readinessProbe', 'livenessProbe');
      // A worker ends within 18 seconds of SIGTERM. An API may drain for 30 seconds, and ends within 15 more.
      const longestSeconds = metadata.name === 'paylinks-api' ? 45 : 18;
      expect(terminationGracePeriodSeconds, metadata.name).to.be.above(longestSeconds);
      expect(containers[0], metadata.name).to.not.have.property('lifecycle');
      expect(topologySpreadConstraints[0].labelSelector, metadata.name).to.deep.equal(spec.selector);
    }
  });

  it('manifests fit the standard "restricted" of Pod Security, with a read-only file system and a group other than root', () => {
    for (const { metadata, spec } of processes) {
      const { securityContext, containers } = spec.template.spec;
      expect(securityContext, metadata.name).to.deep.equal({
        runAsNonRoot: true,
        runAsUser: 10001,
        runAsGroup: 10001,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(containers[0].securityContext, metadata.name).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('manifests name labels, ports and volumes that exist', () => {
    const namesOf = (members: { name: string }[] = []) => members.map(({ name }) => name);
    for (const { metadata, spec } of deployments) {
      const { containers, volumes } = spec.template.spec;
      const [{ ports, volumeMounts, ...probes }] = containers;
      expect(spec.template.metadata.labels, metadata.name).to.include(spec.selector.matchLabels);
      for (const name of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
        expect(namesOf(ports)).to.include(probes[name].httpGet.port);
      }
      expect(namesOf(volumes)).to.have.members(namesOf(volumeMounts));
    }
    const [service] = ofKind('Service');
    const api = deployments.find(({ metadata }) => metadata.name === 'paylinks-api');
    expect(service.spec.selector).to.deep.equal(api.spec.selector.matchLabels);
    expect(namesOf(api.spec.template.spec.containers[0].ports)).to.include(service.spec.ports[0].targetPort);
  });

  it('manifests let one pod of each deployment be moved at a time, also when pods are not ready', () => {
    const always = { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' };
    const expected = deployments.map(({ spec: { selector } }) => ({ ...always, selector }));
    expect(ofKind('PodDisruptionBudget').map(({ spec }) => spec)).to.have.deep.members(expected);
  });

  it('the example is valid after kustomize made it, and leaves the number of APIs to its autoscaler, so that no deploy takes pods away', function () {
    const options = { cwd: checkout, encoding: 'utf8' } as const;
    const made = spawnSync('kubectl', ['kustomize', 'operations/kubernetes/example'], options);
    if (made.error !== undefined) return leaveOut(this, 'no kubectl on this machine');
    expect(made.status, made.stderr).to.equal(0);
    expect(manifestProblems(made.stdout)).to.deep.equal([]);
    expect(made.stdout).to.include('kind: Secret');
    const documents = documentsOf(made.stdout);
    const specs = (wanted: string) => documents.filter(({ kind }) => kind === wanted);
    const scaled = specs('HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef.name);
    expect(scaled).to.deep.equal(['paylinks-api']);
    const replicas = specs('Deployment').map(({ metadata, spec }) => [metadata.name, spec.replicas]);
    expect(replicas).to.have.deep.members([
      ['paylinks-api', undefined],
      ['paylinks-worker', 2],
    ]);
  });
});
