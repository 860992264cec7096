import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { checkout } from '../../scripts/service.ts';
import { sdkFolder } from './stage.ts';

/** One generator: the commands that make an SDK and run its scenario, each a line of `sh`. */
export interface Sdk {
  /** Of the folder in `proofs/sdk` that has its scenario, and of the one below `.local/sdk` that it is made in. */
  name: string;
  generator: string;
  /** Commands that must be on the machine. Each prints its version. */
  needs: readonly string[];
  /** Installs the generator itself, from the registry of its language. Runs in `.local/sdk`. */
  install: readonly string[];
  /** True if a failed installation is a failure. Otherwise the generator is skipped by name. */
  isRequired?: true;
  /** True if programs must compile with every later SDK. In other languages an optional parameter may cost them a change. */
  staysCompatible?: true;
  /** Makes a client of the contract, by the command that `docs/guides/sdks.md` shows. None for a macro. */
  generate?: string;
  compile: readonly string[];
  run: string;
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
const programs = {
  npm: join(sdkFolder, 'node_modules/.bin'),
  python: join(tools, 'python/bin'),
  go: join(tools, 'go'),
};

/** The environment of all commands: generators are on PATH, and what one language compiles is shared. */
export const toolEnvironment = {
  PATH: [...Object.values(programs), process.env.PATH].join(delimiter),
  CARGO_TARGET_DIR: join(sdkFolder, 'target'),
  GOBIN: programs.go,
  // No toolchain is fetched because of a version in go.mod.
  GOTOOLCHAIN: 'local',
};

/** The steps, unless what they make is there already. */
function unless(made: string, ...steps: string[]): string[] {
  return existsSync(made) ? [] : steps;
}

const TSC = 'tsc --strict --skipLibCheck --target es2022 --module commonjs --moduleResolution node10 --outDir out';

/** The program that `docs/guides/sdks.md` shows, compiled and run by the commands of the guide. */
export const EXAMPLE = [`${TSC} client.ts`, 'node out/client.js'];

const TYPESCRIPT = {
  needs: ['npm --version'],
  // Above every SDK's folder, so that scenarios find the client's package.
  install: unless(
    join(programs.npm, 'openapi-ts'),
    `npm install --no-audit --no-fund --loglevel=error --prefix . @hey-api/openapi-ts@${VERSIONS.heyApi} ` +
      `openapi-fetch@${VERSIONS.openapiFetch} openapi-typescript@${VERSIONS.openapiTypescript} typescript@${VERSIONS.typescript}`,
  ),
  isRequired: true,
  staysCompatible: true,
  compile: [`${TSC} --esModuleInterop --types node --typeRoots ${join(checkout, 'node_modules/@types')} scenario.ts`],
  run: 'node out/scenario.js',
} as const;

/** Name of openapi-generator's program in every SDK's folder. */
const JAR = `openapi-generator-cli-${VERSIONS.openapiGenerator}.jar`;

/** Files that all SDKs are made from, at the paths that they have below a folder with contracts, or below `.local/sdk`. */
export const CONTRACTS = ['openapi.json', 'openapi-3.0.json'];
export const TOOLS = [`tools/${JAR}`];

/** All generators for which the contract is made. */
export const sdks: readonly Sdk[] = [
  {
    name: 'hey-api',
    generator: `@hey-api/openapi-ts ${VERSIONS.heyApi}`,
    ...TYPESCRIPT,
    generate: 'openapi-ts -i openapi.json -o sdk -c @hey-api/client-fetch',
    compile: [
      `sed -n '\\|^// client.ts|,/^\`\`\`/p' "$CHECKOUT/docs/guides/sdks.md" | sed '$d' > client.ts`,
      ...EXAMPLE,
      ...TYPESCRIPT.compile,
    ],
  },
  {
    name: 'openapi-fetch',
    generator: `openapi-typescript ${VERSIONS.openapiTypescript} with openapi-fetch ${VERSIONS.openapiFetch}`,
    ...TYPESCRIPT,
    generate: 'openapi-typescript openapi.json -o sdk/schema.ts',
  },
  {
    name: 'openapi-python-client',
    generator: `openapi-python-client ${VERSIONS.openapiPythonClient}`,
    needs: ['python3 --version'],
    install: unless(
      join(programs.python, 'mypy'),
      'python3 -m venv tools/python',
      `pip install --quiet -r ${join(checkout, 'proofs/sdk/requirements.txt')}`,
    ),
    staysCompatible: true,
    compile: [
      'python -m compileall -q paylinks',
      `mypy --config-file ${join(checkout, 'proofs/sdk/mypy.ini')} scenario.py`,
    ],
    run: 'python scenario.py',
    generate: 'openapi-python-client generate --path openapi.json --meta none --output-path paylinks',
  },
  {
    name: 'openapi-generator-java',
    generator: `openapi-generator ${VERSIONS.openapiGenerator}, java`,
    needs: ['java -version', 'mvn -version'],
    install: unless(
      join(tools, JAR),
      `mvn -q -B dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:${VERSIONS.openapiGenerator} -DoutputDirectory=tools`,
    ),
    // It would make operations of the client of webhooks, hence the list of what it is to generate.
    generate:
      `java -jar ${JAR} generate --global-property apis,models,supportingFiles -g java -i openapi.json -o . ` +
      '--additional-properties library=native,enumUnknownDefaultCase=true,openApiNullable=false,' +
      'invokerPackage=paylinks,apiPackage=paylinks.api,modelPackage=paylinks.model,groupId=com.example,artifactId=paylinks',
    compile: [
      'mv Scenario.java src/main/java/',
      'mvn -q -B compile dependency:build-classpath -Dmaven.test.skip=true -Dmdep.outputFile=classpath.txt',
    ],
    run: 'exec java -cp "target/classes:$(cat classpath.txt)" Scenario',
  },
  {
    name: 'oapi-codegen',
    generator: `oapi-codegen ${VERSIONS.oapiCodegen}`,
    needs: ['go version'],
    compile: ['go mod tidy', 'go build -o scenario .'],
    run: './scenario',
    install: unless(
      join(programs.go, 'oapi-codegen'),
      `go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${VERSIONS.oapiCodegen}`,
    ),
    generate:
      'oapi-codegen -generate types,client,skip-prune -package paylinks -o paylinks/paylinks.gen.go openapi.json',
  },
  {
    name: 'progenitor',
    generator: `progenitor ${VERSIONS.progenitor}, from the copy in OpenAPI 3.0`,
    needs: ['cargo --version'],
    // Easy on the machine.
    compile: ['cargo build --quiet --jobs 2'],
    run: 'cargo run --quiet --jobs 2',
    install: [],
  },
];
