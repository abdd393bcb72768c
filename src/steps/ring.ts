/**
 * Rings somebody: groups one after the other, the members of a group at once. Who answers first, and passes what is
 * asked of it, is taken; used wherever a step calls. Neighbours: `candidate.ts` is one party, `conversation.ts` what follows.
 *
 * Invariants
 *  G1 when it returns, at most one party is left on the line, and it is the one that is returned;
 *  G2 a member whose line ends does not end the ringing of the others;
 *  G3 the whisper is heard by who was taken, when the others were let go.
 */
import { type Cause, causeOf, NORMAL_CLEARING } from '../core/causes.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { AudioItem } from '../core/leg.ts';
import { count, durationMs, list, text } from './arguments.ts';
import { type AcceptanceRules, Candidate, type MemberResult } from './candidate.ts';
import type { StepContext, StepEvent, StepParty, Wait } from './step.ts';

/** Non-selected user clearing (Q.850): somebody else answered. */
const NOT_SELECTED = causeOf(26);
const SCREEN_TIMEOUT_MS = 10_000;
const DETECT_TIMEOUT_MS = 5_000;
export const BEEP_TIMEOUT_MS = 30_000;
export const RING_TIMEOUT_MS = 30_000;

export interface RingOptions extends AcceptanceRules {
  groups: readonly (readonly string[])[];
  from?: string;
  fromName?: string;
  ringTimeoutMs: number;
  /** Heard by who is taken, before it is connected. */
  whisper: readonly AudioItem[];
}

/** What whoever rings wants to know meanwhile. */
export interface RingObserver {
  /** The first line that rings. */
  onRinging?(candidate: Candidate): void;
  /** Who alone may be heard before it answers; undefined: nobody any more. */
  onEarly?(party: StepParty | undefined): void;
  /** Anything but what the members tell; true gives the ringing up. */
  onEvent?(event: StepEvent): boolean;
  /** What to wait for beside the members. */
  wait?(): Wait;
}

export type MemberResults = Record<string, MemberResult>;

export type RingOutcome =
  | 'failed.no_answer'
  | 'failed.busy'
  | 'failed.declined'
  | 'failed.unreachable'
  | 'failed.screened'
  | 'machine';

export type RingResult = { members: MemberResults } & (
  | { how: 'answered'; party: StepParty }
  | { how: 'failed'; outcome: RingOutcome; to: string; cause: Cause }
  | { how: 'given_up' }
);

/** The outcomes that a failed ringing may have, the most telling first: who got furthest speaks for all. */
const MOST_TELLING_FIRST = ['machine', 'screened', 'busy', 'declined', 'no_answer', 'unreachable'] as const;

export async function* ring(
  context: StepContext,
  order: RingOptions,
  watch: RingObserver = {},
): AsyncGenerator<Wait, RingResult, StepEvent> {
  const tried: Candidate[] = [];
  const members = (): MemberResults =>
    Object.fromEntries(tried.map(({ to, result }) => [to, result ?? 'not_selected']));
  for (const group of order.groups) {
    const candidates = dialGroup(context, group, order);
    tried.push(...candidates);
    const taken = yield* firstReady(context, candidates, watch);
    if (taken === 'given_up') {
      for (const candidate of candidates) candidate.drop('not_selected', NORMAL_CLEARING);
      return { how: 'given_up', members: members() };
    }
    for (const candidate of candidates) if (candidate !== taken) candidate.drop('not_selected', NOT_SELECTED);
    if (!taken) continue;
    if (order.whisper.length > 0) {
      watch.onEarly?.(undefined);
      const told = yield* playWhisper(taken, order.whisper, watch, context);
      if (told === 'given_up') return { how: 'given_up', members: members() };
      if (told === 'left') continue;
    }
    taken.result = 'answered';
    return { how: 'answered', party: taken.party, members: members() };
  }
  const speaker = MOST_TELLING_FIRST.flatMap(
    (word) => tried.findLast((candidate) => candidate.result === word) ?? [],
  )[0];
  const word = speaker?.result as (typeof MOST_TELLING_FIRST)[number] | undefined;
  return {
    how: 'failed',
    outcome: word === 'machine' ? 'machine' : `failed.${word ?? 'unreachable'}`,
    to: speaker?.to ?? '',
    cause: speaker?.cause ?? causeOf(3),
    members: members(),
  };
}

/** All of a group, or, where one cannot be called at all, none. */
function dialGroup(context: StepContext, group: readonly string[], order: RingOptions): Candidate[] {
  const candidates: Candidate[] = [];
  try {
    for (const to of group) candidates.push(new Candidate(context.dial(dialRequest(order, to)), order));
  } catch (error) {
    for (const candidate of candidates) candidate.drop('not_selected', NOT_SELECTED);
    throw error;
  }
  return candidates;
}

/** Waits for the first who is ready; undefined when all are gone. */
async function* firstReady(
  context: StepContext,
  candidates: readonly Candidate[],
  watch: RingObserver,
): AsyncGenerator<Wait, Candidate | 'given_up' | undefined, StepEvent> {
  let heard: StepParty | undefined;
  let rang = false;
  for (;;) {
    const ready = candidates.find(({ isReady }) => isReady);
    if (ready) return ready;
    const ringing = candidates.filter(({ isOver }) => !isOver);
    const alone =
      ringing.length === 1 && ringing[0]!.isRinging && ringing[0]!.hasEarlyMedia ? ringing[0]!.party : undefined;
    if (alone !== heard) {
      heard = alone;
      watch.onEarly?.(alone);
    }
    if (ringing.length === 0) return undefined;

    const event = yield nextWait(context, ringing, watch);
    const candidate = event.type === 'party' ? candidates.find(({ party }) => party.id === event.party) : undefined;
    if (event.type === 'party' && candidate) {
      candidate.onEvent(event.event, context.now());
      if (!rang && candidate.hasRung) {
        rang = true;
        watch.onRinging?.(candidate);
      }
      continue;
    }
    if (event.type === 'timeout') for (const each of ringing) each.onTimeout(context.now());
    if (watch.onEvent?.(event)) return 'given_up';
  }
}

function nextWait(context: StepContext, ringing: readonly Candidate[], watch: RingObserver): Wait {
  const wait = watch.wait?.() ?? {};
  const dues = ringing.flatMap(({ dueMs }) => (dueMs === undefined ? [] : [Math.max(0, dueMs - context.now())]));
  if (wait.withinMs !== undefined) dues.push(wait.withinMs);
  return dues.length === 0 ? wait : { ...wait, withinMs: Math.min(...dues) };
}

async function* playWhisper(
  candidate: Candidate,
  audio: readonly AudioItem[],
  watch: RingObserver,
  context: StepContext,
): AsyncGenerator<Wait, 'heard' | 'left' | 'given_up', StepEvent> {
  const playId = candidate.party.play([...audio]);
  for (;;) {
    const event = yield nextWait(context, [], watch);
    if (event.type !== 'party' || event.party !== candidate.party.id) {
      if (!watch.onEvent?.(event)) continue;
      candidate.drop('not_selected', NORMAL_CLEARING);
      return 'given_up';
    }
    candidate.onEvent(event.event, context.now());
    if (candidate.isOver) return 'left';
    // A whisper that cannot be had keeps nobody apart.
    if (event.event.type === 'play_ended' && event.event.playId === playId) return 'heard';
  }
}

const dialRequest = ({ from, fromName, ringTimeoutMs }: RingOptions, to: string) => ({
  to,
  ringTimeoutMs,
  ...(from === undefined ? {} : { from }),
  ...(fromName === undefined ? {} : { fromName }),
});

/** The arguments that `bridge`, `transfer` and `queue` share. */
export async function ringOptions(
  context: StepContext,
  args: JsonObject,
  defaults: { ringTimeoutMs?: number } = {},
): Promise<RingOptions> {
  const whispered = args['whisper'] === undefined ? [] : await context.prompt(args['whisper']);
  const screen = isObject(args['screen']) ? args['screen'] : undefined;
  const detect = args['detect_machine'];
  const from = text(args['from']);
  const fromName = text(args['from_name']);
  return {
    groups: groupsOf(args['to']),
    ringTimeoutMs: durationMs(args['ring_timeout'], defaults.ringTimeoutMs ?? RING_TIMEOUT_MS),
    // Who is asked to accept hears first what for.
    whisper: screen ? [] : whispered,
    ...(from === '' ? {} : { from }),
    ...(fromName === '' ? {} : { fromName }),
    // Nobody waits for a beep who wants to talk.
    ...(detect === true || isObject(detect) ? { detect: detectOptions(isObject(detect) ? detect : {}, 0) } : {}),
    ...(screen
      ? {
          screen: {
            audio: [...whispered, ...(await context.prompt(screen['prompt'] ?? []))],
            accept: text(screen['accept'], '1'),
            timeoutMs: durationMs(screen['timeout'], SCREEN_TIMEOUT_MS),
            attempts: Math.max(1, count(screen['attempts'], 2)),
          },
        }
      : {}),
  };
}

export function detectOptions(args: JsonObject, beepMs: number): { timeoutMs: number; awaitBeepMs: number } {
  const beep = args['await_beep'];
  const awaitBeepMs = beep === true ? BEEP_TIMEOUT_MS : beep === false ? 0 : durationMs(beep, beepMs);
  return { timeoutMs: durationMs(args['timeout'], DETECT_TIMEOUT_MS), awaitBeepMs };
}

/** `a`, `[a, b]` and `[[a, b], c]`: groups in series, members in parallel. */
const groupsOf = (to: Json | undefined): string[][] => list(to).map((group) => list(group).map(String));
