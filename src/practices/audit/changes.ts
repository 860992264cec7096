/** A field that an act changed, with its values as the entry has them. */
export interface FieldChange {
  field: string;
  before: string;
  after: string;
}

/** Stands for a value that there is not. */
export const NO_VALUE = '–';

/** Lists the fields that differ. Without a state before or after, all fields of the other one. */
export function listChanges(before: object | null, after: object | null): FieldChange[] {
  const [old, present] = [new Map(Object.entries(before ?? {})), new Map(Object.entries(after ?? {}))];
  return [...new Set([...old.keys(), ...present.keys()])]
    .map((field) => ({ field, before: textOf(old.get(field)), after: textOf(present.get(field)) }))
    .filter((change) => change.before !== change.after);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return NO_VALUE;
  if (Array.isArray(value)) return value.map(textOf).join(', ') || NO_VALUE;
  return typeof value === 'object' ? JSON.stringify(value) : `${value}`;
}
