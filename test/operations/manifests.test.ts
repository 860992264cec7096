import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { checkout } from '../harness/processes.ts';

type Labels = Record<string, string>;

interface Probe {
  httpGet: { port: string };
}

interface Container {
  args: string[];
  ports?: { name: string; containerPort: number }[];
  startupProbe?: Probe;
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  volumeMounts?: { name: string }[];
  resources: { requests: object; limits: object };
  securityContext: object;
}

interface Template {
  metadata?: { labels: Labels };
  spec: {
    terminationGracePeriodSeconds?: number;
    securityContext: object;
    topologySpreadConstraints?: { labelSelector: { matchLabels: Labels } }[];
    containers: [Container];
    volumes?: { name: string }[];
  };
}

interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: {
    replicas?: number;
    selector: { matchLabels: Labels };
    template: Template;
  };
}

/** Returns the manifests of a text that have one of the kinds. */
function manifestsOf(text: string, ...kinds: string[]) {
  const documents = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
  return documents.filter(({ kind }) => kinds.includes(kind));
}

const files = globSync('operations/kubernetes/{base,example}/*.yaml', { cwd: checkout });
const text = files.map((file) => readFileSync(join(checkout, file), 'utf8')).join('---\n');
const deployments = manifestsOf(text, 'Deployment');
const processes = [...deployments, ...manifestsOf(text, 'Job')];

describe('manifests for Kubernetes', () => {
  it('manifests give every process its probes, its time to stop and its pods on several nodes', () => {
    expect(processes.map(({ metadata }) => metadata.name)).to.have.members([
      'paylinks-api',
      'paylinks-worker',
      'paylinks-migrate',
    ]);
    for (const { metadata, spec } of deployments) {
      const { containers, terminationGracePeriodSeconds, topologySpreadConstraints } = spec.template.spec;
      expect(containers[0], metadata.name).to.include.keys('startupProbe', 'readinessProbe', 'livenessProbe');
      // A worker ends within 18 seconds of SIGTERM. An API may drain for 30 seconds, and ends within 15 more.
      const longestSeconds = metadata.name === 'paylinks-api' ? 45 : 18;
      expect(terminationGracePeriodSeconds, metadata.name).to.be.above(longestSeconds);
      expect(containers[0], metadata.name).to.not.have.property('lifecycle');
      expect(topologySpreadConstraints?.[0]?.labelSelector, metadata.name).to.deep.equal(spec.selector);
    }
  });

  it('manifests give every process a request of CPU time and memory, and a limit of memory', () => {
    for (const { metadata, spec } of processes) {
      const { requests, limits } = spec.template.spec.containers[0].resources;
      expect(requests, metadata.name).to.have.all.keys('cpu', 'memory');
      expect(limits, metadata.name).to.have.all.keys('memory');
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
    for (const { metadata, spec } of deployments) {
      const { containers, volumes = [] } = spec.template.spec;
      const [{ ports = [], volumeMounts = [], startupProbe, readinessProbe, livenessProbe }] = containers;
      expect(spec.template.metadata?.labels, metadata.name).to.include(spec.selector.matchLabels);
      for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
        expect(ports.map(({ name }) => name)).to.include(probe?.httpGet.port);
      }
      expect(volumes.map(({ name }) => name)).to.have.members(volumeMounts.map(({ name }) => name));
    }
  });

  it('manifests let one pod of each deployment be moved at a time, also when pods are not ready', () => {
    const budgets = manifestsOf(text, 'PodDisruptionBudget').map(({ spec }) => spec);
    expect(budgets).to.have.deep.members(
      deployments.map(({ spec: { selector } }) => ({
        maxUnavailable: 1,
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
        selector,
      })),
    );
  });

  it('the service sends requests to a port of the API', () => {
    const [service] = manifestsOf(text, 'Service').map(
      ({ spec }) => spec as unknown as { selector: Labels; ports: [{ targetPort: string }] },
    );
    const api = deployments.find(({ metadata }) => metadata.name === 'paylinks-api');
    expect(service?.selector).to.deep.equal(api?.spec.selector.matchLabels);
    const ports = api?.spec.template.spec.containers[0].ports?.map(({ name }) => name);
    expect(ports).to.include(service?.ports[0].targetPort);
  });

  it('the example leaves the number of APIs to its autoscaler, so that no deploy takes pods away', function () {
    const { error, status, stdout, stderr } = spawnSync('kubectl', ['kustomize', 'operations/kubernetes/example'], {
      cwd: checkout,
      encoding: 'utf8',
    });
    if (error !== undefined) return this.skip();
    expect(status, stderr).to.equal(0);
    const scaled = manifestsOf(stdout, 'HorizontalPodAutoscaler').map(
      ({ spec }) => (spec as unknown as { scaleTargetRef: { name: string } }).scaleTargetRef.name,
    );
    expect(scaled).to.deep.equal(['paylinks-api']);
    const replicas = manifestsOf(stdout, 'Deployment').map(({ metadata, spec }) => [metadata.name, spec.replicas]);
    expect(replicas).to.have.deep.members([
      ['paylinks-api', undefined],
      ['paylinks-worker', 2],
    ]);
  });
});
