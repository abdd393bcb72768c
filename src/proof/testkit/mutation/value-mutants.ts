/**
 * Mutants of arguments: times, numbers, keys, booleans, methods, reasons, names, and omitted values. They depend on the
 * form of a value only, so that new verbs are covered automatically.
 */
import { formatDuration, parseDuration } from '../../../base/core/duration.ts';
import { isObject, type Json } from '../../../base/core/json.ts';
import { childPointer, isAt, isAtOrBelow, pointerKeys, valueAt, walk } from '../../../base/schema/document.ts';
import { removed, renamed } from './edits.ts';
import {
  entryText,
  forgotten,
  type Mutant,
  type MutantKind,
  mutantAt,
  objectIn,
  type WrittenFlow,
  type WrittenStep,
} from './mutant.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const KEYS = '1234567890*#';
const REASON_VERBS = ['hangup', 'reject'];
/** Schemas and choices: their values are mutated differently than by omission. */
const WHOLE = ['/returns', '/choices'];

export function* valueMutants(flow: WrittenFlow): Generator<Mutant> {
  for (const step of flow.steps.values()) {
    yield* inArguments(flow, step);
    yield* ofStep(flow, step);
  }
  const inherited = objectIn(objectIn(flow.root, 'defaults'), 'input');
  for (const [at, value] of walk(inherited, '/defaults/input')) {
    yield* otherValue(flow, at, value);
    if (pointerKeys(at).length === 3) yield* leftOut(flow, at, value);
  }
  for (const [at, value] of walk(objectIn(flow.root, 'limits'), '/limits')) yield* otherValue(flow, at, value);
  yield* ofVariables(flow);
  yield* ofSchedules(flow);
}

function* inArguments(flow: WrittenFlow, step: WrittenStep): Generator<Mutant> {
  const { name, spec, args, argsPointer } = step;
  const asked = usedKeys(args);
  for (const [at, value] of walk(args)) {
    const pointer = argsPointer + at;
    // Other mutant files handle these.
    if (isAtOrBelow(at, spec.expressions ?? [])) continue;
    const isPrompt = isAtOrBelow(at, spec.prompts ?? []);
    if (!isPrompt && !isAtOrBelow(at, ['/returns'])) {
      yield* otherValue(flow, pointer, value, step);
      yield* otherKey(flow, pointer, value, step, asked);
    }
    const isItem = at !== '' && !isAt(at, ['/returns', '/choices']) && isAtOrBelow(at, WHOLE);
    if (at !== '' && !isItem) yield* leftOut(flow, pointer, value, step, isPrompt);
  }
  if (spec.verb === 'request' || spec.verb === 'webhook') yield* otherMethod(flow, step);
  if (REASON_VERBS.includes(spec.verb) && typeof args === 'string') {
    const other = args === 'busy' ? 'declined' : 'busy';
    yield mutantAt(flow, { kind: 'reason', pointer: argsPointer, value: args, step: name }, other);
  }
  const event = valueAt(args, '/event');
  if (typeof event === 'string')
    yield mutantAt(flow, { kind: 'name', pointer: `${argsPointer}/event`, value: event, step: name }, `${event}.other`);
}

/** Another duration, number or boolean. */
function* otherValue({ root }: WrittenFlow, pointer: string, value: Json, step?: WrittenStep): Generator<Mutant> {
  const make = (kind: MutantKind, other: Json): Mutant =>
    mutantAt({ root }, { kind, pointer, value, step: step?.name }, other);
  if (typeof value === 'boolean') yield make('switch', !value);
  if (typeof value === 'number' && Number.isInteger(value)) {
    yield make('number', value + 1);
    yield make('number', value - 1);
  }
  const durationMs = typeof value === 'string' ? parseDuration(value) : undefined;
  if (durationMs !== undefined && durationMs > 0) yield make('duration', formatDuration(2 * durationMs));
}

function usedKeys(args: Json): string[] {
  return [...walk(args)].map(([, value]) => value).filter((value): value is string => isKey(value));
}

const isKey = (value: Json): value is string => typeof value === 'string' && /^[0-9*#]$/.test(value);

/** A key that the step does not accept otherwise. */
function* otherKey(
  flow: WrittenFlow,
  pointer: string,
  value: Json,
  step: WrittenStep,
  used: readonly string[],
): Generator<Mutant> {
  const other = [...KEYS].find((key) => !used.includes(key));
  if (isKey(value) && other !== undefined)
    yield mutantAt(flow, { kind: 'key', pointer, value, step: step.name }, other);
}

/** Omits an entry of a map or an item of a list. Durations, numbers and booleans are changed instead. */
function* leftOut(
  { root }: WrittenFlow,
  pointer: string,
  value: Json,
  step?: WrittenStep,
  isPrompt = false,
): Generator<Mutant> {
  if (['number', 'boolean'].includes(typeof value) || (typeof value === 'string' && parseDuration(value) !== undefined))
    return;
  const above = valueAt(root, pointer.slice(0, pointer.lastIndexOf('/')));
  const key = pointerKeys(pointer).at(-1)!;
  // Items of prompt lists are handled by `prompt-mutants.ts`.
  if (Array.isArray(above) ? isPrompt || above.length < 2 : !isObject(above)) return;
  const before = Array.isArray(above) ? JSON.stringify(value) : entryText(key, value);
  const place = { pointer, atKey: isObject(above), ...(step && { step: step.name }) };
  yield { kind: 'argument', ...place, before, after: '', root: removed(root, pointer) };
}

function* otherMethod({ root }: WrittenFlow, { name, args, argsPointer }: WrittenStep): Generator<Mutant> {
  const method = METHODS.find((each) => isObject(args) && Object.hasOwn(args, each));
  if (method === undefined) return;
  const other = method === 'post' ? 'put' : 'post';
  const pointer = childPointer(argsPointer, method);
  yield {
    ...{ kind: 'method', pointer, atKey: true, step: name, root: renamed(root, pointer, other) },
    ...{ before: method, after: other },
  };
}

/** Mutants of the keys next to the verb. */
function* ofStep(flow: WrittenFlow, step: WrittenStep): Generator<Mutant> {
  const { name, pointer, written, spec } = step;
  if (written['sensitive'] === true)
    yield forgotten(flow, { kind: 'sensitive', pointer: `${pointer}/sensitive`, value: true, step: name });
  if (written['max_visits'] !== undefined)
    yield* otherValue(flow, `${pointer}/max_visits`, written['max_visits'], step);
  if (spec.form === 'assignments' || !isObject(written['set'])) return;
  for (const [variable, value] of Object.entries(written['set'])) {
    yield forgotten(flow, { kind: 'set', pointer: childPointer(`${pointer}/set`, variable), value, step: name });
  }
}

function* ofVariables(flow: WrittenFlow): Generator<Mutant> {
  for (const scope of ['vars', 'input']) {
    for (const [name, declared] of Object.entries(objectIn(flow.root, scope))) {
      const pointer = childPointer(`/${scope}`, name);
      if (!isObject(declared)) continue;
      if (declared['sensitive'] === true)
        yield forgotten(flow, { kind: 'sensitive', pointer: `${pointer}/sensitive`, value: true });
      const initial = declared['default'];
      if (initial === undefined) continue;
      const other =
        typeof initial === 'number' ? initial + 1 : typeof initial === 'boolean' ? !initial : `other ${initial}`;
      yield mutantAt(flow, { kind: 'default', pointer: `${pointer}/default`, value: initial }, other);
    }
  }
}

/** Opening hours an hour later, and omitted holidays. */
function* ofSchedules(flow: WrittenFlow): Generator<Mutant> {
  for (const [at, value] of walk(objectIn(flow.root, 'schedules'), '/schedules')) {
    const key = pointerKeys(at).at(-1);
    if ((key === 'from' || key === 'to') && typeof value === 'string') {
      const [hours, minutes] = value.split(':').map(Number) as [number, number];
      const other = `${String((hours + 1) % 24).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
      yield mutantAt(flow, { kind: 'schedule', pointer: at, value }, other);
    }
    if (key === 'holidays') yield forgotten(flow, { kind: 'schedule', pointer: at, value });
  }
}
