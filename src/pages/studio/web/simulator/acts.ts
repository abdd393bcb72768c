/**
 * A simulated call as a list of acts. The service keeps no state: the whole list is sent with every request, so undo
 * removes the last act, and a changed flow gets the same acts. Pure; sent by `call-session.ts`.
 *
 * Invariants
 * - an act never changes after it was added, except for its number of passed stops;
 * - acts are stored in the form of a test's `script` and `mocks`.
 */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { Entry } from '../journal/entries.ts';
import type { LeadingTest, Mock, SimulationData } from './simulation.ts';

export type SimulatorAct = {
  /** Number of breakpoint stops that the user has passed, including this act. */
  passedStops: number;
} /** `joins`: the key follows another key without anything in between, so that both are pressed at once. */ & (
  | { kind: 'script'; written: readonly Json[]; until: 'acts' | 'quiet' | 'end'; joins?: true }
  | { kind: 'mock'; mock: Mock }
  /** Continues from a breakpoint. */
  | { kind: 'go_on' }
);

export interface SimulatorCall {
  acts: readonly SimulatorAct[];
  breakpoints: readonly string[];
  from: string;
  to: string;
  /** Mocks that exist from the start, such as those of a test. */
  mocks: JsonObject;
  /** Further fields of a test for the call, such as the time and the flow input. */
  given: JsonObject;
}

/** `from` and `to` are the defaults of tests. */
export const newCall = (given: Partial<SimulatorCall> = {}): SimulatorCall => ({
  acts: [],
  breakpoints: [],
  from: '+33612345678',
  to: '+33199001122',
  mocks: {},
  given: {},
  ...given,
});

/** Call with the acts of a test or of a search result. */
export function callOf(before: SimulatorCall, { script, mocks = {}, call = {}, ...given }: LeadingTest): SimulatorCall {
  const { from = before.from, to = before.to, ...more } = call;
  return {
    ...{ breakpoints: before.breakpoints, from: String(from), to: String(to), mocks },
    given: Object.keys(more).length === 0 ? given : { ...given, call: more },
    acts: script.map(
      (written): SimulatorAct => ({ kind: 'script', written: [written], until: 'quiet', passedStops: 0 }),
    ),
  };
}

/** Action of the user. Its form in a script depends on the state of the call. */
export type CallerAction =
  | { do: 'press'; digits: string /** During the prompt, at this time since the start of the call. */; atMs?: number }
  | { do: 'say'; text: string }
  | { do: 'stay_silent' }
  | { do: 'let_pass'; ms: number }
  | { do: 'hang_up' }
  | { do: 'party'; name: string; acts: Json }
  | { do: 'event'; name: string; data?: Json }
  | { do: 'mock'; mock: Mock }
  /** Acts in the form of a script, as the service lists them. */
  | { do: 'acts'; written: readonly Json[] }
  | { do: 'go_on' };

/** Duration of a silence if the listening time is unknown. */
const SILENCE_MS = 5000;

export function addAct(call: SimulatorCall, action: CallerAction, now: SimulationData): SimulatorCall {
  const passedStops = stopsPassed(call.breakpoints, now) + (action.do === 'go_on' ? 1 : 0);
  const act = actOf(action, now);
  const joins = isPress(act) && isPress(call.acts.at(-1)) && isStillTyping(now);
  return { ...call, acts: [...call.acts, { ...act, ...(joins && { joins }), passedStops } as SimulatorAct] };
}

/** True for an act of keys without a time. */
const isPress = (act: NewAct | undefined): boolean =>
  act?.kind === 'script' && act.written.every((each) => isObject(each) && typeof each['press'] === 'string');

/** True if the caller has heard no prompt and entered no step since its last key. */
function isStillTyping({ journal }: SimulationData): boolean {
  const lastKey = journal.findLastIndex(
    (entry) => entry.kind === 'in' && entry.input.type === 'leg' && entry.input.event.type === 'digit',
  );
  return (
    lastKey >= 0 &&
    !journal
      .slice(lastKey + 1)
      .some((entry) => entry.kind === 'entered' || (entry.kind === 'command' && entry.command.type === 'play'))
  );
}

type ScriptAct = Extract<NewAct, { kind: 'script' }>;
type NewAct = SimulatorAct extends infer Each ? (Each extends SimulatorAct ? Omit<Each, 'passedStops'> : never) : never;

function actOf(action: CallerAction, now: SimulationData): NewAct {
  const quiet = (...written: Json[]): ScriptAct => ({ kind: 'script', written, until: 'quiet' });
  /** At the current time instead of the end of the last act. */
  const pausedMs = sinceLastAct(now);
  const later = (written: Json): ScriptAct =>
    pausedMs > 0 ? quiet({ wait: duration(pausedMs) }, written) : quiet(written);
  switch (action.do) {
    case 'press': {
      const { digits, atMs } = action;
      const atOnce = { press: { digits, at: '0s' } };
      if (atMs !== undefined) return quiet({ wait: duration(atMs - lastEndOf(now)) }, atOnce);
      return now.waits_for?.prompt === true ? later(atOnce) : quiet({ press: digits });
    }
    case 'say':
      return quiet({ say: action.text });
    case 'stay_silent':
      return now.waits_for?.until_ms !== undefined && now.waits_for.recording !== true
        ? quiet('silence')
        : quiet({ wait: duration(pausedMs + SILENCE_MS) });
    case 'let_pass':
      return { kind: 'script', written: [{ wait: duration(pausedMs + action.ms) }], until: 'acts' };
    case 'hang_up':
      return {
        ...(now.waits_for?.prompt === true ? later({ hang_up: { at: '0s' } }) : quiet('hang_up')),
        until: 'end',
      };
    case 'party':
      return later({ party: { [action.name]: action.acts } });
    case 'event': {
      const { name, data } = action;
      return later({ command: { event: data === undefined ? { name } : { name, data } } });
    }
    case 'acts':
      return pausedMs > 0 && !isAtTurn(action.written[0])
        ? quiet({ wait: duration(pausedMs) }, ...action.written)
        : quiet(...action.written);
    case 'mock':
      return { kind: 'mock', mock: action.mock };
    default:
      return { kind: 'go_on' };
  }
}

/** True for an act that waits for the caller's turn instead of the end of the last act. */
function isAtTurn(act: Json | undefined): boolean {
  if (!isObject(act)) return true;
  return typeof act['press'] === 'string' || 'say' in act || 'speak' in act;
}

const lastEndOf = ({ acts }: SimulationData): number => acts.at(-1)?.ended_ms ?? 0;

/** The clock can be beyond the last act, because the simulation runs until the call is quiet. */
const sinceLastAct = (now: SimulationData): number => Math.max(0, now.clock_ms - lastEndOf(now));

export const takeBack = (call: SimulatorCall): SimulatorCall => ({ ...call, acts: call.acts.slice(0, -1) });

/** Restarts the call with the same mocks and breakpoints. */
export const startAgain = (call: SimulatorCall): SimulatorCall => ({ ...call, acts: [], mocks: mocksOf(call) });

/** A breakpoint at a step that the call has already entered only stops it the next time. */
export function toggleBreakpoint(call: SimulatorCall, step: string, now: SimulationData | undefined): SimulatorCall {
  const breakpoints = call.breakpoints.includes(step)
    ? call.breakpoints.filter((each) => each !== step)
    : [...call.breakpoints, step];
  const last = call.acts.at(-1);
  if (now === undefined) return { ...call, breakpoints };
  const passedStops = stopsPassed(breakpoints, now);
  const acts: readonly SimulatorAct[] =
    last === undefined
      ? passedStops > 0
        ? [{ kind: 'go_on', passedStops }]
        : []
      : [...call.acts.slice(0, -1), { ...last, passedStops }];
  return { ...call, breakpoints, acts };
}

/** The journal ends before the step at which the call is stopped. */
const stopsPassed = (breakpoints: readonly string[], { journal }: SimulationData): number =>
  journal.filter((entry) => isEntered(entry) && breakpoints.includes(entry.step)).length;

const isEntered = (entry: Entry): entry is Extract<Entry, { kind: 'entered' }> => entry.kind === 'entered';

const isEndedBy = (acts: readonly SimulatorAct[]): boolean =>
  acts.some((act) => act.kind === 'script' && act.until === 'end');

/** Request body of the call. */
export function orderOf({ acts, breakpoints, from, to, ...call }: SimulatorCall) {
  const last = acts.at(-1);
  const { call: more, ...given } = call.given;
  return {
    ...given,
    call: { ...(isObject(more) && more), from, to },
    mocks: mocksOf({ acts, mocks: call.mocks }),
    script: scriptOf(acts),
    ...(breakpoints.length > 0 && { breakpoints, passed_stops: last?.passedStops ?? 0 }),
    until: last?.kind === 'script' ? last.until : isEndedBy(acts) ? ('end' as const) : ('quiet' as const),
  };
}

export function scriptOf(acts: readonly SimulatorAct[]): Json[] {
  const script: Json[] = [];
  for (const act of acts) {
    if (act.kind !== 'script') continue;
    if (act.joins) script.push({ press: `${digitsIn(script.pop())}${digitsIn(act.written[0])}` });
    else script.push(...act.written);
  }
  return script;
}

const digitsIn = (act: Json | undefined): string => (isObject(act) ? String(act['press']) : '');

/** Adds timeouts for requests that had no mock when the call ended, because a test must define them. */
export function withUnanswered(call: SimulatorCall, { requests }: SimulationData): SimulatorCall {
  const open = requests.filter(({ mocked }) => !mocked);
  const acts = open.map(
    ({ step, nth }): SimulatorAct => ({
      kind: 'mock',
      mock: { of: 'request', step, nth, answer: { timeout: true } },
      passedStops: 0,
    }),
  );
  return { ...call, acts: [...call.acts, ...acts] };
}

export function mocksOf({ acts, mocks }: Pick<SimulatorCall, 'acts' | 'mocks'>): JsonObject {
  let all = mocks;
  for (const act of acts) if (act.kind === 'mock') all = withMock(all, act.mock);
  return all;
}

function withMock(mocks: JsonObject, mock: Mock): JsonObject {
  if (mock.of === 'request') return { ...mocks, [mock.step]: answersWith(mocks[mock.step], mock) };
  const parties = (mocks[mock.verb] ?? {}) as JsonObject;
  return { ...mocks, [mock.verb]: { ...parties, [mock.number]: answersWith(parties[mock.number], mock) } };
}

/** A single response for all requests is repeated for the ones before the nth. */
function answersWith(known: Json | undefined, { nth, answer }: Mock): Json[] {
  const answers = Array.isArray(known)
    ? [...known]
    : known === undefined
      ? []
      : Array.from({ length: nth }, () => known);
  while (answers.length < nth - 1) answers.push(answers.at(-1) ?? answer);
  answers[nth - 1] = answer;
  return answers;
}

/** `1.5s`, `250ms`, as in tests. */
export function duration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  return whole % 100 === 0 && whole >= 1000 ? `${whole / 1000}s` : `${whole}ms`;
}

/** Description of an act. */
export function wordsOfAct(act: SimulatorAct): string {
  if (act.kind === 'go_on') return t('continue from the breakpoint');
  if (act.kind === 'mock')
    return t('answer of {name}', { name: act.mock.of === 'request' ? act.mock.step : act.mock.number });
  const written = act.written.at(-1)!;
  if (!isObject(written)) return String(written).replace('_', ' ');
  const [name, value] = Object.entries(written)[0] ?? ['', null];
  if (name === 'hang_up') return t('hang up');
  const given = isObject(value) ? (value['digits'] ?? value) : value;
  return `${name} ${typeof given === 'string' ? given : JSON.stringify(given)}`;
}
