/**
 * Reads `callees.yaml`: text in, checked callees out. Neighbours: `schemas/callees.schema.json` is the form, `callees.ts`
 * draws from them, `usual-callees.yaml` are those that are met when nobody says otherwise.
 */
import { readFileSync } from 'node:fs';
import type { Diagnostic } from '../../core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { numberLookupKey } from '../../core/phone-number.ts';
import { childPointer, type Issue, toDiagnostic } from '../../schema/document.ts';
import { linearPattern } from '../../schema/linear-regex.ts';
import { loadDocument } from '../../schema/load.ts';
import { readSchema } from '../../schema/schema-files.ts';
import { checkDocument } from '../../schema/validate.ts';
import type { Answerer } from '../../telephony/simulated/far-end.ts';
import { listAt, ms, objectAt } from '../written.ts';
import { type Amount, type CalleeGroup, Callees, type Choice, type Manner, type Press } from './callees.ts';

export interface Cast {
  /** Whom the broadcast calls. */
  callees: Callees;
  /** Whom its flows call. */
  parties: Callees;
}

export interface LoadedCast {
  cast?: Cast;
  diagnostics: Diagnostic[];
}

const schema = readSchema('callees');

const range = (fromMs: number, toMs: number): Amount => ({ fromMs, toMs });

/** What is not said. */
const SOON = range(500, 3_000);
const ANSWERS_AFTER: Readonly<Record<Answerer['is'], Amount>> = {
  human: range(4_000, 20_000),
  machine: range(18_000, 28_000),
  fax: range(3_000, 8_000),
  silent: range(4_000, 20_000),
};
const DECLINES_AFTER = range(3_000, 12_000);
const GREETING = range(3_000, 12_000);
const BEEP_AFTER = range(200, 1_000);
/** How long it stays where nobody hangs up. */
const STAYS: Readonly<Record<Answerer['is'], Amount>> = {
  human: { fixedMs: 600_000 },
  machine: { fixedMs: 120_000 },
  fax: { fixedMs: 60_000 },
  silent: { fixedMs: 60_000 },
};
const PARTY = { after: range(2_000, 10_000), talk: range(30_000, 180_000) };

export function loadCallees(text: string, file: string): LoadedCast {
  const { document, diagnostics } = loadDocument(text, file);
  if (!document) return { diagnostics };
  const wrong = checkDocument(document, 'callees', schema);
  if (wrong.length > 0) return { diagnostics: wrong };
  const written = document.value as JsonObject;
  const complaints = ['groups', 'parties'].flatMap((key) =>
    written[key] === undefined ? [] : complaintsOf(listAt(written, key), `/${key}`),
  );
  if (complaints.length > 0) return { diagnostics: complaints.map((each) => toDiagnostic(document, each)) };
  return { cast: castOf(written), diagnostics: [] };
}

const USUAL_FILE = new URL('usual-callees.yaml', import.meta.url);
let usual: Cast | undefined;

export const usualCalleesText = (): string => readFileSync(USUAL_FILE, 'utf8');

/** Those of a campaign that nobody knows anything about. */
export function usualCast(): Cast {
  usual ??= loadCallees(usualCalleesText(), USUAL_FILE.pathname).cast!;
  return usual;
}

function castOf(written: JsonObject): Cast {
  const parties = listAt(written, 'parties');
  return {
    callees: new Callees(listAt(written, 'groups').map((each, at) => groupOf(each, at, {}))),
    parties: new Callees((parties.length === 0 ? [{}] : parties).map((each, at) => groupOf(each, at, PARTY))),
  };
}

type Usual = Partial<Pick<Manner, 'after' | 'talk'>>;

function groupOf(given: Json, index: number, otherwise: Usual): CalleeGroup {
  const written = isObject(given) ? given : {};
  const { name, share, numbers, sticks } = written;
  return {
    name: typeof name === 'string' ? name : `group ${index + 1}`,
    share: typeof share === 'number' ? share : 1,
    ...(numbers === undefined ? {} : { names: namesOf(numbers) }),
    sticks: sticks === true,
    manners: [
      mannerOf(written, otherwise),
      ...listAt(written, 'then').map((each) => mannerOf(isObject(each) ? each : {}, otherwise)),
    ],
  };
}

function namesOf(written: Json): (phone: string) => boolean {
  const { prefix, pattern, list } = isObject(written) ? written : { prefix: written };
  const prefixes = prefix === undefined ? [] : [prefix].flat().map((each) => numberLookupKey(String(each)));
  const found = typeof pattern === 'string' ? linearPattern(pattern) : undefined;
  const known = new Set(Array.isArray(list) ? list.map((each) => numberLookupKey(String(each))) : []);
  return (phone) => {
    const key = numberLookupKey(phone);
    return known.has(key) || prefixes.some((each) => key.startsWith(each)) || found?.test(phone) === true;
  };
}

function mannerOf(written: JsonObject, otherwise: Usual): Manner {
  const does = (written['does'] ?? 'answer') as Manner['does'];
  const is = (written['is'] ?? 'human') as Manner['is'];
  const { sip_status: status, beep_after: beep } = written;
  return {
    does,
    sipStatus: typeof status === 'number' ? status : 0,
    after: amountOf(written['after'], otherwise.after ?? afterOf(does, is)),
    ringAfter: amountOf(written['ring_after'], SOON),
    is,
    greeting: amountOf(written['greeting'], GREETING),
    ...(beep === false ? {} : { beepAfter: amountOf(beep, BEEP_AFTER) }),
    presses: pressesOf(written['presses']),
    talk: amountOf(written['talk'], otherwise.talk ?? STAYS[is]),
  };
}

const afterOf = (does: Manner['does'], is: Answerer['is']): Amount =>
  does === 'answer' ? ANSWERS_AFTER[is] : does === 'declined' ? DECLINES_AFTER : SOON;

function amountOf(written: Json | undefined, otherwise: Amount): Amount {
  if (written === undefined) return otherwise;
  if (!isObject(written)) return { fixedMs: ms(written) };
  const { from, to, mean, deviation } = written;
  if (mean !== undefined) return { meanMs: ms(mean), deviationMs: ms(deviation ?? '0s') };
  return range(ms(from ?? '0s'), ms(to ?? '0s'));
}

const pressesOf = (written: Json | undefined): Press[] =>
  written === undefined ? [] : (Array.isArray(written) ? written : [written]).map(pressOf);

function pressOf(written: Json): Press {
  if (!isObject(written) || written['digits'] === undefined) {
    return { choices: choicesOf(written), when: { after: SOON } };
  }
  const { digits, after, at } = written;
  return {
    choices: choicesOf(digits),
    when: at === undefined ? { after: amountOf(after, SOON) } : { at: amountOf(at, SOON) },
  };
}

function choicesOf(written: Json): Choice[] {
  const weights = isObject(written) ? Object.entries(written) : [[String(written), 1] as const];
  return weights.map(([keys, weight]) => ({ digits: keys === 'none' ? '' : keys, weight: Number(weight) }));
}

// --- what no schema can say -----------------------------------------------------------------------------------------

function complaintsOf(groups: readonly Json[], pointer: string): Issue[] {
  const written = groups.map((each) => (isObject(each) ? each : {}));
  const everybody = written.every(({ numbers }) => numbers !== undefined)
    ? [
        complaint(pointer, 'every group says which numbers it is: nobody is left for the others', {
          hint: 'add a group without `numbers`',
        }),
      ]
    : [];
  return [
    ...everybody,
    ...shareComplaints(written, pointer),
    ...written.flatMap((each, at) => groupComplaints(each, childPointer(pointer, at))),
  ];
}

function shareComplaints(groups: readonly JsonObject[], pointer: string): Issue[] {
  const others = groups.filter(({ numbers }) => numbers === undefined);
  if (others.length === 0 || others.some(({ share }) => share !== 0)) return [];
  return [complaint(pointer, 'all shares are 0: nobody is met', { hint: 'give one of them a share' })];
}

function groupComplaints(group: JsonObject, pointer: string): Issue[] {
  const { sticks, then, numbers } = group;
  const both =
    sticks === false && then !== undefined
      ? [
          complaint(childPointer(pointer, 'sticks'), 'a number stays in a group that says what comes then', {
            atKey: true,
          }),
        ]
      : [];
  return [
    ...both,
    ...patternComplaints(
      objectAt({ numbers: numbers ?? null }, 'numbers')['pattern'],
      childPointer(childPointer(pointer, 'numbers'), 'pattern'),
    ),
    ...mannerComplaints(group, pointer),
    ...listAt(group, 'then').flatMap((each, at) =>
      mannerComplaints(each, childPointer(childPointer(pointer, 'then'), at)),
    ),
  ];
}

function patternComplaints(pattern: Json | undefined, pointer: string): Issue[] {
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

function mannerComplaints(given: Json, pointer: string): Issue[] {
  const written = isObject(given) ? given : {};
  const does = written['does'] ?? 'answer';
  const at = (key: string): string => childPointer(pointer, key);
  const refused = (keys: readonly string[], why: (key: string) => string, hint?: string): Issue[] =>
    keys
      .filter((key) => written[key] !== undefined)
      .map((key) => complaint(at(key), why(key), { atKey: true, ...(hint === undefined ? {} : { hint }) }));
  return [
    ...(does === 'fail' && written['sip_status'] === undefined
      ? [complaint(at('does'), 'how it fails is missing', { hint: 'add `sip_status`, such as 404 or 503' })]
      : []),
    ...(does === 'fail' ? [] : refused(['sip_status'], () => 'a status is for what fails', 'write `does: fail`')),
    ...(does === 'answer'
      ? []
      : refused(OF_ANSWERS, (key) => `${key} is for who answers, and this one is ${String(does)}`)),
    ...(does === 'no_answer' ? refused(['after'], () => 'who does not answer rings until we give up') : []),
    ...(RINGING.includes(String(does))
      ? []
      : refused(['ring_after'], () => `one who is ${String(does)} does not ring`)),
    ...(does === 'answer' && written['is'] !== 'machine'
      ? refused(OF_MACHINES, (key) => `${key} is for machines`, 'add `is: machine`')
      : []),
    ...AMOUNTS.flatMap((key) => amountComplaints(written[key], at(key))),
    ...pressComplaints(written['presses'], at('presses')),
  ];
}

function amountComplaints(written: Json | undefined, pointer: string): Issue[] {
  if (!isObject(written)) return [];
  const { from, to, mean, deviation } = written;
  const isRange = from !== undefined || to !== undefined;
  const isSpread = mean !== undefined || deviation !== undefined;
  const hint = '{ from: 2s, to: 8s }, or { mean: 6s, deviation: 2s }';
  if (isRange === isSpread || (isRange && to === undefined) || (isSpread && mean === undefined)) {
    return [complaint(pointer, 'an amount is a duration, a range or a distribution', { code: 'wrong-keys', hint })];
  }
  if (isRange && ms(from ?? '0s') > ms(to!)) {
    return [complaint(childPointer(pointer, 'to'), 'the range ends before it begins', {})];
  }
  return [];
}

function pressComplaints(written: Json | undefined, pointer: string): Issue[] {
  if (Array.isArray(written)) return written.flatMap((each, at) => pressComplaints(each, childPointer(pointer, at)));
  if (!isObject(written)) return [];
  const { digits, after, at, ...others } = written;
  const [other] = Object.keys(others);
  if (digits === undefined) {
    const when = after === undefined ? (at === undefined ? undefined : 'at') : 'after';
    const hint = '{ digits: { "1": 70, none: 30 }, after: 2s }';
    if (when !== undefined) {
      return [
        complaint(childPointer(pointer, when), 'which digits is missing', { code: 'wrong-keys', atKey: true, hint }),
      ];
    }
    return weightComplaints(written, pointer);
  }
  if (other !== undefined) {
    const hint = 'put all keys with their weights below `digits`';
    return [
      complaint(childPointer(pointer, other), 'weights stand beside digits', { code: 'wrong-keys', atKey: true, hint }),
    ];
  }
  if (after !== undefined && at !== undefined) {
    const message = 'it is pressed after the question, or at a time';
    return [complaint(childPointer(pointer, 'at'), message, { code: 'wrong-keys', atKey: true })];
  }
  return [
    ...(isObject(digits) ? weightComplaints(digits, childPointer(pointer, 'digits')) : []),
    ...amountComplaints(after, childPointer(pointer, 'after')),
    ...amountComplaints(at, childPointer(pointer, 'at')),
  ];
}

const KEYS = /^([0-9*#A-D]+|none)$/;

function weightComplaints(weights: JsonObject, pointer: string): Issue[] {
  const strange = Object.keys(weights).find((key) => !KEYS.test(key));
  if (strange !== undefined) {
    const message = `${strange.slice(0, 64)} is no key of a telephone`;
    return [
      complaint(childPointer(pointer, strange), message, {
        code: 'digit',
        atKey: true,
        hint: '0-9, *, #, A-D, or none',
      }),
    ];
  }
  if (Object.values(weights).some((weight) => weight !== 0)) return [];
  return [complaint(pointer, 'all weights are 0: nothing could be drawn', {})];
}

function complaint(
  pointer: string,
  message: string,
  { code = 'wrong-value', ...more }: { code?: string; hint?: string; atKey?: boolean },
): Issue {
  return { code, message, pointer, ...more };
}
