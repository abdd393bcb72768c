/** Converts YAML nodes to plain data. Related: `read-yaml.ts`. */
import type { Json, JsonObject } from '../../../../base/core/json.ts';
import { isMap, isScalar, type YamlNode } from './nodes.ts';

/** Maximum number of values and keys after expanding aliases. A larger result is an attack by alias expansion. */
const MAX_VALUES = 200_000;

/** Returns undefined if an alias refers to an unknown anchor or to itself, or if aliases expand to too many values. */
export function plainData(contents: YamlNode | null): { value: Json } | undefined {
  const maker = new DataMaker();
  const made = contents === null ? { value: null, size: 1 } : maker.make(contents);
  return made === undefined || made.size > MAX_VALUES ? undefined : { value: made.value };
}

interface Made {
  value: Json;
  /** Number of values, in which each use of an alias counts. */
  size: number;
}

/** Names are equal however they were typed: see `load.ts`. */
const composed = <Value>(value: Value): Value | string => (typeof value === 'string' ? value.normalize('NFC') : value);

class DataMaker {
  /** Value of each anchor, which all its aliases share. */
  readonly #anchored = new Map<YamlNode, Made>();

  make(node: YamlNode): Made | undefined {
    if (node.kind === 'alias') {
      const target = node.target?.node;
      return target && this.#anchored.get(target);
    }
    const made = isScalar(node)
      ? { value: composed(node.value), size: 1 }
      : isMap(node)
        ? this.#map(node)
        : this.#list(node);
    if (made !== undefined && node.anchor !== undefined) this.#anchored.set(node, made);
    return made;
  }

  #map({ items }: Extract<YamlNode, { kind: 'map' }>): Made | undefined {
    const value: JsonObject = {};
    let size = 1;
    for (const pair of items) {
      const key = this.make(pair.key);
      const inner = pair.value === null ? { value: null, size: 1 } : this.make(pair.value);
      if (key === undefined || inner === undefined) return undefined;
      const name = key.value === null ? '' : String(key.value);
      // `__proto__` is an ordinary key.
      if (name in value) Object.defineProperty(value, name, { value: inner.value, ...PLAIN });
      else value[name] = inner.value;
      size += key.size + inner.size;
    }
    return { value, size };
  }

  #list({ items }: Extract<YamlNode, { kind: 'seq' }>): Made | undefined {
    const value: Json[] = [];
    let size = 1;
    for (const item of items) {
      const inner = this.make(item);
      if (inner === undefined) return undefined;
      value.push(inner.value);
      size += inner.size;
    }
    return { value, size };
  }
}

const PLAIN = { writable: true, enumerable: true, configurable: true };
