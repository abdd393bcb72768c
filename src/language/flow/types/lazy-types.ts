/** Types by name, inferred when they are read: expressions read few of the results of a flow. */
import type { Type } from './type.ts';

export class LazyTypes implements ReadonlyMap<string, Type> {
  readonly #names: ReadonlyMap<string, unknown>;
  readonly #infer: (name: string) => Type;
  readonly #inferred = new Map<string, Type>();

  constructor(names: ReadonlyMap<string, unknown>, infer: (name: string) => Type) {
    this.#names = names;
    this.#infer = infer;
  }

  get size(): number {
    return this.#names.size;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  get(name: string): Type | undefined {
    if (!this.#names.has(name)) return undefined;
    const type = this.#inferred.get(name) ?? this.#infer(name);
    this.#inferred.set(name, type);
    return type;
  }

  set(name: string, type: Type): void {
    this.#inferred.set(name, type);
  }

  keys(): MapIterator<string> {
    return this.#names.keys();
  }

  *entries(): MapIterator<[string, Type]> {
    for (const name of this.keys()) yield [name, this.get(name)!];
  }

  *values(): MapIterator<Type> {
    for (const name of this.keys()) yield this.get(name)!;
  }

  [Symbol.iterator](): MapIterator<[string, Type]> {
    return this.entries();
  }

  forEach(each: (type: Type, name: string, types: ReadonlyMap<string, Type>) => void): void {
    for (const [name, type] of this) each(type, name, this);
  }
}
