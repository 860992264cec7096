import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** What OpenAPI and this contract write into schemas without meaning it as a check. */
const ANNOTATIONS = ['discriminator', 'example', 'x-personal', 'x-secret'];

/**
 * An Ajv that takes schemas the way the contract means them: JSON Schema 2020-12, formats checked, nothing coerced,
 * removed or filled in, and one fault reported (a hostile body must not make it collect thousands). An unknown keyword
 * or format throws when the schema is compiled. `overrides` win; parameters from a query need `coerceTypes`, for
 * example.
 */
export function createAjv(overrides: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: true,
    allErrors: false,
    removeAdditional: false,
    coerceTypes: false,
    useDefaults: false,
    ...overrides,
  });
  addFormats.default(ajv);
  ajv.addFormat('date-time', { type: 'string', validate: isTimestamp });
  ajv.addVocabulary(ANNOTATIONS);
  // Clients must expect further values; we neither send nor take others than those of today.
  ajv.addKeyword({
    keyword: 'x-extensible-enum',
    schemaType: 'array',
    macro: (values: unknown[]) => ({ enum: values }),
  });
  return ajv;
}

/**
 * A function that compiles any schema of a contract, given the pointer to it (`#/components/schemas/Patient`), with all
 * its references. `overrides` as for `createAjv`. Compiled once per pointer; throws if there is no schema.
 */
export function schemaCompiler(contract: object, overrides: Options = {}): (pointer: string) => ValidateFunction {
  // To Ajv the whole document is a schema, whose members it would take for unknown keywords. Strict types would ask
  // for a `type` beside every reference that carries another keyword.
  const ajv = createAjv({ strictTypes: false, ...overrides });
  ajv.addVocabulary(Object.keys(contract)).addSchema(contract, 'contract');
  return (pointer) => {
    const validate = ajv.getSchema(`contract${pointer}`);
    if (validate === undefined) throw new Error(`the contract has no schema at ${pointer}`);
    return validate;
  };
}

const TIMESTAMP =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Whether the text is a timestamp of the contract: RFC 3339 with `T` and a zone, a day that exists, and an instant
 * that lies in the years 1 to 9999 UTC. Stricter than the format of ajv-formats, which lets pass a blank for the `T`
 * and leap seconds, neither of which `Date` or PostgreSQL take alike.
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
