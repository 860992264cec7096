import { join } from 'node:path';
import { checkout } from '../service.ts';
import { sdkFolder } from './stage.ts';
import {
  installNpm,
  installOapiCodegen,
  installOpenapiGenerator,
  installPython,
  paths,
  type Step,
  VERSIONS,
} from './tools.ts';

/** One generator: the commands that make an SDK and run its scenario. `docs/guides/sdks.md` has the same commands. */
export interface Sdk {
  /** Of the folder in `scripts/sdk` that has its scenario, and of the one below `.local/sdk` that it is made in. */
  name: string;
  generator: string;
  /** Commands that must be on the machine. Each prints its version. */
  needs: readonly (readonly [command: string, versionArgument: string])[];
  /** The generator itself, from the registry of its language. */
  install: readonly Step[];
  /** True if a failed installation is a failure. Otherwise the generator is skipped by name. */
  isRequired?: true;
  /** From the contract to a client. */
  generate: readonly Step[];
  compile: readonly Step[];
  run: Step;
}

const CONTRACT = join(sdkFolder, 'openapi.json');
const OLDER_CONTRACT = join(sdkFolder, 'openapi-3.0.json');

const TSC = [
  ...[paths.bin('tsc'), '--strict', '--skipLibCheck', '--target', 'es2022', '--esModuleInterop'],
  ...['--module', 'commonjs', '--moduleResolution', 'node10', '--outDir', 'out'],
  ...['--types', 'node', '--typeRoots', join(checkout, 'node_modules/@types')],
];

const TYPESCRIPT = {
  needs: [['npm', '--version']],
  install: installNpm,
  isRequired: true,
  compile: [{ command: ['cp', join(checkout, 'scripts/sdk/shared.ts'), '.'] }, { command: [...TSC, 'scenario.ts'] }],
  run: { command: [process.execPath, 'out/scenario.js'] },
} as const;

/** The program that `docs/guides/sdks.md` shows, compiled and run by the commands of the guide. */
export const EXAMPLE: readonly Step[] = [
  {
    command: [
      ...[paths.bin('tsc'), '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'commonjs'],
      ...['--moduleResolution', 'node10', '--outDir', 'out', 'client.ts'],
    ],
  },
  { command: ['node', 'out/client.js'] },
];

const PYTHON = {
  compile: [{ command: [paths.python, '-m', 'compileall', '-q', 'paylinks'] }],
  run: { command: [paths.python, 'scenario.py'] },
} as const;

const GO = {
  compile: [{ command: ['go', 'mod', 'tidy'] }, { command: ['go', 'build', '-o', 'scenario', '.'] }],
  run: { command: ['./scenario'] },
} as const;

/** Rust SDKs share what they compile, and go easy on the machine. */
function cargo(...args: string[]): Step {
  return {
    command: ['cargo', ...args, '--quiet', '--jobs', '2'],
    environment: { CARGO_TARGET_DIR: paths.cargoTarget },
  };
}

/** Of webhooks it would make operations of the client, in Python with faulty code; hence what it is to generate. */
function openapiGenerator(language: string, output: string, properties: string): Step[] {
  const jar = ['java', '-jar', paths.openapiGenerator, 'generate', '--global-property', 'apis,models,supportingFiles'];
  return [{ command: [...jar, '-g', language, '-i', CONTRACT, '-o', output, '--additional-properties', properties] }];
}

/** All generators for which the contract is made. */
export const sdks: readonly Sdk[] = [
  {
    name: 'hey-api',
    generator: `@hey-api/openapi-ts ${VERSIONS.heyApi}`,
    ...TYPESCRIPT,
    generate: [{ command: [paths.bin('openapi-ts'), '-i', CONTRACT, '-o', 'sdk', '-c', '@hey-api/client-fetch'] }],
    compile: [...EXAMPLE, ...TYPESCRIPT.compile],
  },
  {
    name: 'openapi-fetch',
    generator: `openapi-typescript ${VERSIONS.openapiTypescript} with openapi-fetch ${VERSIONS.openapiFetch}`,
    ...TYPESCRIPT,
    generate: [{ command: [paths.bin('openapi-typescript'), CONTRACT, '-o', 'sdk/schema.ts'] }],
  },
  {
    name: 'openapi-python-client',
    generator: `openapi-python-client ${VERSIONS.openapiPythonClient}`,
    needs: [['python3', '--version']],
    install: installPython,
    generate: [
      {
        command: [
          ...[paths.openapiPythonClient, 'generate', '--path', CONTRACT],
          ...['--meta', 'none', '--output-path', 'paylinks'],
        ],
      },
    ],
    ...PYTHON,
  },
  {
    name: 'openapi-generator-python',
    generator: `openapi-generator ${VERSIONS.openapiGenerator}, python`,
    needs: [
      ['python3', '--version'],
      ['java', '-version'],
      ['mvn', '-version'],
    ],
    install: [...installPython, ...installOpenapiGenerator],
    generate: openapiGenerator('python', '.', 'packageName=paylinks'),
    ...PYTHON,
  },
  {
    name: 'openapi-generator-go',
    generator: `openapi-generator ${VERSIONS.openapiGenerator}, go`,
    needs: [
      ['go', 'version'],
      ['java', '-version'],
      ['mvn', '-version'],
    ],
    install: installOpenapiGenerator,
    generate: openapiGenerator(
      'go',
      'paylinks',
      'packageName=paylinks,withGoMod=false,enumClassPrefix=true,useOneOfDiscriminatorLookup=true,' +
        'disallowAdditionalPropertiesIfNotPresent=false',
    ),
    compile: [{ command: ['rm', '-rf', 'paylinks/test'] }, ...GO.compile],
    run: GO.run,
  },
  {
    name: 'openapi-generator-java',
    generator: `openapi-generator ${VERSIONS.openapiGenerator}, java`,
    needs: [
      ['java', '-version'],
      ['mvn', '-version'],
    ],
    install: installOpenapiGenerator,
    generate: openapiGenerator(
      'java',
      '.',
      'library=native,enumUnknownDefaultCase=true,openApiNullable=false,' +
        'invokerPackage=paylinks,apiPackage=paylinks.api,modelPackage=paylinks.model,groupId=com.example,artifactId=paylinks',
    ),
    compile: [
      { command: ['mv', 'Scenario.java', 'src/main/java/'] },
      {
        command: [
          ...['mvn', '-q', '-B', 'compile', 'dependency:build-classpath', '-Dmaven.test.skip=true'],
          '-Dmdep.outputFile=classpath.txt',
        ],
      },
    ],
    run: { command: ['sh', '-c', 'exec java -cp "target/classes:$(cat classpath.txt)" Scenario'] },
  },
  {
    name: 'openapi-generator-rust',
    generator: `openapi-generator ${VERSIONS.openapiGenerator}, rust`,
    needs: [
      ['cargo', '--version'],
      ['java', '-version'],
      ['mvn', '-version'],
    ],
    install: installOpenapiGenerator,
    generate: openapiGenerator('rust', 'paylinks', 'packageName=paylinks,library=reqwest'),
    compile: [cargo('build')],
    run: cargo('run'),
  },
  {
    name: 'oapi-codegen',
    generator: `oapi-codegen ${VERSIONS.oapiCodegen}`,
    needs: [['go', 'version']],
    install: installOapiCodegen,
    generate: [
      { command: ['mkdir', 'paylinks'] },
      {
        command: [
          ...[paths.oapiCodegen, '-generate', 'types,client,skip-prune', '-package', 'paylinks'],
          ...['-o', 'paylinks/paylinks.gen.go', CONTRACT],
        ],
      },
    ],
    ...GO,
  },
  {
    name: 'progenitor',
    generator: `progenitor ${VERSIONS.progenitor}, from the copy in OpenAPI 3.0`,
    needs: [['cargo', '--version']],
    install: [],
    // A macro generates the client while it is compiled.
    generate: [{ command: ['cp', OLDER_CONTRACT, 'openapi-3.0.json'] }],
    compile: [cargo('build')],
    run: cargo('run'),
  },
];
