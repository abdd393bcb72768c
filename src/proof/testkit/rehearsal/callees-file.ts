/**
 * Parses `callees.yaml` to callee profiles. `schemas/callees.schema.json` defines the format, `callees.ts` draws from
 * the profiles, `usual-callees.yaml` contains the default.
 */
import { readFileSync } from 'node:fs';
import type { Diagnostic } from '../../../base/core/diagnostic.ts';
import { defined } from '../../../base/core/json.ts';
import { numberLookupKey } from '../../../base/core/phone-number.ts';
import { childPointer, type Issue, toDiagnostic } from '../../../base/schema/document.ts';
import { linearPattern } from '../../../base/schema/linear-regex.ts';
import { loadDocument } from '../../../base/schema/load.ts';
import { parseDocument } from '../../../base/schema/validate.ts';
import type { Answerer } from '../../../media/telephony/simulated/far-end.ts';
import { parseMs } from '../file-values.ts';
import {
  type AttemptBehaviour,
  type CalleeGroup,
  type CalleeKeyPress,
  Callees,
  type KeyChoice,
  type RandomDuration,
} from './callees.ts';
import type { Amount, CalleePress, CalleesForm, Group, Manner } from './callees-form.ts';

/** Weights by keys pressed. */
type Weights = Readonly<Record<string, number>>;

export interface CalleeProfiles {
  /** Callees of the broadcast. */
  callees: Callees;
  /** Parties that its flows call. */
  parties: Callees;
}

export interface LoadedProfiles {
  profiles?: CalleeProfiles;
  diagnostics: Diagnostic[];
}

const range = (fromMs: number, toMs: number): RandomDuration => ({ fromMs, toMs });

/** Default durations. */
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
/** Time on the line if the caller does not hang up. */
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
  const { value, diagnostics: wrong } = parseDocument<CalleesForm>(document, 'callees');
  if (!value) return { diagnostics: wrong };
  const issues = [...issuesOf(value.groups, '/groups'), ...(value.parties ? issuesOf(value.parties, '/parties') : [])];
  if (issues.length > 0) return { diagnostics: issues.map((each) => toDiagnostic(document, each)) };
  return { profiles: readProfiles(value), diagnostics: [] };
}

const DEFAULT_FILE = new URL('usual-callees.yaml', import.meta.url);
let usual: CalleeProfiles | undefined;

export const defaultCalleesText = (): string => readFileSync(DEFAULT_FILE, 'utf8');

/** Default profiles, for a broadcast whose callees are not described. */
export function defaultProfiles(): CalleeProfiles {
  usual ??= loadCallees(defaultCalleesText(), DEFAULT_FILE.pathname).profiles!;
  return usual;
}

/** Parties without a description answer. */
const readProfiles = ({ groups, parties = [{ share: 1, does: 'answer' }] }: CalleesForm): CalleeProfiles => ({
  callees: new Callees(groups.map((group, at) => readGroup(group, at, {}))),
  parties: new Callees(parties.map((group, at) => readGroup(group, at, PARTY))),
});

type BehaviourDefaults = Partial<Pick<AttemptBehaviour, 'after' | 'talk'>>;

function readGroup(group: Group, index: number, fallback: BehaviourDefaults): CalleeGroup {
  const { name = `group ${index + 1}`, share, numbers, sticks = false, then = [] } = group;
  return defined({
    name,
    share,
    matches: numbers === undefined ? undefined : numberMatcher(numbers),
    sticks,
    behaviours: [readBehaviour(group, fallback), ...then.map((manner) => readBehaviour(manner, fallback))],
  });
}

function numberMatcher(numbers: NonNullable<Group['numbers']>): (phone: string) => boolean {
  const { prefix = [], pattern, list = [] } = typeof numbers === 'string' ? { prefix: numbers } : numbers;
  const prefixes = [prefix].flat().map(numberLookupKey);
  const found = pattern === undefined ? undefined : linearPattern(pattern);
  const known = new Set(list.map(numberLookupKey));
  return (phone) => {
    const key = numberLookupKey(phone);
    return known.has(key) || prefixes.some((each) => key.startsWith(each)) || found?.test(phone) === true;
  };
}

function readBehaviour(manner: Manner, fallback: BehaviourDefaults): AttemptBehaviour {
  const { does, sip_status: sipStatus = 0, is = 'human', beep_after: beep, presses = [] } = manner;
  return defined({
    does,
    sipStatus,
    after: readDuration(manner.after, fallback.after ?? afterOf(does, is)),
    ringAfter: readDuration(manner.ring_after, SOON),
    is,
    greeting: readDuration(manner.greeting, GREETING),
    beepAfter: typeof beep === 'boolean' ? undefined : readDuration(beep, BEEP_AFTER),
    presses: [presses].flat().map(readKeyPress),
    talk: readDuration(manner.talk, fallback.talk ?? TALK_DURATION[is]),
  });
}

const afterOf = (does: AttemptBehaviour['does'], is: Answerer['is']): RandomDuration =>
  does === 'answer' ? ANSWERS_AFTER[is] : does === 'declined' ? DECLINES_AFTER : SOON;

function readDuration(amount: Amount | undefined, fallback: RandomDuration): RandomDuration {
  if (amount === undefined) return fallback;
  if (typeof amount === 'string') return { fixedMs: parseMs(amount) };
  const { from = '0s', to = '0s', mean, deviation = '0s' } = amount;
  if (mean !== undefined) return { meanMs: parseMs(mean), deviationMs: parseMs(deviation) };
  return range(parseMs(from), parseMs(to));
}

/** Keys, weights, or either of these in `digits`. */
function readKeyPress(press: CalleePress): CalleeKeyPress {
  const { digits = press as Weights, after, at } = typeof press === 'string' ? { digits: press } : press;
  return {
    choices: readChoices(digits),
    when: at === undefined ? { after: readDuration(after, SOON) } : { at: readDuration(at, SOON) },
  };
}

function readChoices(digits: string | Weights): KeyChoice[] {
  const weights = typeof digits === 'string' ? { [digits]: 1 } : digits;
  return Object.entries(weights).map(([keys, share]) => ({ digits: keys === 'none' ? '' : keys, share }));
}

// --- Checks beyond the schema ---------------------------------------------------------------------------------------

function issuesOf(groups: readonly Group[], pointer: string): Issue[] {
  const others = groups.filter(({ numbers }) => numbers === undefined);
  const inGroups = groups.flatMap((group, at) => groupIssues(group, below(pointer, at)));
  if (others.length === 0) {
    const message = 'every group has `numbers`: no group is left for other numbers';
    return [issue(pointer, message, { hint: 'add a group without `numbers`' }), ...inGroups];
  }
  if (others.some(({ share }) => share !== 0)) return inGroups;
  const message = 'all shares are 0: no callee can be drawn';
  return [issue(pointer, message, { hint: 'give a group a share above 0' }), ...inGroups];
}

function groupIssues(group: Group, pointer: string): Issue[] {
  const { sticks, then = [], numbers } = group;
  const issues: Issue[] = [];
  if (sticks === false && then.length > 0) {
    const message = 'a number always stays in a group with `then`';
    issues.push(issue(below(pointer, 'sticks'), message, { atKey: true }));
  }
  if (typeof numbers === 'object' && numbers.pattern !== undefined) {
    issues.push(...patternIssues(numbers.pattern, below(pointer, 'numbers', 'pattern')));
  }
  const inThen = then.flatMap((manner, at) => mannerIssues(manner, below(pointer, 'then', at)));
  return [...issues, ...mannerIssues(group, pointer), ...inThen];
}

function patternIssues(pattern: string, pointer: string): Issue[] {
  try {
    linearPattern(pattern);
    return [];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [
      issue(pointer, message, { code: 'bad-pattern', hint: 'look-around and back references are not supported' }),
    ];
  }
}

interface KeyRule {
  keys: readonly (keyof Manner)[];
  isAllowed(manner: Manner): boolean;
  message(key: string, does: string): string;
  hint?: string;
}

const KEY_RULES: readonly KeyRule[] = [
  {
    keys: ['sip_status'],
    isAllowed: ({ does }) => does === 'fail',
    message: () => '`sip_status` needs `does: fail`',
    hint: 'write `does: fail`',
  },
  {
    keys: ['is', 'greeting', 'beep_after', 'presses', 'talk'],
    isAllowed: ({ does }) => does === 'answer',
    message: (key, does) => `${key} needs \`does: answer\`, and this callee has \`${does}\``,
  },
  {
    keys: ['after'],
    isAllowed: ({ does }) => does !== 'no_answer',
    message: () => 'a callee with `does: no_answer` rings until we give up',
  },
  {
    keys: ['ring_after'],
    isAllowed: ({ does }) => does === 'answer' || does === 'no_answer',
    message: (_key, does) => `a callee with \`does: ${does}\` does not ring`,
  },
  {
    keys: ['greeting', 'beep_after'],
    isAllowed: ({ does, is }) => does !== 'answer' || is === 'machine',
    message: (key) => `${key} needs \`is: machine\``,
    hint: 'add `is: machine`',
  },
];

const AMOUNTS = ['after', 'ring_after', 'greeting', 'beep_after', 'talk'] as const;

function mannerIssues(manner: Manner, pointer: string): Issue[] {
  const { does, sip_status: status, presses = [] } = manner;
  const keyIssues = KEY_RULES.filter(({ isAllowed }) => !isAllowed(manner)).flatMap(({ keys, message, hint }) =>
    keys
      .filter((key) => manner[key] !== undefined)
      .map((key) => issue(below(pointer, key), message(key, does), { atKey: true, hint })),
  );
  const hint = 'add `sip_status`, such as 404 or 503';
  return [
    ...(does === 'fail' && status === undefined
      ? [issue(below(pointer, 'does'), '`does: fail` needs `sip_status`', { hint })]
      : []),
    ...keyIssues,
    ...AMOUNTS.flatMap((key) => amountIssues(manner[key], below(pointer, key))),
    ...(Array.isArray(presses)
      ? presses.flatMap((press, at) => keyPressIssues(press, below(pointer, 'presses', at)))
      : keyPressIssues(presses, below(pointer, 'presses'))),
  ];
}

function amountIssues(amount: Manner['beep_after'], pointer: string): Issue[] {
  if (typeof amount !== 'object') return [];
  const { from = '0s', to, mean, deviation } = amount;
  const isRange = amount.from !== undefined || to !== undefined;
  const isSpread = mean !== undefined || deviation !== undefined;
  if (isRange === isSpread || (isRange ? to : mean) === undefined) {
    const hint = '{ from: 2s, to: 8s }, or { mean: 6s, deviation: 2s }';
    return [issue(pointer, 'an amount is a duration, a range or a distribution', { code: 'wrong-keys', hint })];
  }
  const isUpsideDown = to !== undefined && parseMs(from) > parseMs(to);
  return isUpsideDown ? [issue(below(pointer, 'to'), 'the range ends before it begins')] : [];
}

function keyPressIssues(press: CalleePress, pointer: string): Issue[] {
  if (typeof press === 'string') return [];
  const { digits, after, at, ...weights } = press;
  const wrongKey = (key: string, message: string, hint?: string): Issue[] => [
    issue(below(pointer, key), message, { code: 'wrong-keys', atKey: true, hint }),
  ];
  if (digits === undefined) {
    if (after === undefined && at === undefined) return weightIssues(weights, pointer);
    const hint = '{ digits: { "1": 70, none: 30 }, after: 2s }';
    return wrongKey(after === undefined ? 'at' : 'after', '`digits` is missing', hint);
  }
  const [weight] = Object.keys(weights);
  if (weight !== undefined) {
    return wrongKey(weight, 'weights must be below `digits`', 'put all keys with their weights below `digits`');
  }
  if (after !== undefined && at !== undefined) return wrongKey('at', 'write `after` or `at`, not both');
  return [
    ...(typeof digits === 'string' ? [] : weightIssues(digits, below(pointer, 'digits'))),
    ...amountIssues(after, below(pointer, 'after')),
    ...amountIssues(at, below(pointer, 'at')),
  ];
}

const KEYS = /^([0-9*#A-D]+|none)$/;

function weightIssues(weights: Weights, pointer: string): Issue[] {
  const strange = Object.keys(weights).find((key) => !KEYS.test(key));
  if (strange !== undefined) {
    const message = `${strange.slice(0, 64)} is not a telephone key`;
    const hint = '0-9, *, #, A-D, or none';
    return [issue(below(pointer, strange), message, { code: 'digit', atKey: true, hint })];
  }
  if (Object.values(weights).some((weight) => weight !== 0)) return [];
  return [issue(pointer, 'all weights are 0: no digits can be drawn')];
}

const below = (pointer: string, ...keys: (string | number)[]): string => keys.reduce(childPointer, pointer);

const issue = (pointer: string, message: string, more: Partial<Issue> = {}): Issue => ({
  code: 'wrong-value',
  message,
  pointer,
  ...more,
});
