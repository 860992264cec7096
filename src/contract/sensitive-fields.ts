import { document } from './document.ts';
import { isObject, type Json, resolve } from './json-pointer.ts';

/** Fields that let their reader act as somebody else: never logged (`x-secret`). */
export const secretFields: ReadonlySet<string> = fieldsMarked('x-secret');

/** Fields that tell who a patient is or what the matter is: never logged (`x-personal`). */
export const personalFields: ReadonlySet<string> = fieldsMarked('x-personal');

/** All of them: what the logger blanks. */
export const sensitiveFields: ReadonlySet<string> = new Set([...secretFields, ...personalFields]);

/**
 * The names of all properties whose schema, or the schema it refers to, carries the mark. Names, because a log line
 * shows fields out of their context: whatever is called like a sensitive field is treated as one.
 */
function fieldsMarked(mark: string): ReadonlySet<string> {
  const names = new Set<string>();
  const walk = (node: Json): void => {
    if (Array.isArray(node)) node.forEach(walk);
    if (!isObject(node)) return;
    if (isObject(node.properties)) {
      for (const [name, schema] of Object.entries(node.properties)) {
        const target = resolve(document, schema);
        if (isObject(target) && target[mark] === true) names.add(name);
      }
    }
    Object.values(node).forEach(walk);
  };
  walk(document.components?.schemas);
  return names;
}
