/**
 * Keywords of arguments, such as `names`, by the places at which they apply: a keyword in a shared schema applies
 * wherever an argument refers to that schema.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { childPointer } from './document.ts';
import type { SchemaBranch } from './schema-branches.ts';
import { referred, verbSchemas } from './schema-forms.ts';

/** JSON pointer below the arguments, in which `#` stands for every index and `*` for every key, and the keyword's value. */
export type KeywordPlace<Value> = readonly [pointer: string, value: Value];

/** Places of a verb's schema, and those with each keyword that was asked for. */
interface KnownPlaces {
  all: ReadonlyMap<string, readonly JsonObject[]>;
  byKeyword: Map<string, readonly KeywordPlace<Json>[]>;
}

const known = new WeakMap<JsonObject, KnownPlaces>();

/** Places at which a keyword applies, in the order of the schema. A place with several values is listed once for each. */
export function placesWith<Value>(verb: string, keyword: string): readonly KeywordPlace<Value>[] {
  const schema = verbSchemas.get(verb);
  if (schema === undefined) return [];
  const places = known.get(schema) ?? { all: placesOf(schema), byKeyword: new Map() };
  known.set(schema, places);
  const found =
    places.byKeyword.get(keyword) ??
    [...places.all].flatMap(([pointer, schemas]) =>
      schemas.flatMap((each): KeywordPlace<Json>[] => (each[keyword] === undefined ? [] : [[pointer, each[keyword]]])),
    );
  places.byKeyword.set(keyword, found);
  return found as unknown as readonly KeywordPlace<Value>[];
}

function placesOf(schema: JsonObject): ReadonlyMap<string, readonly JsonObject[]> {
  const places = new Map<string, JsonObject[]>();
  const visit = (written: Json | undefined, home: string, pointer: string): void => {
    const layers = [...layersOf(written, home)];
    const isPrompt = layers.some(({ schema: { names } }) => names === 'prompt');
    for (const layer of layers) {
      const at = places.get(pointer) ?? [];
      places.set(pointer, at);
      if (!at.includes(layer.schema)) at.push(layer.schema);
      const { properties, items, additionalProperties } = layer.schema;
      // The parts of a prompt belong to the prompt.
      if (isPrompt && pointer !== '') continue;
      if (isObject(properties))
        for (const [key, inner] of Object.entries(properties)) visit(inner, layer.home, childPointer(pointer, key));
      if (isPrompt) continue;
      if (isObject(items)) visit(items, layer.home, `${pointer}/#`);
      if (isObject(additionalProperties)) visit(additionalProperties, layer.home, `${pointer}/*`);
    }
  };
  visit(schema, 'verb', '');
  return places;
}

/** A schema as written, and those behind its `$ref` and `anyOf`. */
function* layersOf(schema: Json | undefined, home: string): Generator<SchemaBranch> {
  if (!isObject(schema)) return;
  yield { schema, home };
  const { $ref: ref, anyOf } = schema;
  if (typeof ref === 'string') {
    const next = referred(ref, home);
    yield* layersOf(next.schema, next.home);
  }
  if (Array.isArray(anyOf)) for (const branch of anyOf) yield* layersOf(branch, home);
}
