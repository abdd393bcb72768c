/**
 * Reads `callees.yaml`: text in, checked callees out. Neighbours: `schemas/callees.schema.json` is the form, `callees.ts`
 * draws from them, `usual-callees.yaml` has the default.
 */
import { readFileSync } from 'node:fs';
import type { Diagnostic } from '../../core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { numberLookupKey } from '../../core/phone-number.ts';
import { childPointer, type Issue, toDiagnostic } from '../../schema/document.ts';
import { linearPattern } from '../../schema/linear-regex.ts';
import { loadDocument } from '../../schema/load.ts';
import { parseDocument } from '../../schema/validate.ts';
import type { Answerer } from '../../telephony/simulated/far-end.ts';
import { listAt, objectAt, parseMs } from '../file-values.ts';
import {
  type AttemptBehaviour,
  type CalleeGroup,
  type CalleeKeyPress,
  Callees,
  type RandomDuration,
  type WeightedDigits,
} from './callees.ts';

export interface CalleeProfiles {
  /** The callees of the broadcast. */
  callees: Callees;
  /** The parties that its flows call. */
  parties: Callees;
}

export interface LoadedProfiles {
  profiles?: CalleeProfiles;
  diagnostics: Diagnostic[];
}

const range = (fromMs: number, toMs: number): RandomDuration => ({ fromMs, toMs });

/** Defaults. */
const SOON = range(500, 3_000);
const ANSWERS_AFTER: Readonly<Record<Answerer['is'], RandomDuration>> = {
  human: range(4_000, 20_000),
  machine: range(18_000, 28_000),
  fax: range(3_000, 8_000),
  silent: range(4_000, 20_000),
};
const DECLINES_AFTER = range(3_000, 12_000);
const GREETING = range(3_000, 12_000);
const BEEP_AFTER = range(200, 1_000);
/** How long it stays on the line if nobody hangs up. */
const TALK_DURATION: Readonly<Record<Answerer['is'], RandomDuration>> = {
  human: { fixedMs: 600_000 },
  machine: { fixedMs: 120_000 },
  fax: { fixedMs: 60_000 },
  silent: { fixedMs: 60_000 },
};
const PARTY = { after: range(2_000, 10_000), talk: range(30_000, 180_000) };

export function loadCallees(text: string, file: string): LoadedProfiles {
  const { document, diagnostics } = loadDocument(text, file);
  if (!document) return { diagnostics };
  const wrong = parseDocument(document, 'callees').diagnostics;
  if (wrong) return { diagnostics: wrong };
  const written = document.value as JsonObject;
  const complaints = ['groups', 'parties'].flatMap((key) =>
    written[key] === undefined ? [] : issuesOf(listAt(written, key), `/${key}`),
  );
  if (complaints.length > 0) return { diagnostics: complaints.map((each) => toDiagnostic(document, each)) };
  return { profiles: readProfiles(written), diagnostics: [] };
}

const DEFAULT_FILE = new URL('usual-callees.yaml', import.meta.url);
let usual: CalleeProfiles | undefined;

export const defaultCalleesText = (): string => readFileSync(DEFAULT_FILE, 'utf8');

/** The default, for a broadcast whose callees are not known. */
export function defaultProfiles(): CalleeProfiles {
  usual ??= loadCallees(defaultCalleesText(), DEFAULT_FILE.pathname).profiles!;
  return usual;
}

function readProfiles(written: JsonObject): CalleeProfiles {
  const parties = listAt(written, 'parties');
  return {
    callees: new Callees(listAt(written, 'groups').map((each, at) => readGroup(each, at, {}))),
    parties: new Callees((parties.length === 0 ? [{}] : parties).map((each, at) => readGroup(each, at, PARTY))),
  };
}

type BehaviourDefaults = Partial<Pick<AttemptBehaviour, 'after' | 'talk'>>;

function readGroup(given: Json, index: number, fallback: BehaviourDefaults): CalleeGroup {
  const written = isObject(given) ? given : {};
  const { name, share, numbers, sticks } = written;
  return {
    name: typeof name === 'string' ? name : `group ${index + 1}`,
    share: typeof share === 'number' ? share : 1,
    ...(numbers === undefined ? {} : { matches: numberMatcher(numbers) }),
    sticks: sticks === true,
    behaviours: [
      readBehaviour(written, fallback),
      ...listAt(written, 'then').map((each) => readBehaviour(isObject(each) ? each : {}, fallback)),
    ],
  };
}

function numberMatcher(written: Json): (phone: string) => boolean {
  const { prefix, pattern, list } = isObject(written) ? written : { prefix: written };
  const prefixes = prefix === undefined ? [] : [prefix].flat().map((each) => numberLookupKey(String(each)));
  const found = typeof pattern === 'string' ? linearPattern(pattern) : undefined;
  const known = new Set(Array.isArray(list) ? list.map((each) => numberLookupKey(String(each))) : []);
  return (phone) => {
    const key = numberLookupKey(phone);
    return known.has(key) || prefixes.some((each) => key.startsWith(each)) || found?.test(phone) === true;
  };
}

function readBehaviour(written: JsonObject, fallback: BehaviourDefaults): AttemptBehaviour {
  const does = (written['does'] ?? 'answer') as AttemptBehaviour['does'];
  const is = (written['is'] ?? 'human') as AttemptBehaviour['is'];
  const { sip_status: status, beep_after: beep } = written;
  return {
    does,
    sipStatus: typeof status === 'number' ? status : 0,
    after: readDuration(written['after'], fallback.after ?? afterOf(does, is)),
    ringAfter: readDuration(written['ring_after'], SOON),
    is,
    greeting: readDuration(written['greeting'], GREETING),
    ...(beep === false ? {} : { beepAfter: readDuration(beep, BEEP_AFTER) }),
    presses: readKeyPresses(written['presses']),
    talk: readDuration(written['talk'], fallback.talk ?? TALK_DURATION[is]),
  };
}

const afterOf = (does: AttemptBehaviour['does'], is: Answerer['is']): RandomDuration =>
  does === 'answer' ? ANSWERS_AFTER[is] : does === 'declined' ? DECLINES_AFTER : SOON;

function readDuration(written: Json | undefined, fallback: RandomDuration): RandomDuration {
  if (written === undefined) return fallback;
  if (!isObject(written)) return { fixedMs: parseMs(written) };
  const { from, to, mean, deviation } = written;
  if (mean !== undefined) return { meanMs: parseMs(mean), deviationMs: parseMs(deviation ?? '0s') };
  return range(parseMs(from ?? '0s'), parseMs(to ?? '0s'));
}

const readKeyPresses = (written: Json | undefined): CalleeKeyPress[] =>
  written === undefined ? [] : (Array.isArray(written) ? written : [written]).map(readKeyPress);

function readKeyPress(written: Json): CalleeKeyPress {
  if (!isObject(written) || written['digits'] === undefined) {
    return { choices: readChoices(written), when: { after: SOON } };
  }
  const { digits, after, at } = written;
  return {
    choices: readChoices(digits),
    when: at === undefined ? { after: readDuration(after, SOON) } : { at: readDuration(at, SOON) },
  };
}

function readChoices(written: Json): WeightedDigits[] {
  const weights = isObject(written) ? Object.entries(written) : [[String(written), 1] as const];
  return weights.map(([keys, weight]) => ({ digits: keys === 'none' ? '' : keys, weight: Number(weight) }));
}

// --- what the schema cannot check -----------------------------------------------------------------------------------------

function issuesOf(groups: readonly Json[], pointer: string): Issue[] {
  const written = groups.map((each) => (isObject(each) ? each : {}));
  const everybody = written.every(({ numbers }) => numbers !== undefined)
    ? [
        issue(pointer, 'every group has `numbers`: no group is left for other numbers', {
          hint: 'add a group without `numbers`',
        }),
      ]
    : [];
  return [
    ...everybody,
    ...shareIssues(written, pointer),
    ...written.flatMap((each, at) => groupIssues(each, childPointer(pointer, at))),
  ];
}

function shareIssues(groups: readonly JsonObject[], pointer: string): Issue[] {
  const others = groups.filter(({ numbers }) => numbers === undefined);
  if (others.length === 0 || others.some(({ share }) => share !== 0)) return [];
  return [issue(pointer, 'all shares are 0: no callee can be drawn', { hint: 'give a group a share above 0' })];
}

function groupIssues(group: JsonObject, pointer: string): Issue[] {
  const { sticks, then, numbers } = group;
  const both =
    sticks === false && then !== undefined
      ? [issue(childPointer(pointer, 'sticks'), 'a number always stays in a group with `then`', { atKey: true })]
      : [];
  return [
    ...both,
    ...patternIssues(
      objectAt({ numbers: numbers ?? null }, 'numbers')['pattern'],
      childPointer(childPointer(pointer, 'numbers'), 'pattern'),
    ),
    ...behaviourIssues(group, pointer),
    ...listAt(group, 'then').flatMap((each, at) =>
      behaviourIssues(each, childPointer(childPointer(pointer, 'then'), at)),
    ),
  ];
}

function patternIssues(pattern: Json | undefined, pointer: string): Issue[] {
  if (typeof pattern !== 'string') return [];
  try {
    linearPattern(pattern);
    return [];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [{ code: 'bad-pattern', message, pointer, hint: 'look-around and back references are not supported' }];
  }
}

const OF_ANSWERS = ['is', 'greeting', 'beep_after', 'presses', 'talk'];
const OF_MACHINES = ['greeting', 'beep_after'];
const RINGING = ['answer', 'no_answer'];
const AMOUNTS = ['after', 'ring_after', 'greeting', 'beep_after', 'talk'];

function behaviourIssues(given: Json, pointer: string): Issue[] {
  const written = isObject(given) ? given : {};
  const does = written['does'] ?? 'answer';
  const at = (key: string): string => childPointer(pointer, key);
  const refused = (keys: readonly string[], why: (key: string) => string, hint?: string): Issue[] =>
    keys
      .filter((key) => written[key] !== undefined)
      .map((key) => issue(at(key), why(key), { atKey: true, ...(hint === undefined ? {} : { hint }) }));
  return [
    ...(does === 'fail' && written['sip_status'] === undefined
      ? [issue(at('does'), '`does: fail` needs `sip_status`', { hint: 'add `sip_status`, such as 404 or 503' })]
      : []),
    ...(does === 'fail' ? [] : refused(['sip_status'], () => '`sip_status` needs `does: fail`', 'write `does: fail`')),
    ...(does === 'answer'
      ? []
      : refused(OF_ANSWERS, (key) => `${key} needs \`does: answer\`, and this callee has \`${String(does)}\``)),
    ...(does === 'no_answer' ? refused(['after'], () => 'a callee with `does: no_answer` rings until we give up') : []),
    ...(RINGING.includes(String(does))
      ? []
      : refused(['ring_after'], () => `a callee with \`does: ${String(does)}\` does not ring`)),
    ...(does === 'answer' && written['is'] !== 'machine'
      ? refused(OF_MACHINES, (key) => `${key} needs \`is: machine\``, 'add `is: machine`')
      : []),
    ...AMOUNTS.flatMap((key) => durationIssues(written[key], at(key))),
    ...keyPressIssues(written['presses'], at('presses')),
  ];
}

function durationIssues(written: Json | undefined, pointer: string): Issue[] {
  if (!isObject(written)) return [];
  const { from, to, mean, deviation } = written;
  const isRange = from !== undefined || to !== undefined;
  const isSpread = mean !== undefined || deviation !== undefined;
  const hint = '{ from: 2s, to: 8s }, or { mean: 6s, deviation: 2s }';
  if (isRange === isSpread || (isRange && to === undefined) || (isSpread && mean === undefined)) {
    return [issue(pointer, 'an amount is a duration, a range or a distribution', { code: 'wrong-keys', hint })];
  }
  if (isRange && parseMs(from ?? '0s') > parseMs(to!)) {
    return [issue(childPointer(pointer, 'to'), 'the range ends before it begins', {})];
  }
  return [];
}

function keyPressIssues(written: Json | undefined, pointer: string): Issue[] {
  if (Array.isArray(written)) return written.flatMap((each, at) => keyPressIssues(each, childPointer(pointer, at)));
  if (!isObject(written)) return [];
  const { digits, after, at, ...others } = written;
  const [other] = Object.keys(others);
  if (digits === undefined) {
    const when = after === undefined ? (at === undefined ? undefined : 'at') : 'after';
    const hint = '{ digits: { "1": 70, none: 30 }, after: 2s }';
    if (when !== undefined) {
      return [issue(childPointer(pointer, when), '`digits` is missing', { code: 'wrong-keys', atKey: true, hint })];
    }
    return weightIssues(written, pointer);
  }
  if (other !== undefined) {
    const hint = 'put all keys with their weights below `digits`';
    return [
      issue(childPointer(pointer, other), 'weights must be below `digits`', { code: 'wrong-keys', atKey: true, hint }),
    ];
  }
  if (after !== undefined && at !== undefined) {
    const message = 'write `after` or `at`, not both';
    return [issue(childPointer(pointer, 'at'), message, { code: 'wrong-keys', atKey: true })];
  }
  return [
    ...(isObject(digits) ? weightIssues(digits, childPointer(pointer, 'digits')) : []),
    ...durationIssues(after, childPointer(pointer, 'after')),
    ...durationIssues(at, childPointer(pointer, 'at')),
  ];
}

const KEYS = /^([0-9*#A-D]+|none)$/;

function weightIssues(weights: JsonObject, pointer: string): Issue[] {
  const strange = Object.keys(weights).find((key) => !KEYS.test(key));
  if (strange !== undefined) {
    const message = `${strange.slice(0, 64)} is not a telephone key`;
    return [
      issue(childPointer(pointer, strange), message, { code: 'digit', atKey: true, hint: '0-9, *, #, A-D, or none' }),
    ];
  }
  if (Object.values(weights).some((weight) => weight !== 0)) return [];
  return [issue(pointer, 'all weights are 0: no digits can be drawn', {})];
}

function issue(
  pointer: string,
  message: string,
  { code = 'wrong-value', ...more }: { code?: string; hint?: string; atKey?: boolean },
): Issue {
  return { code, message, pointer, ...more };
}
