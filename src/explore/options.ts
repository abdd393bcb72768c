/**
 * Choices of callers, external services and called parties at the point where a call stopped: a closed set for each
 * verb. `play-choices.ts` plays the call to that point, `candidates.ts` supplies values that affect the flow.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { CompiledFlow, CompiledStep } from '../flow/compiled-flow.ts';
import { longForm } from '../schema/schema-forms.ts';
import type { HeardAudio } from '../telephony/simulated/far-end.ts';
import { promptName } from '../testkit/prompt-names.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import type { Act, Party, PartyManner, Reply } from '../testkit/scenario-form.ts';
import { agentChoices } from './agent-choices.ts';
import { bodiesFor, digitsFor } from './candidates.ts';
import type { Choice } from './choice.ts';
import { answerToPayment, keysOfPayment } from './payment-keys.ts';
import { isQueued, type OpenVisit, type Played, type Stop } from './play-choices.ts';

const KEYS = [...'9876543210*#'];
const ALL_DIGITS = '0123456789*#ABCD';
const SPEAKS = '3s';
const TALKS = '10s';
const OTHER_WORDS = 'something else entirely';
/** Delay after the start of a prompt or a call. */
const SOON = '300ms';
/** Ringing time before the caller hangs up. */
const RINGS = '2s';
/** Maximum length of an input that does not match a pattern. */
const OVERLONG = 16;
/** Characters of a prompt's text that identify it in a test. */
const MAX_HEARD = 60;

export interface OptionContext {
  flows: FindFlow;
  /** Response bodies in the tests of the flow's folder, by step. */
  tested: Readonly<Record<string, readonly Json[]>>;
  /** Number of sounds heard before the last choice. */
  heardBefore: number;
  /** Interrupts of the main flow. */
  events: CompiledFlow['events'];
}

export function optionsAt(played: Played, context: OptionContext): Choice[] {
  const { stop } = played;
  switch (stop.kind) {
    case 'request':
      return [...answersTo(stop, played, context), ...leavingRequest(stop, played, context)];
    case 'party':
      return [...partiesFor(stop, played, context), ...leavingCall(stop, played, context)];
    case 'turn': {
      const acting = stop.visits.flatMap((visit) => actsAt(visit, context));
      const sync = syncOf(played, context);
      const then = (choice: Choice): Choice => ({ ...choice, acts: [...sync, ...(choice.acts ?? [])] });
      return distinctByLabel([
        ...acting,
        ...interruptsOf(stop, context),
        ...(isQueued(played) ? [PATIENCE] : []),
        { kind: 'hang_up', label: 'hang up', acts: ['hang_up'] } satisfies Choice,
      ]).map((choice) => (choice.acts ? then(choice) : choice));
    }
    default:
      return [];
  }
}

/** Synchronises the next act: after the prompts heard since the last one or, if they have no name, after a time. */
function syncOf({ heard, sinceActMs }: Played, { heardBefore }: OptionContext): Act[] {
  const names = heard
    .slice(heardBefore)
    .filter(hasName)
    .map(({ item }) => shortened(promptName(item)));
  const distinct = names.filter((name, index) => name !== names[index - 1]);
  if (distinct.length > 0) return [{ hear: distinct.length === 1 ? distinct[0]! : distinct }];
  return sinceActMs > 0 ? [{ wait: `${Math.round(sinceActMs)}ms` }] : [];
}

const hasName = ({ item }: HeardAudio): boolean =>
  item.type !== 'silence' && (item.name !== undefined || item.type === 'speech' || item.type === 'ssml');

/** Shortens a prompt's text to a prefix that ends at a word. */
function shortened(text: string): string {
  if (text.length <= MAX_HEARD) return text;
  const cut = text.slice(0, MAX_HEARD);
  return cut.slice(0, Math.max(cut.lastIndexOf(' '), MAX_HEARD / 2));
}

function actsAt(open: OpenVisit, context: OptionContext): Choice[] {
  const flow = context.flows(open.flow);
  const step = flow?.steps.get(open.step);
  if (!flow || !step) return [];
  const args = argumentsOf(step);
  const claims = open.wait.digits?.claims ?? '';
  const pass: Choice = { kind: 'pass', label: `${open.step}: wait`, passes: [open.visit] };
  switch (open.verb) {
    case 'menu':
      return menuActs(args, claims, context);
    case 'pay':
      return payActs(args);
    case 'collect':
      return collectActs(step, args, claims, flow, context);
    case 'record':
      return recordActs(open, args);
    case 'wait_for':
      return [
        ...[args['events']].flat().map((name): Choice => event(String(name))),
        args['timeout'] === undefined ? pass : SILENCE,
      ];
    case 'play':
    case 'pause':
      return [pass, ...(claims === '' && open.wait.digits === undefined ? [] : [press('1', { at: SOON })])];
    case 'join_room': {
      // The other keys affect only the audio in the room, not the flow.
      const leaveKey = String(args['leave_key'] ?? '');
      return [...(leaveKey === '' ? [] : [press(leaveKey)]), pass];
    }
    default:
      return [...[...claims].map((key) => press(key)), pass];
  }
}

/** The caller waits until an agent answers or the queue times out. */
const PATIENCE: Choice = { kind: 'pass', label: 'wait to the end', isLast: true };
const SILENCE: Choice = { kind: 'silence', label: 'silence', acts: ['silence'] };

const press = (digits: string, more: { at?: string } = {}): Choice => ({
  kind: 'key',
  label: `press ${digits}`,
  acts: [{ press: Object.keys(more).length === 0 ? digits : { digits, ...more } }],
});
const wrong = (digits: string): Choice => ({ kind: 'wrong', label: `press ${digits}`, acts: [{ press: digits }] });
const say = (text: string, kind: Choice['kind'] = 'speech'): Choice => ({
  kind,
  label: `say ${text}`,
  acts: [{ say: text }],
});
/** An event of the application, delayed because it learns of the call only after its start. */
const event = (name: string): Choice => ({
  kind: 'event',
  label: `event ${name}`,
  acts: [{ wait: SOON }, { command: { event: { name } } }],
});

function menuActs({ choices, speech }: JsonObject, claims: string, { events }: OptionContext): Choice[] {
  const known = Object.values(isObject(choices) ? choices : {}).filter(isObject);
  const keys = known.flatMap(({ dtmf }) => (dtmf === undefined ? [] : [String(dtmf)]));
  const hears = speech !== undefined || known.some((choice) => choice['say'] !== undefined);
  const strange = KEYS.find((key) => !claims.includes(key) && !Object.hasOwn(events, `dtmf.${key}`));
  return [
    ...known.map(({ dtmf, say: phrases }) =>
      dtmf === undefined ? say(String([phrases].flat()[0])) : press(String(dtmf)),
    ),
    // Keys of the items of a list (`each`).
    ...[...claims].filter((key) => !keys.includes(key)).map((key) => press(key)),
    SILENCE,
    ...(claims !== '' && strange !== undefined ? [wrong(strange)] : []),
    ...(hears ? [say(OTHER_WORDS, 'wrong')] : []),
  ];
}

function collectActs(
  step: CompiledStep,
  args: JsonObject,
  claims: string,
  flow: CompiledFlow,
  { events }: OptionContext,
): Choice[] {
  const { digits, speech } = args;
  const spoken = isObject(speech) ? speech : undefined;
  if (claims !== '' && claims !== ALL_DIGITS) return confirmActs(claims, spoken, events);
  const rules = isObject(digits) ? digits : {};
  const most = Number(rules['length'] ?? rules['max'] ?? 32);
  const terminator = String(rules['terminator'] ?? '#');
  const typed = claims === '' ? [] : digitsFor(step, flow);
  const words = spoken === undefined ? [] : wordsFor(spoken, step, flow);
  return [
    ...typed.map((each) => press(each.length < most ? `${each}${terminator}` : each)),
    ...words.map((each) => say(each)),
    SILENCE,
    ...(claims === '' ? [] : [wrong(wrongDigits(rules, terminator, most))]),
    ...(spoken?.['grammar'] === undefined ? [] : [say(OTHER_WORDS, 'wrong')]),
  ];
}

/** Digits that do not match: the terminator alone or, without a terminator, `*`. */
function wrongDigits(rules: JsonObject, terminator: string, most: number): string {
  if (terminator !== '') return terminator;
  return rules['pattern'] === undefined ? '*' : '*'.repeat(Math.min(most, OVERLONG));
}

function confirmActs(claims: string, speech: JsonObject | undefined, events: CompiledFlow['events']): Choice[] {
  const strange = KEYS.find((key) => !claims.includes(key) && !Object.hasOwn(events, `dtmf.${key}`));
  return [
    ...[...claims].map((key) => press(key)),
    SILENCE,
    ...(strange === undefined ? [] : [wrong(strange)]),
    ...(speech === undefined ? [] : [say('yes'), say('no')]),
  ];
}

function wordsFor({ grammar, hints }: JsonObject, step: CompiledStep, flow: CompiledFlow): string[] {
  if (grammar === 'digits')
    return digitsFor(step, flow)
      .slice(0, 1)
      .map((digits) => [...digits].join(' '));
  if (grammar === 'yes_no') return ['yes', 'no'];
  const hinted = Array.isArray(hints) ? hints.filter((hint) => typeof hint === 'string' && !hint.includes('${')) : [];
  return hinted.length > 0 ? hinted.slice(0, 3).map(String) : ['hello there'];
}

const payActs = (args: JsonObject): Choice[] => [press(keysOfPayment(args)), press('*'), SILENCE, wrong('#')];

function recordActs({ visit, step }: OpenVisit, { terminator = '#' }: JsonObject): Choice[] {
  const passes = [visit];
  const key = String(terminator)[0];
  return [
    { kind: 'speech', label: `speak`, acts: [{ speak: SPEAKS }], passes },
    ...(key === undefined
      ? []
      : [{ ...press(key), label: `speak, press ${key}`, acts: [{ speak: SPEAKS }, { press: key }], passes }]),
    { kind: 'silence', label: `${step}: say nothing`, passes },
    { kind: 'hang_up', label: 'speak, hang up', acts: [{ speak: SPEAKS }, 'hang_up'] },
  ];
}

function interruptsOf({ visits }: Extract<Stop, { kind: 'turn' }>, { events }: OptionContext): Choice[] {
  const claimed = visits.map(({ wait }) => wait.digits?.claims ?? '').join('');
  return Object.keys(events).flatMap((name): Choice[] => {
    const [kind, ...rest] = name.split('.');
    const word = rest.join('.');
    if (kind === 'dtmf' && !claimed.includes(word)) return [press(word, { at: '0s' })];
    return kind === 'event' ? [event(word)] : [];
  });
}

// --- external services and called parties ----------------------------------------------------------------------------

function answersTo(
  { step: name }: Extract<Stop, { kind: 'request' }>,
  { open }: Played,
  { flows, tested }: OptionContext,
): Choice[] {
  // Requests of an agent's lookup are named `step.lookup`.
  const visit = [...open.values()].findLast(({ step }) => step === name.split('.')[0]);
  const flow = visit && flows(visit.flow);
  const step = visit && flow?.steps.get(visit.step);
  if (flow && step?.verb === 'assistant' && step.name === name) return agentChoices(step, flow);
  const args = step ? argumentsOf(step) : {};
  const answer = (label: string, reply: Reply): Choice => ({
    kind: 'reply',
    label: `${name}: ${label}`,
    reply: { step: name, reply },
  });
  const failures = [
    answer('500', { status: 500 }),
    answer('no answer in time', { timeout: true }),
    answer('no connection', { network: true }),
  ];
  if (step?.verb === 'webhook') {
    const { outcomes = [] } = args;
    return [...[outcomes].flat().map((outcome) => answer(String(outcome), { body: { outcome } })), ...failures];
  }
  if (step?.verb === 'pay') {
    const taken = answerToPayment(args);
    return [
      answer(taken.status, { body: { ...taken } }),
      answer('declined', { status: 402 }),
      answer('refused', { status: 400 }),
      ...failures,
    ];
  }
  const bodies = step && flow ? bodiesFor(step, flow, tested[name]) : [null];
  const { returns } = args;
  return [
    ...bodies.map((body) => {
      const isTested = tested[name]?.some((each) => isSame(each, body)) === true;
      const reply = isEmpty(body) ? { status: 200 } : { status: 200, body };
      return { ...answer(`200 ${JSON.stringify(body)}`, reply), isTested, isInvented: !isObject(returns) && !isTested };
    }),
    answer('404', { status: 404 }),
    answer('400', { status: 400 }),
    ...failures,
    ...(isObject(returns) ? [answer('200 with another body', { status: 200, body: 'not what returns says' })] : []),
  ];
}

/** The caller hangs up before the response arrives. */
function leavingRequest(
  { step }: Extract<Stop, { kind: 'request' }>,
  played: Played,
  context: OptionContext,
): Choice[] {
  // Behaviour of an assistant's agent is also a stop of kind `request`, but not an HTTP request.
  if ([...played.open.values()].some(({ verb }) => verb === 'assistant')) return [];
  const acts: Act[] = [...syncOf(played, context), { wait: SOON }, 'hang_up'];
  return [{ kind: 'hang_up', label: `${step}: hang up meanwhile`, reply: { step, reply: { timeout: true } }, acts }];
}

/** The caller hangs up while a called party rings. */
function leavingCall({ word, to }: Extract<Stop, { kind: 'party' }>, played: Played, context: OptionContext): Choice[] {
  const acts: Act[] = [...syncOf(played, context), { wait: RINGS }, 'hang_up'];
  return [{ kind: 'hang_up', label: `${to}: rings, hang up`, party: { word, to, party: 'no_answer' }, acts }];
}

const isSame = (one: Json, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other);
const isEmpty = (body: Json): boolean => isObject(body) && Object.keys(body).length === 0;

function partiesFor(
  { word, to, visit, leg }: Extract<Stop, { kind: 'party' }>,
  { open, journal }: Played,
  { flows }: OptionContext,
): Choice[] {
  const made = open.get(visit);
  const step = made && flows(made.flow)?.steps.get(made.step);
  const { screen, detect_machine: detect = false } = step ? argumentsOf(step) : {};
  const is = (label: string, party: Party): Choice => ({
    kind: 'party',
    label: `${to}: ${label}`,
    party: { word, to, party },
  });
  const accept = isObject(screen) ? String(screen['accept'] ?? '1') : undefined;
  const talks: PartyManner = { talk: TALKS, ...(accept === undefined ? {} : { presses: accept }) };
  const answers = is('answers', talks);
  // All variants are tried only for the first of several parties that are dialled at the same time.
  const dials = journal.filter((entry) => entry.kind === 'dialled' && entry.visit === visit);
  const own = dials.find((entry) => entry.kind === 'dialled' && entry.leg === leg);
  const isFirst = dials.find(({ atMs }) => atMs === own?.atMs) === own;
  if (!isFirst) return [is('cannot be reached', 'unreachable'), answers];
  return [
    answers,
    is('does not answer', 'no_answer'),
    // A queue dials its agents again until its time-out.
    ...(word === 'queue' ? [{ ...is('never answers', 'no_answer'), isAlways: true }] : []),
    is('is busy', 'busy'),
    is('declines', 'declined'),
    is('cannot be reached', 'unreachable'),
    ...(accept === undefined ? [] : [is('answers and presses nothing', { talk: TALKS })]),
    ...(detect === false ? [] : [is('a machine answers', 'machine')]),
  ];
}

const argumentsOf = (step: CompiledStep): JsonObject => {
  const long = longForm(step.verb, step.args);
  return isObject(long) ? long : {};
};

const distinctByLabel = (choices: readonly Choice[]): Choice[] =>
  [...new Map(choices.toReversed().map((choice) => [choice.label, choice])).values()].toReversed();
