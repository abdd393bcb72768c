/**
 * Regenerates the audio that a party of a call heard from the journal: the same texts in the same voices, the same
 * files. Jobs run one at a time, so that they do not compete with calls.
 *
 * Invariants
 *  - Sensitive text was never written; it is replaced by silence of the same duration.
 *  - A play that was interrupted ends at the same point.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../base/core/clock.ts';
import { faultIn } from '../../../base/core/fault.ts';
import type { AudioItem } from '../../../base/core/leg.ts';
import { MASK } from '../../../base/core/mask-url.ts';
import type { JournalEntry } from '../../runtime/journal.ts';
import { CallError } from '../call-error.ts';
import type { CallParts } from '../call-parts.ts';
import { findCall } from '../control/control-call.ts';
import type { PromptAudio } from '../prompts/play-order.ts';
import { serialQueue } from '../serial-queue.ts';

/** 8 kHz linear PCM, as on calls. */
export const HEARD_RATE_HZ = 8000;
const MAX_MS = 10 * 60_000;
const PAGE = 1000;
const MAX_MAKING_MS = 30_000;

interface Play {
  audio: readonly AudioItem[];
  repeats: boolean;
  atMs: number;
  leg: string | undefined;
  /** Time at which it was interrupted. */
  playedMs?: number;
}

/** Throws `unknown_call`, `unknown_play`, `speech_failed`, or `overloaded` if too many requests wait. */
export type ReplayAudio = (
  projectId: string,
  callId: string,
  playId: string,
  signal: AbortSignal,
) => Promise<Int16Array>;

type Parts = Pick<CallParts, 'supervisor' | 'callStore' | 'promptAudio'> & { clock: Clock };

export function createReplayAudio(parts: Parts): ReplayAudio {
  const inTurn = serialQueue();
  return async (projectId, callId, playId, signal) => {
    await findCall(projectId, callId, parts);
    return inTurn(async () => {
      signal.throwIfAborted();
      const play = await findPlay(callId, playId, parts);
      if (!play) throw new CallError('unknown_play', 'there is no such play in this call');
      return soundOf(play, projectId, parts, signal);
    });
  };
}

/** Reads page by page, so that a long journal does not delay calls. */
async function findPlay(callId: string, playId: string, { callStore }: Parts): Promise<Play | undefined> {
  let play: Play | undefined;
  for (let afterSeq = 0, hasMore = true; hasMore; await turn()) {
    const page = await callStore.journalPage(callId, { afterSeq, limit: PAGE });
    for (const entry of page.entries) {
      if (!play) play = playIn(entry, playId);
      else if (endsPlay(entry, playId, play)) return { ...play, ...cutIn(entry, play) };
    }
    hasMore = page.hasMore;
    afterSeq = page.entries.at(-1)?.seq ?? afterSeq;
  }
  return play;
}

function playIn(entry: JournalEntry, playId: string): Play | undefined {
  if (entry.kind !== 'command' || entry.command.type !== 'play' || entry.command.playId !== playId) return undefined;
  const { audio, repeat: repeats = false } = entry.command;
  return { audio, repeats, atMs: entry.atMs, leg: entry.leg };
}

function endsPlay(entry: JournalEntry, playId: string, { leg }: Play): boolean {
  if (entry.kind === 'command') return entry.command.type === 'stop_play' && entry.command.playId === playId;
  if (entry.kind !== 'in' || entry.input.type !== 'leg') return false;
  const { event } = entry.input;
  return event.type === 'play_ended' ? event.playId === playId : event.type === 'ended' && entry.input.leg === leg;
}

/** A stopped play has no final event in the journal: it lasted until the stop. */
function cutIn(entry: JournalEntry, play: Play): { playedMs?: number } {
  const answer = entry.kind === 'in' && entry.input.type === 'leg' ? entry.input.event : undefined;
  if (answer?.type !== 'play_ended') return { playedMs: entry.atMs - play.atMs };
  return answer.reason === 'finished' ? {} : { playedMs: answer.playedMs };
}

/** Repeating music is returned once. */
async function soundOf(
  { audio, repeats, playedMs = MAX_MS }: Play,
  projectId: string,
  { promptAudio, clock }: Parts,
  asked: AbortSignal,
) {
  const { load } = promptAudio;
  if (!load) throw new CallError('no_service', 'audio cannot be regenerated: no speech engine is available');
  const late = new AbortController();
  const timer = clock.after(MAX_MAKING_MS, () => late.abort());
  const signal = AbortSignal.any([asked, late.signal]);
  const lengthMs = repeats ? MAX_MS : Math.min(MAX_MS, playedMs);
  const pieces: Int16Array[] = [];
  try {
    let left = samplesIn(lengthMs);
    for (const item of audio) {
      if (left <= 0) break;
      const sound = await load(withoutSecrets(item, promptAudio), signal, projectId);
      pieces.push(sound.subarray(0, left));
      left -= sound.length;
    }
  } catch (error) {
    asked.throwIfAborted();
    const fault = faultIn(error);
    if (fault?.code.startsWith('audio_')) throw new CallError('unknown_play', `its sound is gone: ${fault.message}`);
    if (!fault && !late.signal.aborted) throw error;
    throw new CallError('speech_failed', fault?.message ?? 'it takes too long to make this sound');
  } finally {
    timer.cancel();
  }
  return joined(pieces);
}

const samplesIn = (ms: number): number => Math.round((ms * HEARD_RATE_HZ) / 1000);

/** A text that contains a mask is replaced as a whole by silence. */
function withoutSecrets(item: AudioItem, { durationMs }: PromptAudio): AudioItem {
  const words = item.type === 'speech' ? item.text : item.type === 'ssml' ? item.ssml : '';
  return words.includes(MASK) ? { type: 'silence', durationMs: Math.round(durationMs?.(item) ?? 0) } : item;
}

function joined(pieces: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
