import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parseTimestamp } from '../platform/base/time/timestamp.ts';

/** Keywords in schemas of OpenAPI and of this contract that check nothing. */
const ANNOTATIONS = ['discriminator', 'example', 'x-multiline', 'x-personal', 'x-secret'];

/**
 * Creates an Ajv for the contract's schemas: JSON Schema 2020-12 with format checks. It changes no values and reports one
 * fault only, so that a hostile body cannot make it collect thousands. Compiling throws for an unknown keyword or format.
 * Schemas are not validated themselves, because that takes 0.3 s at each start; a test does so. `overrides` take precedence.
 */
export function createAjv(overrides: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({ strictTypes: true, validateSchema: false, ...overrides });
  addFormats.default(ajv);
  // The package's format accepts leap seconds, which Date and PostgreSQL read differently.
  ajv.addFormat('date-time', { type: 'string', validate: (text: string) => parseTimestamp(text) !== null });
  ajv.addVocabulary(ANNOTATIONS);
  // Clients must expect further values. The service itself sends and accepts only those in the list.
  ajv.addKeyword({
    keyword: 'x-extensible-enum',
    schemaType: 'array',
    macro: (values: unknown[]) => ({ enum: values }),
  });
  return ajv;
}

/** Returns a function that compiles the schema at a pointer (`#/components/schemas/Patient`), once. The caller names its type. */
export function schemaCompiler(contract: object, overrides: Options = {}) {
  // Ajv treats the whole document as a schema and its members as keywords, so they are added to the vocabulary. Strict
  // types would require a `type` beside every reference with another keyword.
  const ajv = createAjv({ strictTypes: false, ...overrides });
  ajv.addVocabulary(Object.keys(contract)).addSchema(contract, 'contract');
  return <T = unknown>(pointer: string): ValidateFunction<T> => {
    const validate = ajv.getSchema<T>(`contract${pointer}`);
    if (validate === undefined) throw new Error(`the contract has no schema at ${pointer}`);
    return validate;
  };
}
