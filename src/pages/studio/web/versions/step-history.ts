/**
 * Changes of one step over the versions of its flow. A step that was renamed is followed where the rename can be
 * recognised. `history-dialog.tsx` shows them.
 */
import { isEqualJson, isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { readFlow } from '../../../../language/flow/text/flow-reader.ts';
import { openText, valueAt } from '../../../../language/flow/text/flow-source.ts';
import { writtenValue } from '../../../../language/flow/text/value-text.ts';
import { withPlainEnds } from '../text/line-ends.ts';
import { readVersion, type Version } from './version-api.ts';

/** A step in one version. */
export interface StepState {
  name: string;
  value: Json;
  /** Its lines in the file, without indentation. */
  text: string;
}

export interface StepChange {
  version: Version;
  /** Undefined if the version has removed the step. */
  now: StepState | undefined;
  /** Undefined if the version has added the step, or if no older version is kept. */
  before: StepState | undefined;
  isOldest: boolean;
}

interface HistoryOptions {
  flow: string;
  /** Versions of the flow, the newest first. */
  versions: readonly Version[];
  step: string;
  /** Present text of the flow, which contains the step. */
  text: string;
  /** Reads the text of a version. */
  read?(flow: string, hash: string): Promise<string>;
}

/** Changes of the step, the newest first. Each version is read when the next change is asked for. */
export async function* stepHistory({
  flow,
  versions,
  step,
  text,
  read = readVersion,
}: HistoryOptions): AsyncGenerator<StepChange> {
  let newer = { text, name: step as string | undefined };
  let last: { version: Version; state: StepState | undefined } | undefined;
  for (const version of versions) {
    const older = withPlainEnds(await read(flow, version.hash));
    // A version that lacks the step may be older than another that has it.
    const name = newer.name === undefined ? step : nameBefore(newer.text, newer.name, older);
    const state = name === undefined ? undefined : stateOf(older, name);
    if (last !== undefined && !isSame(last.state, state))
      yield { version: last.version, now: last.state, before: state, isOldest: false };
    if (last?.state !== undefined && state === undefined) return;
    newer = { text: older, name: state?.name };
    last = { version, state };
  }
  if (last?.state !== undefined) yield { version: last.version, now: last.state, before: undefined, isOldest: true };
}

const isSame = (one: StepState | undefined, other: StepState | undefined): boolean =>
  one?.text === other?.text && one?.name === other?.name;

export function stateOf(text: string, name: string): StepState | undefined {
  const source = openText(text);
  if (isRefusal(source)) return undefined;
  const path = ['steps', name];
  const [value, written] = [valueAt(source.value, path), writtenValue(source, path)];
  return value === undefined || written === undefined ? undefined : { name, value, text: written };
}

/** Name of the step in an older text of the flow. Undefined if it is not there, or not to be recognised. */
export function nameBefore(newer: string, name: string, older: string): string | undefined {
  const [now, was] = [stepsIn(newer), stepsIn(older)];
  if (Object.hasOwn(was, name)) return name;
  const gone = Object.keys(was).filter((each) => !Object.hasOwn(now, each));
  const equal = gone.filter((each) => isEqualJson(was[each]!, now[name] ?? null));
  if (equal.length === 1) return equal[0];
  const added = Object.keys(now).filter((each) => !Object.hasOwn(was, each));
  const [only, ...others] = gone;
  const isAlike = only !== undefined && others.length === 0 && added.length === 1 && areAlike(was[only], now[name]);
  return isAlike ? only : undefined;
}

function stepsIn(text: string): JsonObject {
  const flow = readFlow(text).value as Json;
  const steps = isObject(flow) ? flow['steps'] : undefined;
  return isObject(steps ?? null) ? (steps as JsonObject) : {};
}

/** Keys that steps of all verbs have. */
const SHARED = ['next', 'exits', 'set', 'section', 'label', 'doc', 'when', 'max_visits'];

/** True if both steps have the same verb. */
function areAlike(one: Json | undefined, other: Json | undefined): boolean {
  const verbsOf = (step: Json | undefined): string =>
    Object.keys(isObject(step ?? null) ? (step as JsonObject) : {})
      .filter((key) => !SHARED.includes(key))
      .join();
  return verbsOf(one) !== '' && verbsOf(one) === verbsOf(other);
}
