/**
 * Possible next acts in a simulated call: digits, speech, silence, responses of services and parties. Each has the
 * outcome that it probably leads to; the simulation shows the real one. `search-way.ts` tries them, `way-values.ts`
 * finds digits and response bodies. Pure.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { answerToPayment, keysOfPayment } from '../explore/payment-keys.ts';
import type { CompiledFlow, CompiledStep } from '../flow/compiled-flow.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import type { Simulation } from './simulation-view.ts';
import { bodiesFor, digitsFor } from './way-values.ts';

export interface Idea {
  acts: Json[];
  /** All mocks of the call, including the added one. */
  mocks?: JsonObject;
  /** Probable outcome of the current step. */
  outcome?: string;
  /** Target step of an interrupt. */
  to?: string;
}

const KEYS = [...'1234567890*#'];
const PARTY_WORDS = ['answer', 'busy', 'no_answer', 'declined', 'unreachable'] as const;
/** Long enough for the outcome `recorded`. */
const SPEAKS = '3s';
const PAUSE = '10s';

export function ideasFor(view: Simulation, mocks: JsonObject, flow: CompiledFlow, flows: FindFlow): Idea[] {
  const request = view.requests.find(({ state, mocked }) => state === 'open' && mocked === false);
  if (request !== undefined) return answersTo(request, view, mocks, flow, flows);
  const party = view.parties.find(({ state, mocked }) => state === 'ringing' && mocked === false);
  if (party !== undefined) return PARTY_WORDS.map((says) => answerOfParty(party, says, mocks));
  const { step } = innermost(view, flow, flows);
  return [
    ...(step === undefined ? [] : ideasOfStep(step, flow)),
    ...view.parties
      .filter(({ state }) => state === 'connected')
      .map(({ name }): Idea => ({ acts: [{ party: { [String(name)]: 'hang_up' } }], outcome: 'completed' })),
    ...interrupts(flow),
    { acts: ['silence'], outcome: 'timeout' },
    { acts: [{ wait: PAUSE }] },
    { acts: ['hang_up'], outcome: 'hangup' },
  ];
}

/** Returns the current step of the innermost flow. */
function innermost({ frames }: Simulation, flow: CompiledFlow, flows: FindFlow) {
  const frame = frames.findLast((each) => each.branch === undefined && each.step !== undefined) ?? frames.at(-1);
  const of = frame === undefined || frame.flow === flow.name ? flow : (flows(frame.flow) ?? flow);
  return { flow: of, step: of.steps.get(frame?.step ?? '') };
}

function ideasOfStep(step: CompiledStep, flow: CompiledFlow): Idea[] {
  const args = isObject(step.args) ? step.args : {};
  switch (step.verb) {
    case 'menu':
      return ideasOfMenu(args);
    case 'collect':
      return ideasOfCollect(step, args, flow);
    case 'pay':
      return [
        { acts: [{ press: keysOfPayment(args) }], outcome: args['tokenize'] === true ? 'tokenized' : 'paid' },
        { acts: [{ press: '*' }], outcome: 'cancelled' },
      ];
    case 'record':
      return [
        { acts: [{ speak: SPEAKS }, { press: '#' }], outcome: 'recorded' },
        { acts: ['silence'], outcome: 'silence' },
      ];
    case 'wait_for':
      return listOf(args['events']).map((name) => ({ acts: [{ command: { event: { name } } }], outcome: name }));
    case 'queue':
      return [{ acts: [{ press: String(args['leave_key'] ?? '*') }], outcome: 'abandoned' }];
    default:
      return [];
  }
}

function ideasOfMenu({ choices, each, more = '9' }: JsonObject): Idea[] {
  const known = Object.entries(isObject(choices) ? choices : {});
  const keys = known.map(([, choice]) => (isObject(choice) ? String(choice['dtmf'] ?? '') : ''));
  const item = KEYS.find((key) => /[1-9]/.test(key) && key !== more && !keys.includes(key));
  const ofItems: Idea[] =
    each === undefined || item === undefined ? [] : [{ acts: [{ press: item }], outcome: 'chosen' }];
  const chosen = known.flatMap(([outcome, choice], index): Idea[] => {
    const [say] = isObject(choice) ? listOf(choice['say']) : [];
    const press = keys[index]!;
    if (press !== '') return [{ acts: [{ press }], outcome }];
    return say === undefined ? [] : [{ acts: [{ say }], outcome }];
  });
  const wrong = KEYS.toReversed().find(
    (key) => (each === undefined || (/\D|0/.test(key) && key !== more)) && !keys.some((each) => each.includes(key)),
  );
  return [
    ...chosen,
    ...ofItems,
    { acts: ['silence'], outcome: 'exhausted.no_input' },
    ...(wrong === undefined ? [] : [{ acts: [{ press: wrong }], outcome: 'exhausted.no_match' }]),
  ];
}

function ideasOfCollect(step: CompiledStep, args: JsonObject, flow: CompiledFlow): Idea[] {
  const { digits, speech, confirm } = args;
  const hints = isObject(speech) ? listOf(speech['hints']) : [];
  const accept = isObject(confirm) ? String(confirm['accept'] ?? '1') : undefined;
  const [pressed, said] = ['digits', 'speech'].map((how) => (Object.hasOwn(step.exits, how) ? how : 'collected'));
  const accepted = [...new Set([pressed, said])];
  return [
    ...(accept === undefined ? [] : accepted.map((outcome): Idea => ({ acts: [{ press: accept }], outcome }))),
    ...(digits === undefined
      ? []
      : digitsFor(step, flow).map((press): Idea => ({ acts: [{ press }], outcome: pressed }))),
    ...(speech === undefined
      ? []
      : (hints.length > 0 ? hints : ['yes']).map((say): Idea => ({ acts: [{ say }], outcome: said }))),
    { acts: ['silence'], outcome: 'exhausted.no_input' },
    { acts: [digits === undefined ? { say: 'something else' } : { press: '*#' }], outcome: 'exhausted.no_match' },
  ];
}

const interrupts = ({ events }: CompiledFlow): Idea[] =>
  Object.entries(events).flatMap(([event, to]): Idea[] => {
    const [kind, ...rest] = event.split('.');
    const name = rest.join('.');
    if (kind === 'dtmf') return [{ acts: [{ press: { digits: name, at: '0s' } }], to }];
    if (kind === 'event') return [{ acts: [{ command: { event: { name } } }], to }];
    return [];
  });

/** Outcomes of a failed request, which are also words of `mocks`. */
const NEGATIVE_REPLIES = ['not_found', 'failed.5xx', 'failed.4xx', 'failed.timeout', 'failed.network'];

type Open = Simulation['requests'][number];

type Reply = [says: Json, outcome: string];

function positiveReplies(made: CompiledStep | undefined, flow: CompiledFlow): Reply[] {
  const args = isObject(made?.args) ? made.args : {};
  const reply = (outcome: string, body: JsonObject): Reply => [{ status: 200, body }, outcome];
  switch (made?.verb) {
    case 'webhook':
      return listOf(args['outcomes']).map((outcome) => reply(outcome, { outcome }));
    case 'pay': {
      const taken = answerToPayment(args);
      return [reply(taken.status, { ...taken }), reply('declined', { status: 'declined' })];
    }
    default:
      return (made === undefined ? [{}] : bodiesFor(made, flow)).map((body) => [{ status: 200, body }, 'ok']);
  }
}

function answersTo(request: Open, view: Simulation, mocks: JsonObject, root: CompiledFlow, flows: FindFlow): Idea[] {
  const name = String(request['step']);
  const { flow, step } = innermost(view, root, flows);
  const made = flow.steps.get(name) ?? step;
  const replies: Reply[] = [
    ...positiveReplies(made, flow),
    ...NEGATIVE_REPLIES.map((outcome): Reply => [outcome, outcome]),
  ];
  const nth = Number(request['nth']);
  return replies.map(([says, outcome]) => ({
    acts: [],
    mocks: { ...mocks, [name]: withAnswer(mocks[name], nth, says) },
    outcome,
  }));
}

function answerOfParty(party: Open, says: (typeof PARTY_WORDS)[number], mocks: JsonObject): Idea {
  const verb = String(party['verb'] ?? 'bridge');
  const number = String(party['name']);
  const known = (mocks[verb] ?? {}) as JsonObject;
  const nth = (Array.isArray(known[number]) ? known[number].length : 0) + 1;
  return {
    acts: [],
    mocks: { ...mocks, [verb]: { ...known, [number]: withAnswer(known[number], nth, says) } },
    outcome: says === 'answer' ? (verb === 'transfer' ? 'transferred' : 'completed') : `failed.${says}`,
  };
}

/** Sets the `nth` answer; a single answer for all requests is repeated for those before it. */
function withAnswer(known: Json | undefined, nth: number, says: Json): Json[] {
  const before = Array.isArray(known) ? known : known === undefined ? [] : new Array<Json>(nth - 1).fill(known);
  return [...before.slice(0, nth - 1), says];
}

const listOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];
