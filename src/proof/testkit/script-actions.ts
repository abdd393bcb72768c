/** Parses the lines of a script: actions of parties, and REST commands of an application. */
import type { SourceLocation } from '../../base/core/diagnostic.ts';
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import type { StreamTrack } from '../../base/core/leg.ts';
import { childPointer, type Issue } from '../../base/schema/document.ts';
import { didYouMean } from '../../base/schema/suggest.ts';
import type { PressTiming, SayManner } from '../../media/telephony/simulated/far-end.ts';
import type { CallCommand, Refusal } from '../../service/runtime/journal.ts';
import { objectAt, optionalMs, parseMs, stringsIn } from './file-values.ts';

/** One line of a script. */
export type ScriptAction = { location: SourceLocation } & (
  | PartyAction
  | { act: 'silence' }
  | { act: 'party'; name: string; acts: (PartyAction & { location: SourceLocation })[] }
  | { act: 'call'; name: string }
  | { act: 'command'; command: ScriptCommand; refused?: Refusal }
);

/** Actions of any party. */
export type PartyAction =
  | { act: 'hear'; prompts: string[] }
  | { act: 'press'; digits: string; atMs?: number; afterMs: number; timing: PressTiming; times: number }
  | { act: 'say'; text: string; atMs?: number; afterMs: number; manner: SayManner }
  | { act: 'speak'; durationMs: number }
  | { act: 'wait'; durationMs: number }
  | { act: 'hang_up'; atMs?: number }
  | { act: 'hold'; held: boolean }
  | { act: 'refer'; to: string; replaces?: string; stays: boolean }
  | { act: 'talks_with'; names: string[] };

/** A command without its ids, which are not known yet. */
export type ScriptCommand =
  | Exclude<CallCommand, { type: 'play' | 'bridge' | 'transfer' }>
  | Omit<Extract<CallCommand, { type: 'play' }>, 'playId'>
  | Omit<Extract<CallCommand, { type: 'bridge' }>, 'bridgeId'>
  | Omit<Extract<CallCommand, { type: 'transfer' }>, 'channelId'>;

type UnplacedAction = ScriptAction extends infer A ? (A extends ScriptAction ? Omit<A, 'location'> : never) : never;

export function readAction(
  written: Json,
  locationOf: (pointer: string) => SourceLocation,
  pointer: string,
): ScriptAction {
  return { location: locationOf(pointer), ...readUnplacedAction(written, locationOf, pointer) };
}

function readUnplacedAction(
  written: Json,
  locationOf: (pointer: string) => SourceLocation,
  pointer: string,
): UnplacedAction {
  if (written === 'silence') return { act: 'silence' };
  const [act, value] = entryOf(written);
  const given = isObject(value) ? value : {};
  switch (act) {
    case 'party': {
      const [name, acts] = entryOf(value);
      const at = childPointer(childPointer(pointer, act), name);
      const list = Array.isArray(acts) ? acts : [acts];
      return {
        act,
        name,
        acts: list.map((each, index) => {
          const location = locationOf(Array.isArray(acts) ? childPointer(at, index) : at);
          return { location, ...readPartyAction(each) };
        }),
      };
    }
    case 'call':
      return { act, name: String(value) };
    case 'command': {
      return defined({ act, command: commandOf(value), refused: given['refused'] as Refusal | undefined });
    }
    default:
      return readPartyAction(written);
  }
}

function readPartyAction(written: Json): PartyAction {
  const [act, value] = entryOf(written);
  const given = isObject(value) ? value : {};
  const when = { atMs: optionalMs(given['at']), afterMs: parseMs(given['after'] ?? '0s') };
  switch (act) {
    case 'hear':
      return { act, prompts: stringsIn(value) };
    case 'press':
      return defined({
        act,
        digits: String(given['digits'] ?? value),
        ...when,
        times: Number(given['times'] ?? 1),
        timing: defined<PressTiming>({ toneMs: optionalMs(given['tone']), gapMs: optionalMs(given['gap']) }),
      });
    case 'say':
      return defined({ act, text: String(given['text'] ?? value), ...when, manner: sayMannerOf(given) });
    case 'speak':
      return { act, durationMs: parseMs(value) };
    case 'hang_up':
      return defined({ act, atMs: when.atMs });
    case 'hold':
      return { act, held: value === true };
    case 'refer':
      return defined({
        act,
        to: String(given['to'] ?? value),
        stays: given['stays'] === true,
        replaces: given['replaces'] as string | undefined,
      });
    case 'talks_with':
      return { act, names: stringsIn(value) };
    default:
      return { act: 'wait', durationMs: parseMs(value) };
  }
}

/** The only entry of a map. A bare word is an entry without a value. */
function entryOf(written: Json): [key: string, value: Json] {
  if (!isObject(written)) return [String(written), null];
  return Object.entries(written)[0] as [string, Json];
}

const sayMannerOf = ({ confidence, lasts }: JsonObject): SayManner =>
  defined({ confidence: confidence as number | undefined, durationMs: optionalMs(lasts) });

function commandOf(written: Json): ScriptCommand {
  if (written === 'accept' || written === 'stop_play') return { type: written };
  if (!isObject(written)) return { type: 'hangup', cause: 16 };
  const [type, value] = Object.entries(written).find(([key]) => key !== 'refused') ?? ['hangup', {}];
  const given = isObject(value) ? value : {};
  switch (type) {
    case 'play':
    case 'collect':
      return { type: 'play', verb: type, args: given };
    case 'event':
      return { type, name: String(given['name']), data: given['data'] ?? null };
    case 'flow':
      return { type, flow: String(given['flow']), input: objectAt(given, 'input') };
    case 'accept':
    case 'stop_play':
      return { type };
    case 'bridge':
    case 'transfer':
      return { type, args: given };
    case 'conference':
    case 'join_room':
      return { type, args: given, accepts: true };
    case 'hold':
      return isObject(value) ? { type, hold: true, music: given['music'] ?? null } : { type, hold: value === true };
    case 'recording': {
      const action = (given['action'] ?? value) as Extract<CallCommand, { type: 'recording' }>['action'];
      return defined({ type, action, name: given['name'] as string | undefined });
    }
    case 'stream': {
      if (!isObject(value)) return { type, action: 'stop' };
      const tracks = (given['tracks'] ?? ['inbound', 'outbound']) as StreamTrack[];
      return {
        type,
        action: 'start',
        url: String(given['url']),
        tracks,
        bidirectional: given['bidirectional'] === true,
      };
    }
    case 'outcome':
      return { type, outcome: String(given['outcome'] ?? value), set: objectAt(given, 'set') };
    default:
      return { type: 'hangup', cause: typeof given['cause'] === 'number' ? given['cause'] : 16 };
  }
}

export interface ScriptNames {
  parties: readonly string[];
  callers: readonly string[];
}

/** Reports names that the scenario does not define. */
export function unknownNameIssues(script: readonly Json[], { parties, callers }: ScriptNames): Issue[] {
  const everybody = ['caller', ...callers, ...parties];
  const unless = (known: readonly string[], name: string, pointer: string, kind: string): Issue[] => {
    if (known.includes(name)) return [];
    const near = didYouMean(name, known);
    const hint = near ?? (known.length > 0 ? `there are ${known.join(', ')}` : `there is no ${kind} in this test`);
    return [{ code: 'wrong-value', message: `there is no ${kind} ${name}`, pointer, hint }];
  };
  const inAct = (written: Json, pointer: string): Issue[] => {
    const [act, value] = entryOf(written);
    const at = childPointer(pointer, act);
    if (act === 'call') return unless(callers, String(value), at, 'caller');
    if (act === 'talks_with') return stringsIn(value).flatMap((name) => unless(everybody, name, at, 'party'));
    if (act === 'refer' && isObject(value) && value['replaces'] !== undefined) {
      return unless(['caller', ...callers], String(value['replaces']), childPointer(at, 'replaces'), 'caller');
    }
    if (act !== 'party') return [];
    const [name, acts] = entryOf(value);
    const inside = childPointer(at, name);
    const list = Array.isArray(acts)
      ? acts.flatMap((each, index) => inAct(each, childPointer(inside, index)))
      : inAct(acts, inside);
    return [...unless(everybody, name, inside, 'party'), ...list];
  };
  return script.flatMap((written, index) => inAct(written, childPointer('/script', index)));
}
