/**
 * Callees of a rehearsed broadcast: draws the behaviour of each call at random. `callees-file.ts` reads the profiles,
 * `callee-key-presses.ts` presses keys.
 *
 * Invariant: the behaviour depends only on the seed, the number and the attempt; order and rate of the calls have no
 * influence.
 */
import { seededRandom } from '../../../base/core/ids.ts';
import type { Answerer, CalleePlan } from '../../../media/telephony/simulated/far-end.ts';

/** Returns a number in [0, 1). */
export type Random = () => number;

/** Duration in ms, drawn for each call. */
export type RandomDuration =
  | { fixedMs: number }
  | { fromMs: number; toMs: number }
  /** Normal distribution, truncated at 0. */
  | { meanMs: number; deviationMs: number };

export interface KeyChoice {
  /** Empty if no key is pressed. */
  digits: string;
  share: number;
}

/** Reaction to one question. */
export interface CalleeKeyPress {
  choices: readonly KeyChoice[];
  /** Delay after the question, or after the call was answered. */
  when: { after: RandomDuration } | { at: RandomDuration };
}

/** Behaviour at one attempt. */
export interface AttemptBehaviour {
  does: CalleePlan['does'];
  /** SIP status for `fail`. */
  sipStatus: number;
  after: RandomDuration;
  ringAfter: RandomDuration;
  is: Answerer['is'];
  greeting: RandomDuration;
  /** Absent if there is no beep. */
  beepAfter?: RandomDuration;
  presses: readonly CalleeKeyPress[];
  talk: RandomDuration;
}

export interface CalleeGroup {
  name: string;
  share: number;
  /** Absent for the group of all numbers that no other group matches. */
  matches?(phone: string): boolean;
  sticks: boolean;
  /** Behaviour by attempt; the last one applies to all further attempts. */
  behaviours: readonly [AttemptBehaviour, ...AttemptBehaviour[]];
}

/** Drawn behaviour for one call. */
export interface DrawnCallee {
  group: string;
  plan: CalleePlan;
  presses: readonly CalleeKeyPress[];
  /** Source of random numbers during the call. */
  random: Random;
}

export class Callees {
  readonly #groups: readonly CalleeGroup[];

  constructor(groups: readonly CalleeGroup[]) {
    this.#groups = groups;
  }

  /** `attempt` starts at 1. */
  draw(seed: number, phone: string, attempt: number): DrawnCallee {
    const key = hash(phone, seed);
    const group = this.#groupOf(key, phone, attempt);
    const random = randomFor(key, attempt, BEHAVIOUR);
    const behaviour = group.behaviours[Math.min(attempt, group.behaviours.length) - 1] ?? group.behaviours[0];
    return { group: group.name, plan: planOf(behaviour, random), presses: behaviour.presses, random };
  }

  /** Drawn for the first attempt, and again for each further attempt unless that group keeps its numbers. */
  #groupOf(key: number, phone: string, attempt: number): CalleeGroup {
    const named = this.#groups.filter(({ matches }) => matches?.(phone));
    const groups = named.length > 0 ? named : this.#groups.filter(({ matches }) => matches === undefined);
    const first = drawByShare(groups, randomFor(key, 1, GROUP));
    if (attempt === 1 || !mayChangeGroup(first)) return first;
    return drawByShare(groups.filter(mayChangeGroup), randomFor(key, attempt, GROUP));
  }
}

const mayChangeGroup = ({ sticks, behaviours }: CalleeGroup): boolean => !sticks && behaviours.length === 1;

/** Draws an item by its share. */
function drawByShare<Item extends { share: number }>(items: readonly Item[], random: Random): Item {
  let left = random() * items.reduce((sum, { share }) => sum + share, 0);
  for (const item of items) {
    left -= item.share;
    if (left < 0) return item;
  }
  return items.findLast(({ share }) => share > 0) ?? items.at(-1)!;
}

/** Keys to press now. Empty if none are pressed. */
export const drawDigits = (choices: readonly KeyChoice[], random: Random): string =>
  choices.length === 1 ? choices[0]!.digits : drawByShare(choices, random).digits;

/** Maximum distance from the mean, in standard deviations. */
const MAX_DEVIATIONS = 4;

export function drawMs(amount: RandomDuration, random: Random): number {
  if ('fixedMs' in amount) return amount.fixedMs;
  if ('fromMs' in amount) return Math.round(amount.fromMs + random() * (amount.toMs - amount.fromMs));
  // Box and Muller, "A note on the generation of random normal deviates" (1958).
  const size = Math.sqrt(-2 * Math.log(1 - random()));
  const deviations = size * Math.cos(2 * Math.PI * random());
  const kept = Math.max(-MAX_DEVIATIONS, Math.min(MAX_DEVIATIONS, deviations));
  return Math.max(0, Math.round(amount.meanMs + kept * amount.deviationMs));
}

function planOf(behaviour: AttemptBehaviour, random: Random): CalleePlan {
  const { does, sipStatus } = behaviour;
  const afterMs = drawMs(behaviour.after, random);
  if (does === 'fail') return { does, sipStatus, afterMs };
  if (does === 'busy' || does === 'declined' || does === 'unreachable') return { does, afterMs };
  const ringsAfterMs = drawMs(behaviour.ringAfter, random);
  if (does === 'no_answer') return { does, ringsAfterMs };
  const who = answererOf(behaviour, random);
  const talkMs = drawMs(behaviour.talk, random);
  return { does, ringsAfterMs: Math.min(ringsAfterMs, afterMs), afterMs, talkMs, who };
}

function answererOf({ is, greeting, beepAfter }: AttemptBehaviour, random: Random): Answerer {
  if (is !== 'machine') return { is };
  const greetingMs = drawMs(greeting, random);
  return { is, greetingMs, ...(beepAfter ? { beepAfterMs: drawMs(beepAfter, random) } : {}) };
}

/**
 * Salts, so that group and behaviour are drawn independently: an additional group does not change the behaviour of the
 * others.
 */
const GROUP = 0x67;
const BEHAVIOUR = 0x6d;

const randomFor = (key: number, attempt: number, what: number): Random =>
  seededRandom(Math.imul(key ^ Math.imul(attempt, 0x9e3779b1), 0x85ebca6b) ^ Math.imul(what, 0xc2b2ae35));

/** FNV-1a with a seed. */
function hash(text: string, seed: number): number {
  let key = 0x811c9dc5 ^ Math.imul(seed, 0x27d4eb2f);
  for (let at = 0; at < text.length; at++) key = Math.imul(key ^ text.charCodeAt(at), 0x01000193);
  return key ^ (key >>> 15);
}
