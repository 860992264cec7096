import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

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
  ajv.addFormat('date-time', { type: 'string', validate: isTimestamp });
  ajv.addVocabulary(ANNOTATIONS);
  // Clients must expect further values. The service itself sends and accepts only those in the list.
  ajv.addKeyword({
    keyword: 'x-extensible-enum',
    schemaType: 'array',
    macro: (values: unknown[]) => ({ enum: values }),
  });
  return ajv;
}

/**
 * Returns a function that compiles the schema at a pointer (`#/components/schemas/Patient`), with its references. Each
 * schema is compiled once. The function throws if there is no schema. The caller
 * names the type that is made from the schema. `overrides` are as for `createAjv`.
 */
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

const TIMESTAMP =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Returns true for a timestamp of the contract: RFC 3339 with `T` and a zone, an existing day, and a UTC year from 1 to
 * 9999. The package ajv-formats also accepts a blank for the `T` and leap seconds, which `Date` and PostgreSQL read
 * differently.
 */
export function isTimestamp(text: string): boolean {
  const parts = TIMESTAMP.exec(text)?.groups;
  if (parts === undefined) return false;
  // Date.parse rolls 30 February over into March, so the day is checked on its own.
  const lastDay = new Date(Date.UTC(2000 + (Number(parts.year) % 400), Number(parts.month), 0)).getUTCDate();
  if (Number(parts.day) < 1 || Number(parts.day) > lastDay) return false;
  const year = new Date(text).getUTCFullYear();
  return year >= 1 && year <= 9999;
}
