/** Checks of implausible times: too short to begin, too long to wait, longer than the call; and keys that are lost. */
import { quoting } from '../../base/core/diagnostic.ts';
import { parseDuration } from '../../base/core/duration.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import type { KeywordPlace } from '../../base/schema/argument-keywords.ts';
import { childPointer, type Issue, valueIssue } from '../../base/schema/document.ts';
import { longForm, verbSchemas } from '../../base/schema/schema-forms.ts';
import type { FlowDraft } from './flow-draft.ts';
import { inputDefaultsOf } from './flow-shape.ts';
import { valuesAt } from './named-places.ts';
import { type Sane, sanePlacesOf, usesSecrets } from './verb-facts.ts';

/** Maximum time that a caller waits for a service. */
const MAX_REQUEST_MS = 60_000;

export function* lintTimes(draft: FlowDraft): Generator<Issue> {
  const { root, steps } = draft;
  const inherited = isObject(root['defaults']) ? root['defaults']['input'] : undefined;
  if (isObject(inherited)) {
    yield* oddTimes(inherited, '/defaults/input', inputTimes());
    yield* lostKeys(inherited, '/defaults/input');
  }
  for (const { source, spec, argsPointer } of steps.values()) {
    const written = source[spec.verb] ?? null;
    const long = longForm(spec.verb, written);
    // Only values written at the step: values from the defaults are checked there.
    yield* oddTimes(long, argsPointer, sanePlacesOf(spec.verb));
    if (isObject(written)) {
      if (inputDefaultsOf(spec.verb).length > 0) yield* lostKeys(written, argsPointer);
      if (usesSecrets(spec.verb)) yield* requestTimes(written, argsPointer);
    }
    yield* longerThanTheCall(long, argsPointer, draft);
  }
}

/** Times of questions, which `defaults.input` may set. */
const inputTimes = (): readonly KeywordPlace<Sane>[] =>
  sanePlacesOf([...verbSchemas.keys()].find((verb) => inputDefaultsOf(verb).length > 0) ?? '');

const msOf = (written: Json | undefined): number | undefined =>
  typeof written === 'string' ? parseDuration(written) : undefined;

function* oddTimes(args: Json, pointer: string, places: readonly KeywordPlace<Sane>[]): Generator<Issue> {
  for (const [at, { least, below, most, above, usual, never }] of places) {
    for (const [path, written] of valuesAt(args, at)) {
      const writtenMs = msOf(written);
      if (writtenMs === undefined || (never !== undefined && writtenMs === msOf(never))) continue;
      const problem = writtenMs < msOf(least)! ? below : writtenMs > msOf(most)! ? above : undefined;
      if (problem === undefined) continue;
      const message = problem.replace('#', () => quoting`${String(written)}`);
      yield valueIssue('odd-time', path.reduce<string>(childPointer, pointer), message, `most take ${usual}`);
    }
  }
}

function* lostKeys(args: JsonObject, pointer: string): Generator<Issue> {
  if (args['barge_in'] !== false || args['typeahead'] !== 'flush') return;
  const message = 'no key stops the prompt, and those that are pressed meanwhile are lost';
  const hint = 'write typeahead: from_prompt, or let keys stop the prompt';
  yield valueIssue('lost-keys', `${pointer}/typeahead`, message, hint);
}

function* requestTimes(args: JsonObject, pointer: string): Generator<Issue> {
  const { timeout, retry } = args;
  const timeoutMs = msOf(timeout);
  const times = isObject(retry) && typeof retry['times'] === 'number' ? retry['times'] + 1 : 1;
  if (timeoutMs === undefined || times === 1 || timeoutMs > MAX_REQUEST_MS) return;
  const totalMs = timeoutMs * times;
  if (totalMs <= MAX_REQUEST_MS) return;
  const message = `callers may wait for ${Math.round(totalMs / 1000)} s in ${times} attempts`;
  yield valueIssue('odd-time', `${pointer}/timeout`, message, 'most take 2s to 5s');
}

/** Arguments with a time that a step waits for. */
const WAITS = ['timeout', 'ring_timeout', 'start_timeout', 'max_length', 'max_duration', 'duration'];

function* longerThanTheCall(args: Json, pointer: string, { flow }: FlowDraft): Generator<Issue> {
  if (!isObject(args)) return;
  const { maxDurationMs } = flow.limits;
  for (const key of WAITS) {
    const writtenMs = msOf(args[key]);
    if (writtenMs === undefined || writtenMs <= maxDurationMs) continue;
    const message = `a call of this flow is ended after ${Math.round(maxDurationMs / 1000)} s, before this is over`;
    const at = childPointer(pointer, key);
    yield valueIssue('odd-time', at, message, 'shorten it, or set a longer limits: { max_duration: … }');
  }
}
