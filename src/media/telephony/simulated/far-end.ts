/**
 * Far end of a simulated leg, for scripts: actions of the party, and the notices that it receives. A terminal, a
 * scenario or a rehearsal holds one per call.
 */
import type { Cause } from '../../../base/core/causes.ts';
import type { JsonObject } from '../../../base/core/json.ts';
import type { AudioItem, StreamTrack } from '../../../base/core/leg.ts';
import type { SipHeaders } from '../../../base/core/sip-headers.ts';

export interface FarEnd {
  readonly legId: string;
  readonly from: string;
  readonly to: string;
  readonly state: 'ringing' | 'connected' | 'ended';
  /** True while a prompt is played to the party; hold music does not count. */
  readonly hears: boolean;
  /** True while the party is recorded in the foreground, after it was asked to speak. */
  readonly isRecorded: boolean;
  /** State of speech recognition: `waits` for speech, or `hears` some and has not decided yet. */
  readonly listening: 'none' | 'waits' | 'hears';
  /** True while the service has put the party on hold. */
  readonly isHeld: boolean;
  /** True while the party has put the service on hold. */
  readonly holdsUs: boolean;
  /** All audio played to the party, including hold music, oldest first. */
  readonly heard: readonly HeardAudio[];
  /** Parties that it hears now: those of its mix, unless a prompt or music covers them. */
  readonly company: readonly FarEnd[];
  /** Periods in which it heard other parties, oldest first. */
  readonly talks: readonly Talk[];
  /** Digits sent to the party. */
  readonly received: string;
  /** Headers that the service has set in messages to it, oldest first. */
  readonly headers: readonly SeenHeaders[];
  /** WebSockets that received its audio, oldest first. */
  readonly streams: readonly StreamSink[];
  /** Presses keys one after the other, the first at once; each is reported when it is pressed down. */
  press(digits: string, timing?: PressTiming): void;
  /** Speaks for this long without intelligible words. */
  speak(durationMs: number): void;
  /** Says these words. A recogniser understands those it expects. */
  say(text: string, manner?: SayManner): void;
  /** A ringing callee answers, whatever the plan. */
  answer(): void;
  /** Puts the service on hold, or resumes. */
  hold(held: boolean): void;
  /**
   * Asks the service to connect its peer with `to` (REFER); with `replaces`, with the party of another leg of its own
   * (attended transfer). It hangs up once that has succeeded, unless it `stays`.
   */
  refer(to: string, options?: { replaces?: FarEnd; stays?: boolean }): void;
  /** Sets how it reacts to a REFER of the service; by default it accepts and succeeds at once. */
  onRefer(plan: ReferPlan): void;
  /** Hangs up (by default Q.850 16), or cancels the call. */
  hangUp(causeCode?: number, headers?: SipHeaders): void;
  /** The network ends the call (by default Q.850 41). */
  lose(causeCode?: number): void;
  /** Subscribes to all notices of the party; returns a function that unsubscribes. */
  observe(listener: (notice: Notice) => void): () => void;
}

/** `hangup`: a BYE, a CANCEL or a refusal. */
export interface SeenHeaders {
  in: 'invite' | 'answer' | 'refer' | 'hangup';
  headers: SipHeaders;
}

export interface PressTiming {
  toneMs?: number;
  gapMs?: number;
}

export const DEFAULT_PRESS: Required<PressTiming> = { toneMs: 100, gapMs: 100 };

/** Duration from the first key down until the last key up. */
export function pressDurationMs(digits: string, timing: PressTiming = {}): number {
  const { toneMs, gapMs } = { ...DEFAULT_PRESS, ...timing };
  return digits.length === 0 ? 0 : digits.length * toneMs + (digits.length - 1) * gapMs;
}

export interface SayManner {
  /** Confidence of the recogniser, 0 to 1. */
  confidence?: number;
  /** By default as long as the words take. */
  durationMs?: number;
}

const CONFIDENCE = 0.9;
const SPOKEN_CHARACTERS_PER_SECOND = 14;
const SHORTEST_WORD_MS = 300;

/** Default manner of saying words. */
export function mannerOf(text: string, manner: SayManner = {}): Required<SayManner> {
  const takesMs = Math.round((text.length / SPOKEN_CHARACTERS_PER_SECOND) * 1000);
  return { confidence: CONFIDENCE, durationMs: Math.max(SHORTEST_WORD_MS, takesMs), ...manner };
}

export interface HeardAudio {
  playId: string;
  item: AudioItem;
  fromMs: number;
  /** Absent while it is playing. */
  toMs?: number;
}

export interface Talk {
  with: readonly FarEnd[];
  fromMs: number;
  /** Absent while it lasts. */
  toMs?: number;
}

/** Far end of a stream: a WebSocket that receives frames, and may send audio. */
export interface StreamSink {
  readonly streamId: string;
  readonly url: string;
  readonly tracks: readonly StreamTrack[];
  readonly bidirectional: boolean;
  readonly start: JsonObject;
  readonly state: 'connecting' | 'open' | 'closed';
  /** Number of 20 ms frames received, over all tracks. */
  readonly frames: number;
  /** Plays this to the party, if no other audio plays. Ignored unless `bidirectional`. */
  send(item: AudioItem): void;
  /** The receiver closes the connection. */
  close(): void;
}

/** Behaviour of a stream receiver. */
export type SinkPlan =
  | { does: 'accept'; afterMs?: number; closesAfterMs?: number }
  | { does: 'refuse'; afterMs?: number };

/** Acts of a simulated AI agent, in order; after the last one it is silent. */
export type SimulatedAgentAct =
  | { act: 'say'; text: string; durationMs?: number }
  /** Waits until the party has spoken. */
  | { act: 'listen' }
  | { act: 'wait'; durationMs: number }
  /** Calls a tool, and continues when it has the answer, unless the call ends the conversation. */
  | { act: 'call'; tool: string; arguments: JsonObject }
  /** The two speak in turn this many times, the party first. */
  | { act: 'turns'; count: number }
  /** `close` ends the conversation, `break` breaks the connection, `refuse` (first act) refuses it. */
  | { act: 'close' | 'break' | 'refuse' };

/** Reaction of a phone to a REFER (RFC 3515). */
export type ReferPlan =
  | { does: 'accept' | 'hang_up'; afterMs?: number }
  | { does: 'refuse'; afterMs?: number; sipStatus: number }
  /** Never responds, or accepts and sends no NOTIFY. */
  | { does: 'ignore' };

export type Notice =
  | { type: 'ringing' }
  | { type: 'answered' }
  /** An item of a prompt, or of hold music, starts; `heard` is the same object as in `FarEnd.heard`. */
  | { type: 'hears'; heard: HeardAudio }
  /** A prompt has ended, or one round of a repeated prompt. */
  | { type: 'round_over'; playId: string }
  /** Playback has ended. */
  | { type: 'quiet' }
  /** A recording of the party starts. */
  | { type: 'recorded' }
  /** Speech recognition of the party starts. */
  | { type: 'listened_to' }
  /** Speech recognition of the party ends. */
  | { type: 'heard_out' }
  | { type: 'digit'; digit: string }
  /** The parties that it hears have changed. */
  | { type: 'company'; hears: readonly FarEnd[] }
  /** One of them speaks; `text` is present for words. */
  | { type: 'speech'; of: FarEnd; durationMs: number; text?: string }
  /** The service has put it on hold, or resumed it. */
  | { type: 'held'; held: boolean }
  /** Progress of its own REFER. */
  | { type: 'refer_progress'; sipStatus: number }
  /** The service has asked it to call another target. */
  | { type: 'referred'; to: string; replaces?: string }
  | { type: 'ended'; cause: Cause; by: 'far' | 'near' | 'network' };

/** Kind of party that answers. */
export type Answerer =
  /** Greets like a person; only machine detection notices it. */
  | { is: 'human' }
  /** Speaks for `greetingMs`, and may beep some time after that. */
  | { is: 'machine'; greetingMs: number; beepAfterMs?: number }
  | { is: 'fax' }
  | { is: 'silent' };

/** Plan of a dialled party; `headers` are those of its answer, or of its refusal. */
export type CalleePlan = CalleeManner & { headers?: SipHeaders };

type CalleeManner =
  /**
   * Rings after `ringsAfterMs` (0), answers after `afterMs` (0), and hangs up after talking for `talkMs`. With
   * `earlyMediaAfterMs` it has early media from then until the answer.
   */
  | {
      does: 'answer';
      ringsAfterMs?: number;
      afterMs?: number;
      talkMs?: number;
      earlyMediaAfterMs?: number;
      who?: Answerer;
    }
  | { does: 'no_answer'; ringsAfterMs?: number; earlyMediaAfterMs?: number }
  | { does: 'busy' | 'declined' | 'unreachable'; afterMs?: number }
  /** Any other final response. */
  | { does: 'fail'; sipStatus: number; afterMs?: number };
