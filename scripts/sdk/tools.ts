import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../service.ts';
import { sdkFolder } from './stage.ts';

/** A command with its arguments, in a folder below `sdkFolder`. */
export interface Step {
  command: readonly string[];
  /** By default the SDK's own folder. */
  folder?: string;
  environment?: Record<string, string>;
}

/** Every generator with the version that is known to work; what it imports besides is chosen by its own lockfile. */
export const VERSIONS = {
  heyApi: '0.99.0',
  openapiFetch: '0.17.0',
  openapiTypescript: '7.13.0',
  typescript: '5.9.3',
  openapiPythonClient: '0.29.1',
  openapiGenerator: '7.25.0',
  oapiCodegen: '2.8.2',
  progenitor: '0.15.1',
} as const;

const tools = join(sdkFolder, 'tools');

/** Paths of the installed tools. */
export const paths = {
  /** Above every SDK's folder, so that scenarios find the client's package. */
  npm: sdkFolder,
  bin: (name: string) => join(sdkFolder, 'node_modules', '.bin', name),
  python: join(tools, 'python', 'bin', 'python'),
  openapiPythonClient: join(tools, 'python', 'bin', 'openapi-python-client'),
  openapiGenerator: join(tools, `openapi-generator-cli-${VERSIONS.openapiGenerator}.jar`),
  oapiCodegen: join(tools, 'go', 'oapi-codegen'),
  cargoTarget: join(sdkFolder, 'target'),
};

const npmPackages = [
  `@hey-api/openapi-ts@${VERSIONS.heyApi}`,
  `openapi-fetch@${VERSIONS.openapiFetch}`,
  `openapi-typescript@${VERSIONS.openapiTypescript}`,
  `typescript@${VERSIONS.typescript}`,
];

/** Installs the TypeScript generators, their client and a compiler. */
export const installNpm: readonly Step[] = unless(paths.bin('openapi-ts'), [
  { command: ['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', paths.npm, ...npmPackages] },
]);

/** Makes a virtual environment with the Python generator and what generated clients import. */
export const installPython: readonly Step[] = unless(paths.openapiPythonClient, [
  { command: ['python3', '-m', 'venv', join(tools, 'python')] },
  { command: [paths.python, '-m', 'pip', 'install', '--quiet', '-r', join(checkout, 'scripts/sdk/requirements.txt')] },
]);

/** Fetches openapi-generator from Maven Central. */
export const installOpenapiGenerator: readonly Step[] = unless(paths.openapiGenerator, [
  {
    command: [
      ...['mvn', '-q', '-B', 'dependency:copy', `-DoutputDirectory=${tools}`],
      `-Dartifact=org.openapitools:openapi-generator-cli:${VERSIONS.openapiGenerator}`,
    ],
  },
]);

/** Builds oapi-codegen. */
export const installOapiCodegen: readonly Step[] = unless(paths.oapiCodegen, [
  {
    command: ['go', 'install', `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${VERSIONS.oapiCodegen}`],
    environment: { GOBIN: join(tools, 'go') },
  },
]);

/** The steps, unless what they make is there already. */
function unless(made: string, steps: readonly Step[]): readonly Step[] {
  return existsSync(made) ? [] : steps;
}
