/**
 * What the application is told: journal entry → webhook events, as the API documents them. Pure; the runtime calls it
 * before each commit, so that the events are written with the decision they tell of.
 *
 * Invariants
 *  W1 one entry gives at most one event, so what the journal says once is told once: `ringing`, the end of a call, and
 *     the final event of a prompt;
 *  W2 a prompt that waits for digits ends in exactly one of `digitcollected`, `menutimeout`, `failed`;
 *  W3 what a sensitive step heard is not told.
 */
import type { Delivery } from '../../core/delivery.ts';
import type { Fault } from '../../core/fault.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { CallRecord, JournalEntry } from '../../runtime/journal.ts';

export interface EventContext {
  /** A new `webhook-id`. */
  nextId(): string;
}

const LONGEST_DESCRIPTION = 500;
const CALL_ENDED = 'the call ended';

type EntryOf<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { kind: Kind }>;

/** The deliveries that this entry of this call causes; `record` is the call as it stands after the entry. */
export function deliveriesOf(entry: JournalEntry, record: CallRecord, context: EventContext): Delivery[] {
  if (record.eventUrl === undefined) return [];
  const told = eventOf(entry, record);
  if (told === undefined) return [];
  const payload: JsonObject = {
    voice_id: record.callId,
    ...told,
    from: record.from,
    to: record.to,
    ...(record.ownerRef === undefined ? {} : { owner_ref: record.ownerRef }),
    timestamp: new Date(entry.atMs).toISOString(),
  };
  return [
    {
      id: context.nextId(),
      projectId: record.projectId,
      orderKey: record.callId,
      url: record.eventUrl,
      payload,
      createdMs: entry.atMs,
    },
  ];
}

/** The fields that are the event's own. */
function eventOf(entry: JournalEntry, record: CallRecord): JsonObject | undefined {
  switch (entry.kind) {
    case 'state':
      return stateEvent(entry, record);
    case 'left':
      return isGreeting(entry, record) ? undefined : playEvent(entry, record.callId);
    case 'unplayed': {
      const told: JsonObject = { play_id: entry.playId, playstate: 'failed', description: CALL_ENDED };
      return entry.promptRef === undefined ? told : { ...told, prompt_ref: entry.promptRef };
    }
    case 'notified':
      // A flow that greets before it tells of the call does so with a `notify` of this name.
      if (entry.event === 'incomingcall') return { state: 'incomingcall' };
      return { event: entry.event, body: entry.body };
    default:
      return undefined;
  }
}

/** The built-in flow of numbers that have no flow: `incomingcall` is the first word about its calls, also after a greeting. */
const GREETS_FIRST = 'inbound-webhook';

const isGreeting = ({ atMs, playId }: EntryOf<'left'>, { flow, answeredMs }: CallRecord): boolean =>
  flow === GREETS_FIRST && playId === undefined && (answeredMs === undefined || atMs < answeredMs);

function stateEvent(entry: EntryOf<'state'>, record: CallRecord): JsonObject | undefined {
  const { state } = entry;
  // The response of the dial-out told it.
  if (state === 'initiated') return undefined;
  if (state !== 'disconnected' && state !== 'failed') return { state };
  const cause = entry.cause ?? record.cause;
  const told: JsonObject = { state };
  if (cause) Object.assign(told, { disconnect_reason: cause.reason, disconnect_cause_code: cause.code });
  if (state === 'disconnected') told['call_duration'] = talkSeconds(entry, record);
  return told;
}

/** Seconds from the answer to the end, rounded to the nearest; 0 for a call that was never answered. */
function talkSeconds(entry: EntryOf<'state'>, record: CallRecord): number {
  if (record.answeredMs === undefined) return 0;
  return Math.max(0, Math.round(((record.endedMs ?? entry.atMs) - record.answeredMs) / 1000));
}

type PlayState = 'playfinished' | 'digitcollected' | 'menutimeout' | 'failed';

function playEvent(entry: EntryOf<'left'>, callId: string): JsonObject | undefined {
  const playState = playStateOf(entry);
  if (playState === undefined) return undefined;
  const told: JsonObject = { play_id: entry.playId ?? `${callId}:${entry.visit}`, playstate: playState };
  if (entry.promptRef !== undefined) told['prompt_ref'] = entry.promptRef;
  if (playState === 'digitcollected') {
    const digits = entry.sensitive ? undefined : digitsOf(entry.result);
    if (digits !== undefined) Object.assign(told, { digit: digits, digits });
  }
  if (playState === 'failed') told['description'] = failureWords(entry.outcome, entry.fault);
  return told;
}

/**
 * Outcomes that begin with `$` are interrupts of the flow; `hangup` is the end of the call under the prompt, `limit`
 * that the step was not done at all.
 */
function playStateOf({ verb, outcome, playId }: EntryOf<'left'>): PlayState | undefined {
  if (verb !== 'play' && verb !== 'collect' && verb !== 'menu') return undefined;
  const kind = outcome.split('.')[0]!;
  if (kind === 'limit') return undefined;
  // `disconnected` has told it; but who asked for a prompt by REST is owed its final event.
  if (kind === 'hangup' || kind === '$hangup') return playId === undefined ? undefined : 'failed';
  if (kind === 'error') return 'failed';
  if (verb === 'play') return 'playfinished';
  if (kind === 'exhausted') return 'menutimeout';
  return kind.startsWith('$') ? 'failed' : 'digitcollected';
}

/** Only digits: a masked value is none. */
function digitsOf(result: Json | undefined): string | undefined {
  if (result === null || typeof result !== 'object' || Array.isArray(result)) return undefined;
  const digits = result['digits'];
  return typeof digits === 'string' && /^[0-9*#A-D]+$/.test(digits) ? digits : undefined;
}

function failureWords(outcome: string, fault: Fault | undefined): string {
  if (fault) return fault.message.slice(0, LONGEST_DESCRIPTION);
  if (outcome.endsWith('hangup')) return CALL_ENDED;
  return outcome.startsWith('$') ? 'interrupted by the flow' : 'the prompt could not be played';
}
