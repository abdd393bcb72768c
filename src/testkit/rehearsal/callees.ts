/**
 * Whom a rehearsed broadcast calls: what each of its calls meets, drawn by chance. Neighbours: `callees-file.ts` reads them
 * from a file, `person.ts` lets one act on its line.
 *
 * Invariant: what a call meets depends on the seed, the number and which attempt it is, and on nothing else: neither the
 * order of the calls nor the pace of the broadcast changes it.
 */
import { seededRandom } from '../../core/ids.ts';
import type { Answerer, CalleePlan } from '../../telephony/simulated/far-end.ts';

/** Numbers in [0, 1). */
export type Chance = () => number;

/** Milliseconds, drawn for each call. */
export type Amount =
  | { fixedMs: number }
  | { fromMs: number; toMs: number }
  /** Normal distribution, without what is below nothing. */
  | { meanMs: number; deviationMs: number };

export interface Choice {
  /** Keys; empty: none is pressed. */
  digits: string;
  weight: number;
}

/** What is pressed at one question. */
export interface Press {
  choices: readonly Choice[];
  /** After the question, or after the answer to the call. */
  when: { after: Amount } | { at: Amount };
}

/** What is done at one attempt. */
export interface Manner {
  does: CalleePlan['does'];
  /** Of `fail`. */
  sipStatus: number;
  after: Amount;
  ringAfter: Amount;
  is: Answerer['is'];
  greeting: Amount;
  /** Absent: it never beeps. */
  beepAfter?: Amount;
  presses: readonly Press[];
  talk: Amount;
}

export interface CalleeGroup {
  name: string;
  share: number;
  /** Absent: everybody whom no other group names. */
  names?(phone: string): boolean;
  sticks: boolean;
  /** The first attempt, the second, and so on; the last one for all that follow. */
  manners: readonly [Manner, ...Manner[]];
}

/** What one call meets. */
export interface Encounter {
  group: string;
  plan: CalleePlan;
  presses: readonly Press[];
  /** For what is drawn on the way. */
  random: Chance;
}

export class Callees {
  readonly #groups: readonly CalleeGroup[];
  readonly #named: readonly CalleeGroup[];
  readonly #others: Lot<CalleeGroup>;
  readonly #otherTimes: Lot<CalleeGroup>;

  constructor(groups: readonly CalleeGroup[]) {
    this.#groups = groups;
    this.#named = groups.filter(({ names }) => names !== undefined);
    const others = groups.filter(({ names }) => names === undefined);
    this.#others = new Lot(others);
    this.#otherTimes = new Lot(others.filter(isChangeable));
  }

  get groups(): readonly CalleeGroup[] {
    return this.#groups;
  }

  /** `attempt`: from 1. */
  meet(seed: number, phone: string, attempt: number): Encounter {
    const key = hash(phone, seed);
    const group = this.#groupOf(key, phone, attempt);
    const random = chanceOf(key, attempt, MANNER);
    const manner = group.manners[Math.min(attempt, group.manners.length) - 1] ?? group.manners[0];
    return { group: group.name, plan: planOf(manner, random), presses: manner.presses, random };
  }

  /** Drawn at the first attempt, and anew at each that follows, unless the first one's group keeps its numbers. */
  #groupOf(key: number, phone: string, attempt: number): CalleeGroup {
    const named = this.#named.filter(({ names }) => names?.(phone));
    const lot = named.length > 0 ? new Lot(named) : this.#others;
    const first = lot.draw(chanceOf(key, 1, GROUP));
    if (attempt === 1 || !isChangeable(first)) return first;
    const again = named.length > 0 ? new Lot(named.filter(isChangeable)) : this.#otherTimes;
    return again.draw(chanceOf(key, attempt, GROUP));
  }
}

const isChangeable = ({ sticks, manners }: CalleeGroup): boolean => !sticks && manners.length === 1;

/** One of several by their shares. */
class Lot<Item extends { share: number }> {
  readonly #items: readonly Item[];
  readonly #total: number;

  constructor(items: readonly Item[]) {
    this.#items = items;
    this.#total = items.reduce((sum, { share }) => sum + share, 0);
  }

  draw(random: Chance): Item {
    let left = random() * this.#total;
    for (const item of this.#items) {
      left -= item.share;
      if (left < 0) return item;
    }
    return this.#items.findLast(({ share }) => share > 0) ?? this.#items.at(-1)!;
  }
}

/** Keys to be pressed now; empty: none. */
export function drawDigits(choices: readonly Choice[], random: Chance): string {
  const [only] = choices;
  if (only && choices.length === 1) return only.digits;
  const total = choices.reduce((sum, { weight }) => sum + weight, 0);
  let left = random() * total;
  for (const { digits, weight } of choices) {
    left -= weight;
    if (left < 0) return digits;
  }
  return '';
}

/** Further away than this from the mean nothing is drawn. */
const MOST_DEVIATIONS = 4;

export function drawMs(amount: Amount, random: Chance): number {
  if ('fixedMs' in amount) return amount.fixedMs;
  if ('fromMs' in amount) return Math.round(amount.fromMs + random() * (amount.toMs - amount.fromMs));
  // Box and Muller, "A note on the generation of random normal deviates" (1958).
  const size = Math.sqrt(-2 * Math.log(1 - random()));
  const deviations = size * Math.cos(2 * Math.PI * random());
  const kept = Math.max(-MOST_DEVIATIONS, Math.min(MOST_DEVIATIONS, deviations));
  return Math.max(0, Math.round(amount.meanMs + kept * amount.deviationMs));
}

function planOf(manner: Manner, random: Chance): CalleePlan {
  const { does, sipStatus } = manner;
  const afterMs = drawMs(manner.after, random);
  if (does === 'fail') return { does, sipStatus, afterMs };
  if (does === 'busy' || does === 'declined' || does === 'unreachable') return { does, afterMs };
  const ringsAfterMs = drawMs(manner.ringAfter, random);
  if (does === 'no_answer') return { does, ringsAfterMs };
  const who = answererOf(manner, random);
  const talkMs = drawMs(manner.talk, random);
  return { does, ringsAfterMs: Math.min(ringsAfterMs, afterMs), afterMs, talkMs, who };
}

function answererOf({ is, greeting, beepAfter }: Manner, random: Chance): Answerer {
  if (is !== 'machine') return { is };
  const greetingMs = drawMs(greeting, random);
  return { is, greetingMs, ...(beepAfter ? { beepAfterMs: drawMs(beepAfter, random) } : {}) };
}

/** What of a call is drawn: its group and the rest do not share their chance, so that a new group keeps the others as they were. */
const GROUP = 0x67;
const MANNER = 0x6d;

const chanceOf = (key: number, attempt: number, what: number): Chance =>
  seededRandom(Math.imul(key ^ Math.imul(attempt, 0x9e3779b1), 0x85ebca6b) ^ Math.imul(what, 0xc2b2ae35));

/** FNV-1a, begun with a seed. */
function hash(text: string, seed: number): number {
  let key = 0x811c9dc5 ^ Math.imul(seed, 0x27d4eb2f);
  for (let at = 0; at < text.length; at++) key = Math.imul(key ^ text.charCodeAt(at), 0x01000193);
  return key ^ (key >>> 15);
}
