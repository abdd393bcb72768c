/**
 * Rings groups of parties: the groups in series, the members of a group in parallel. The first party that answers and
 * passes machine detection and screening is selected. Used by all verbs that dial. `candidate.ts` is one ringing party,
 * `conversation.ts` the conversation afterwards.
 *
 * Invariants
 *  - after `ring` returns, the returned party is the only one of the dialled parties that is left on the call;
 *  - the end of one member's leg does not end the ringing of the others;
 *  - the whisper is played to the selected party, after the others were hung up.
 */
import { type Cause, NO_ROUTE, NORMAL_CLEARING, NOT_SELECTED } from '../../base/core/causes.ts';
import type { AudioItem } from '../../base/core/leg.ts';
import type { SipHeaders } from '../../base/core/sip-headers.ts';
import { durationMs, list } from './arguments.ts';
import { type AcceptanceRules, Candidate, type MemberResult } from './candidate.ts';
import { headersToSend } from './sip-headers.ts';
import type { StepContext, StepEvent, StepParty, Wait, Waiting } from './step.ts';
import type { BridgeArgs, DetectMachineArgs } from './verb-types.ts';
import { until } from './waiting.ts';

const BEEP_TIMEOUT_MS = 30_000;

export interface RingOptions extends AcceptanceRules {
  groups: readonly (readonly string[])[];
  from?: string;
  fromName?: string;
  /** Additional headers of each INVITE. */
  headers?: SipHeaders;
  ringTimeoutMs: number;
  /** Played to the selected party before it is connected. */
  whisper: readonly AudioItem[];
}

/** Callbacks to the step during ringing. */
export interface RingObserver {
  /** Called once, for the first party that rings. */
  onRinging?(candidate: Candidate): void;
  /** Called with the only ringing party if it sends early media; with undefined once that no longer applies. */
  onEarly?(peer: StepParty | undefined): void;
  /** Called for every event that is not a member's; true cancels the ringing. */
  onEvent?(event: StepEvent): boolean;
  /** Returns what the step waits for in addition to events of the members. */
  wait?(): Wait;
}

export type MemberResults = Record<string, MemberResult>;

export type DialFailure = 'failed.no_answer' | 'failed.busy' | 'failed.declined' | 'failed.unreachable';

/** Outcomes of a failed ringing with these options. */
export type RingFailure<Options> =
  | DialFailure
  | ('screen' extends keyof Options ? 'failed.screened' : never)
  | ('detect' extends keyof Options ? 'machine' : never);

export type RingResult<Options = RingOptions> =
  | { how: 'answered'; peer: StepParty; members: MemberResults; headers: SipHeaders | undefined }
  | {
      how: 'failed';
      outcome: RingFailure<Options>;
      to: string;
      cause: Cause;
      members: MemberResults;
      headers: SipHeaders | undefined;
    }
  | { how: 'cancelled' };

/** Results of a failed ringing by precedence: the member that got furthest determines the outcome. */
const MAX_TELLING_FIRST = ['machine', 'screened', 'busy', 'declined', 'no_answer', 'unreachable'] as const;

export async function* ring<Options extends RingOptions>(
  context: StepContext,
  options: Options,
  observer: RingObserver = {},
): Waiting<RingResult<Options>> {
  const tried: Candidate[] = [];
  let hasRung = false;
  const heard: RingObserver = {
    ...observer,
    onRinging(candidate) {
      if (!hasRung) observer.onRinging?.(candidate);
      hasRung = true;
    },
  };
  const members = (): MemberResults => Object.fromEntries(tried.map(({ to, result = 'not_selected' }) => [to, result]));
  for (const group of options.groups) {
    const candidates = dialGroup(context, group, options);
    tried.push(...candidates);
    const taken = yield* firstReady(context, candidates, heard);
    const cause = taken === 'cancelled' ? NORMAL_CLEARING : NOT_SELECTED;
    for (const candidate of candidates) if (candidate !== taken) candidate.drop('not_selected', cause);
    if (taken === 'cancelled') return { how: 'cancelled' };
    if (!taken) continue;
    if (options.whisper.length > 0) {
      observer.onEarly?.(undefined);
      taken.whisper(options.whisper);
      const listener = yield* firstReady(context, [taken], heard);
      if (listener === 'cancelled') {
        taken.drop('not_selected', NORMAL_CLEARING);
        return { how: 'cancelled' };
      }
      if (!listener) continue;
    }
    taken.result = 'answered';
    return { how: 'answered', peer: taken.party, members: members(), headers: taken.headers };
  }
  const result = MAX_TELLING_FIRST.find((each) => tried.some((candidate) => candidate.result === each));
  const speaker = tried.findLast((candidate) => candidate.result === result);
  return {
    how: 'failed',
    outcome: (result === 'machine' ? 'machine' : `failed.${result ?? 'unreachable'}`) as RingFailure<Options>,
    to: speaker?.to ?? '',
    cause: speaker?.cause ?? NO_ROUTE,
    members: members(),
    headers: speaker?.headers,
  };
}

/** Dials all members of a group. If one cannot be dialled, hangs up the others and throws. */
function dialGroup(context: StepContext, group: readonly string[], options: RingOptions): Candidate[] {
  const { from, fromName, headers, ringTimeoutMs } = options;
  const caller = { ...(from && { from }), ...(fromName && { fromName }), ...(headers && { headers }) };
  const candidates: Candidate[] = [];
  try {
    for (const to of group) candidates.push(new Candidate(context.dial({ to, ringTimeoutMs, ...caller }), options));
  } catch (error) {
    for (const candidate of candidates) candidate.drop('not_selected', NOT_SELECTED);
    throw error;
  }
  return candidates;
}

/** Waits for the first candidate that is ready; undefined once all have ended. */
async function* firstReady(
  context: StepContext,
  candidates: readonly Candidate[],
  observer: RingObserver,
): Waiting<Candidate | 'cancelled' | undefined> {
  let heard: StepParty | undefined;
  for (;;) {
    const ready = candidates.find(({ stage }) => stage === 'ready');
    if (ready) return ready;
    const ringing = candidates.filter(({ stage }) => stage !== 'over');
    const [only] = ringing;
    const alone = ringing.length === 1 && only!.stage === 'ringing' && only!.hasEarlyMedia ? only!.party : undefined;
    if (alone !== heard) {
      heard = alone;
      observer.onEarly?.(alone);
    }
    if (ringing.length === 0) return undefined;

    const event = yield nextWait(context, ringing, observer);
    const candidate = event.type === 'party' ? candidates.find(({ party }) => party.id === event.party) : undefined;
    if (event.type === 'party' && candidate) {
      candidate.onEvent(event.event, context.now());
      if (candidate.hasRung) observer.onRinging?.(candidate);
      continue;
    }
    if (event.type === 'timeout') for (const each of ringing) each.onTimeout(context.now());
    if (observer.onEvent?.(event)) return 'cancelled';
  }
}

function nextWait(context: StepContext, ringing: readonly Candidate[], observer: RingObserver): Wait {
  const wait = observer.wait?.() ?? {};
  const dues = ringing.flatMap(({ dueMs }) => until(context, dueMs).withinMs ?? []);
  if (wait.withinMs !== undefined) dues.push(wait.withinMs);
  return dues.length === 0 ? wait : { ...wait, withinMs: Math.min(...dues) };
}

/** The arguments that `bridge`, `transfer` and `queue` share. */
type RingArgs = Pick<BridgeArgs, 'ring_timeout'> &
  Partial<
    Pick<BridgeArgs, 'to' | 'from' | 'from_name' | 'headers' | 'whisper' | 'screen' | 'detect_machine' | 'send_digits'>
  >;

/** `to` is `a`, `[a, b]` or `[[a, b], c]`: groups in series, members in parallel. */
export async function ringOptions(context: StepContext, args: RingArgs): Promise<RingOptions> {
  const { to, from, from_name: fromName, screen, detect_machine: detect } = args;
  const headers = headersToSend(args.headers);
  const keys = args.send_digits;
  const whisper = args.whisper === undefined ? [] : await context.prompt(args.whisper);
  return {
    groups: list<string | string[]>(to).map((group) => list(group)),
    ringTimeoutMs: durationMs(args.ring_timeout),
    // With screening, the whisper is played before the accept prompt.
    whisper: screen ? [] : whisper,
    ...(from && { from }),
    ...(fromName && { fromName }),
    ...(headers && { headers }),
    ...(keys !== undefined && { keys }),
    // A bridge needs a human: by default the detection does not wait for the beep of an answering machine.
    ...(detect && { detect: detectOptions(detect === true ? { timeout: '5s', await_beep: false } : detect) }),
    ...(screen && {
      screen: {
        audio: [...whisper, ...(await context.prompt(screen.prompt))],
        accept: screen.accept,
        timeoutMs: durationMs(screen.timeout),
        attempts: screen.attempts,
      },
    }),
  };
}

export function detectOptions({ timeout, await_beep: beep }: DetectMachineArgs): {
  timeoutMs: number;
  awaitBeepMs: number;
} {
  const awaitBeepMs = beep === true ? BEEP_TIMEOUT_MS : beep === false ? 0 : durationMs(beep);
  return { timeoutMs: durationMs(timeout), awaitBeepMs };
}
