/**
 * Views of the objects of a source. A view behaves like its object, and records which keys an importer reads, so that
 * the rest can be reported. `fidelity.ts` reports the rest; `json-verbs.ts`, `read-xml.ts` and the importers of Studio
 * and Connect make the views.
 *
 * Invariants
 * - a key is read when its value is; listing the entries of an object reads them all;
 * - the cost is linear in the size of the source: each object has one view, made when it is first read.
 */

interface Reading {
  source: object;
  read: Set<string>;
  /** True if each key is accounted for, also while none is read. */
  isOpen: boolean;
  /** Views of the objects below, by key. */
  below: Map<string, object>;
  /** True if the object is imported as it is, with all that is below it. */
  isWhole: boolean;
}

const READINGS = new WeakMap<object, Reading>();

export function viewOf<Source extends object>(source: Source): Source {
  if (READINGS.has(source)) return source;
  const reading: Reading = { source, read: new Set(), isOpen: false, below: new Map(), isWhole: false };
  const view = new Proxy(source, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof key !== 'string' || !Object.hasOwn(target, key)) return value;
      reading.read.add(key);
      if (typeof value !== 'object' || value === null) return value;
      const known = reading.below.get(key);
      if (known !== undefined) return known;
      const below = viewOf(value);
      reading.below.set(key, below);
      return below;
    },
  });
  READINGS.set(view, reading);
  return view;
}

/** The object behind a view, for a look that imports nothing. */
export const unviewed = <Source extends object>(view: Source): Source =>
  (READINGS.get(view)?.source as Source | undefined) ?? view;

/** The value behind a view, which the flow takes as it is, with all keys. */
export function whole<Value>(value: Value): Value {
  const reading = typeof value === 'object' && value !== null ? READINGS.get(value) : undefined;
  if (reading === undefined) return value;
  reading.isWhole = true;
  return reading.source as Value;
}

/** Accounts for each key of an object, also if the importer reads none of them. */
export function openView(view: object): void {
  const reading = READINGS.get(view);
  if (reading !== undefined) reading.isOpen = true;
}

/** Passes over keys that have no meaning in a call here, or that a note covers. */
export function passOver(view: object, keys: readonly string[]): void {
  const reading = READINGS.get(view);
  if (reading === undefined) return;
  for (const key of keys) whole((view as Record<string, unknown>)[key]);
}

/**
 * Paths of the keys that nothing has read. An object of which no key has been read is one path. `isElsewhere` is true for
 * views that are accounted for with another node.
 */
export function* unreadIn(
  view: object,
  isElsewhere: (view: object) => boolean,
  above: readonly string[] = [],
): Generator<readonly string[]> {
  const reading = READINGS.get(view);
  if (reading === undefined || reading.isWhole) return;
  const { source, read, below } = reading;
  for (const [key, value] of Object.entries(source)) {
    if (value === null || value === undefined) continue;
    const inner = below.get(key);
    if (!read.has(key)) yield [...above, key];
    else if (inner === undefined || isElsewhere(inner)) continue;
    else if (isUntouched(inner) && Object.keys(value as object).length > 0) yield [...above, key];
    else yield* unreadIn(inner, isElsewhere, [...above, key]);
  }
}

function isUntouched(view: object): boolean {
  const reading = READINGS.get(view);
  return reading !== undefined && !reading.isWhole && !reading.isOpen && reading.read.size === 0;
}
