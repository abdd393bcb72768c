/**
 * Final events of prompts, requested by REST or by a flow.
 *
 * Invariants
 *  - A prompt that waits for digits ends in exactly one of `digitcollected`, `menutimeout`, `failed`; one that listens
 *    for speech in one of `speech_recognized` (with `state` `recognized`, `timeout` or `unrecognized`),
 *    `digitcollected`, `failed`.
 *  - Input collected by a sensitive step is not part of an event.
 */
import type { Fault } from '../../../base/core/fault.ts';
import { defined, isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { JournalEntryOf } from '../../runtime/journal.ts';
import { shortened } from './activity-events.ts';

type PlayState = 'playfinished' | 'digitcollected' | 'menutimeout' | 'speech_recognized' | 'failed';

const CALL_ENDED = 'the call ended';

const SPEECH = {
  recognized: 'speech was recognized',
  timeout: 'no speech was heard',
  unrecognized: 'the speech was not understood',
} as const;

export function playEvent(entry: JournalEntryOf<'left'>, callId: string): JsonObject | undefined {
  const playState = playStateOf(entry);
  if (playState === undefined) return undefined;
  const event: JsonObject = { play_id: entry.playId ?? `${callId}:${entry.visit}`, playstate: playState };
  if (entry.promptRef !== undefined) event['prompt_ref'] = entry.promptRef;
  if (playState === 'digitcollected') {
    const digits = entry.sensitive ? undefined : digitsOf(entry.result);
    if (digits !== undefined) Object.assign(event, { digit: digits, digits });
  }
  if (playState === 'speech_recognized') Object.assign(event, speechFields(entry));
  if (playState === 'failed') event['description'] = failureDescription(entry.outcome, entry.fault);
  return event;
}

/** A prompt that was never played. */
export const unplayedEvent = ({ playId, promptRef, why = CALL_ENDED }: JournalEntryOf<'unplayed'>): JsonObject =>
  defined({ play_id: playId, playstate: 'failed', description: why, prompt_ref: promptRef });

/**
 * Outcomes that begin with `$` are interrupts of the flow; `hangup` means that the call ended during the prompt,
 * `limit` that the step was not started.
 */
function playStateOf({ verb, outcome, playId, speech, result }: JournalEntryOf<'left'>): PlayState | undefined {
  if (verb !== 'play' && verb !== 'collect' && verb !== 'menu') return undefined;
  const kind = outcome.split('.')[0]!;
  if (kind === 'limit') return playId === undefined ? undefined : 'failed';
  // `disconnected` reports it; but a prompt requested by REST has a separate final event.
  if (kind === 'hangup' || kind === '$hangup') return playId === undefined ? undefined : 'failed';
  if (kind === 'error') return 'failed';
  if (verb === 'play') return 'playfinished';
  if (kind === 'exhausted') return speech ? 'speech_recognized' : 'menutimeout';
  if (kind.startsWith('$')) return 'failed';
  return speech && !hasDigits(result) ? 'speech_recognized' : 'digitcollected';
}

function speechFields({ outcome, result, sensitive }: JournalEntryOf<'left'>): JsonObject {
  const state = outcome.startsWith('exhausted')
    ? outcome.endsWith('no_match')
      ? 'unrecognized'
      : 'timeout'
    : 'recognized';
  const event: JsonObject = { state, reason: SPEECH[state] };
  if (sensitive || !isObject(result)) return event;
  if (state === 'recognized' && typeof result['speech'] === 'string') event['text'] = result['speech'];
  if (state === 'recognized' && typeof result['confidence'] === 'number') event['confidence'] = result['confidence'];
  return event;
}

const hasDigits = (result: Json | undefined): boolean => isObject(result) && typeof result['digits'] === 'string';

/** Undefined for masked values. */
function digitsOf(result: Json | undefined): string | undefined {
  const digits = isObject(result) ? result['digits'] : undefined;
  return typeof digits === 'string' && isDigits(digits) ? digits : undefined;
}

export const isDigits = (text: string): boolean => /^[0-9*#A-D]+$/.test(text);

function failureDescription(outcome: string, fault: Fault | undefined): string {
  if (fault) return shortened(fault.message);
  if (outcome.endsWith('hangup')) return CALL_ENDED;
  return outcome.startsWith('$') ? 'interrupted by the flow' : 'the prompt could not be played';
}
