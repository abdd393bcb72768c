/**
 * Generates the text of a test from a simulated call: its acts, with the prompts heard before each, and its path. Pure.
 *
 * Invariant: the test passes on the current flow, because it only contains what has happened.
 */
import { isObject, type Json } from '../../../../base/core/json.ts';
import { ownVisitsOf } from '../journal/visits.ts';
import { duration, mocksOf, newCall, type SimulatorCall, scriptOf, withUnanswered } from './acts.ts';
import type { SimulationData } from './simulation.ts';

/** Longer prompts are identified by their first words. */
const MAX_WORDS = 8;

/** Expected prompts by sound, where they differ from what was heard. */
export type HeardWords = ReadonlyMap<string, string>;

export function textOfTest(
  { title, flow, words = new Map() }: { title: string; flow: string; words?: HeardWords },
  call: SimulatorCall,
  now: SimulationData,
): string {
  const lines = [`test: ${scalar(title)}`, `flow: ${scalar(flow)}`];
  const { call: more, ...given } = call.given;
  for (const [key, value] of Object.entries(given)) lines.push(`${scalar(key)}: ${flowValue(value)}`);
  const usual = newCall();
  const isOther = call.from !== usual.from || call.to !== usual.to;
  const facts = { ...(isOther && { from: call.from, to: call.to }), ...(isObject(more) && more) };
  if (Object.keys(facts).length > 0) lines.push(`call: ${flowValue(facts)}`);
  const mocks = Object.entries(mocksOf(withUnanswered(call, now)));
  if (mocks.length > 0) lines.push('mocks:', ...mocks.map(([key, value]) => `  ${scalar(key)}: ${flowValue(value)}`));
  const script = scriptWithHeard(call, now, words);
  if (script.length > 0) lines.push('script:', ...script.map((act) => `  - ${actText(act)}`));
  lines.push('expect:', `  path: [${pathOf(now).map(scalar).join(', ')}]`);
  const ended = now.journal.findLast((entry) => entry.kind === 'ended');
  if (ended?.kind === 'ended') lines.push(`  ended: ${ended.reason}`);
  return `${lines.join('\n')}\n`;
}

const pathOf = (now: SimulationData): string[] => ownVisitsOf(now.journal).map(({ step }) => step);

/** The acts with the prompts heard between them. Adjacent keys are joined. */
function scriptWithHeard(call: SimulatorCall, now: SimulationData, words: HeardWords): Json[] {
  const script: Json[] = [];
  const plays = new Set<string>();
  const heard = soundsIn(now);
  let next = 0;
  let lastHeardMs: number | undefined;
  const addHeard = (isBefore: (sound: HeardSound) => boolean): void => {
    for (; next < heard.length && isBefore(heard[next]!); next++) {
      const { play_id, at_ms } = heard[next]!;
      if (plays.has(play_id)) continue;
      plays.add(play_id);
      lastHeardMs = at_ms;
      script.push({ hear: words.get(play_id) ?? nameOf(heard[next]!) });
    }
  };
  for (const [index, act] of scriptOf(call.acts).entries()) {
    const played = now.acts[index];
    if (played === undefined) break;
    // Every prompt is written anyway.
    if (isObject(act) && 'hear' in act) continue;
    const press = timedIn(act, 'press');
    const hangUp = act === 'hang_up' ? { digits: '', at: 'now' } : timedIn(act, 'hang_up');
    const actedMs = played.acted_ms ?? played.began_ms;
    addHeard(isBeforeAct(act, played));
    const timed = press ?? hangUp;
    const before = script.at(-1);
    const pressedBefore = before === undefined ? undefined : timedIn(before, 'press');
    if (timed?.at !== undefined) {
      const at = duration(actedMs - (lastHeardMs ?? 0));
      script.push(press ? { press: { digits: press.digits, at } } : { hang_up: { at } });
    } else if (press !== undefined && pressedBefore !== undefined && pressedBefore.at === undefined) {
      script[script.length - 1] = { press: pressedBefore.digits + press.digits };
    } else {
      script.push(act);
    }
  }
  addHeard(() => true);
  return script;
}

type HeardSound = SimulationData['heard'][number] & { /** Position among all sounds of the call. */ at: number };

const soundsIn = ({ heard }: SimulationData): HeardSound[] =>
  heard.map((sound, at) => ({ ...sound, at })).filter(({ kind }) => kind !== 'silence' && kind !== 'tone');

/** Prompts as a test names them, by the first sound of each. */
export function heardIn(now: SimulationData): { playId: string; words: string; text: string }[] {
  const plays = new Map<string, { playId: string; words: string; text: string }>();
  for (const sound of soundsIn(now)) {
    const { play_id: playId, text } = sound;
    if (!plays.has(playId)) plays.set(playId, { playId, text, words: nameOf(sound) });
  }
  return [...plays.values()];
}

/**
 * Selects the sounds that precede an act, by their position in the call: a prompt that the act causes begins at the
 * same time. A silence also follows the sounds that began while it lasted.
 */
function isBeforeAct(
  act: Json,
  { began_ms, heard = 0, ended_ms }: SimulationData['acts'][number],
): (sound: HeardSound) => boolean {
  const untilMs = act === 'silence' ? (ended_ms ?? began_ms) : Number.NEGATIVE_INFINITY;
  return ({ at, at_ms }) => at < heard || at_ms < untilMs;
}

/** A press or a hangup, with its time if it has one. */
function timedIn(act: Json, name: 'press' | 'hang_up'): { digits: string; at?: string } | undefined {
  const given = isObject(act) ? act[name] : undefined;
  if (typeof given === 'string') return { digits: given };
  if (!isObject(given)) return undefined;
  return { digits: String(given['digits'] ?? ''), ...(typeof given['at'] === 'string' && { at: given['at'] }) };
}

/** Name of the prompt, or its first words. */
const nameOf = ({ name, text }: SimulationData['heard'][number]): string =>
  name ??
  text
    .split(' ')
    .slice(0, MAX_WORDS)
    .join(' ')
    .replace(/[^\p{L}\p{N}]+$/u, '');

function actText(act: Json): string {
  if (!isObject(act)) return scalar(String(act));
  const [key, value] = Object.entries(act)[0] as [string, Json];
  return `${key}: ${key === 'press' && typeof value === 'string' ? JSON.stringify(value) : flowValue(value)}`;
}

/** YAML in flow style. */
function flowValue(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(flowValue).join(', ')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, inner]) => `${scalar(key)}: ${flowValue(inner)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  return typeof value === 'string' ? scalar(value) : JSON.stringify(value);
}

const PLAIN = /^([A-Za-z_][\w .'!?-]*|\d+(\.\d+)?(ms|s|m|h))$/;
const TAKEN = /^(true|false|null|yes|no|on|off|y|n)$/i;

/** YAML scalar: plain if that is unambiguous, otherwise quoted. */
const scalar = (text: string): string =>
  PLAIN.test(text) && !TAKEN.test(text) && !/\s$/.test(text) ? text : JSON.stringify(text);

/** File name of a test: `shipped-order`. */
export const fileNameOf = (flow: string, title: string): string => {
  const words = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50);
  return `${flow}.${words === '' ? 'call' : words}.test.yaml`;
};
