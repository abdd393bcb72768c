/**
 * The far end of a simulated leg, for scripts: what the party can do, and what it notices. A terminal, a scenario or a
 * rehearsal holds one per call.
 */
import type { Cause } from '../../core/causes.ts';
import type { JsonObject } from '../../core/json.ts';
import type { AudioItem, StreamTrack } from '../../core/leg.ts';
import type { SipHeaders } from '../../core/sip-headers.ts';

export interface FarEnd {
  readonly legId: string;
  readonly from: string;
  readonly to: string;
  readonly state: 'ringing' | 'connected' | 'ended';
  /** Whether a prompt is played to the party; hold music does not count. */
  readonly hears: boolean;
  /** Whether the party is being recorded in the foreground: it was asked to speak. */
  readonly isRecorded: boolean;
  /**
   * Whether somebody listens to the party in order to act upon it: `waits` for speech, or `hears` some and has not
   * decided yet.
   */
  readonly listening: 'none' | 'waits' | 'hears';
  /** We have put the party on hold. */
  readonly isHeld: boolean;
  /** The party has put us on hold. */
  readonly holdsUs: boolean;
  /** Everything played to the party, hold music included, oldest first. */
  readonly heard: readonly HeardAudio[];
  /** The parties it hears now: those of its mix, unless a prompt or music covers them. */
  readonly company: readonly FarEnd[];
  /** When it heard other parties, oldest first. */
  readonly talks: readonly Talk[];
  /** Digits sent to the party. */
  readonly received: string;
  /** The headers that we set in messages to it, oldest first. */
  readonly headers: readonly SeenHeaders[];
  /** The web sockets that received its audio, oldest first. */
  readonly streams: readonly StreamSink[];
  /** Presses keys one after the other, the first at once; each is reported when it goes down. */
  press(digits: string, timing?: PressTiming): void;
  /** Speaks for this long without intelligible words. */
  speak(durationMs: number): void;
  /** Says these words. A recogniser understands those it expects. */
  say(text: string, manner?: SayManner): void;
  /** A ringing callee picks up, whatever the plan. */
  answer(): void;
  /** Puts us on hold, or resumes. */
  hold(held: boolean): void;
  /**
   * Asks us to connect its peer with `to` (REFER); with `replaces`, with the party of another leg of its own
   * (attended). It hangs up once that has worked, unless it `stays`.
   */
  refer(to: string, options?: { replaces?: FarEnd; stays?: boolean }): void;
  /** What it does when we ask it to call somebody else; by default it accepts and succeeds at once. */
  onRefer(plan: ReferPlan): void;
  /** Hangs up (by default Q.850 16), or gives up calling. */
  hangUp(causeCode?: number, headers?: SipHeaders): void;
  /** The network ends the call (by default Q.850 41). */
  lose(causeCode?: number): void;
  /** Subscribes to everything the party notices; returns how to unsubscribe. */
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

/** From the first key down until the last key is up. */
export function pressDurationMs(digits: string, timing: PressTiming = {}): number {
  const { toneMs, gapMs } = { ...DEFAULT_PRESS, ...timing };
  return digits.length === 0 ? 0 : digits.length * toneMs + (digits.length - 1) * gapMs;
}

export interface SayManner {
  /** The recogniser's confidence, 0 to 1. */
  confidence?: number;
  /** By default as long as the words take. */
  durationMs?: number;
}

const CONFIDENCE = 0.9;
const SPOKEN_CHARACTERS_PER_SECOND = 14;
const SHORTEST_WORD_MS = 300;

/** How words are said by default. */
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

/** The far end of a stream: a web socket that receives frames, and may send audio. */
export interface StreamSink {
  readonly streamId: string;
  readonly url: string;
  readonly tracks: readonly StreamTrack[];
  readonly bidirectional: boolean;
  readonly start: JsonObject;
  readonly state: 'connecting' | 'open' | 'closed';
  /** 20 ms frames received, of all tracks. */
  readonly frames: number;
  /** Plays this to the party, if nothing else plays. Ignored unless `bidirectional`. */
  send(item: AudioItem): void;
  /** The receiver closes the connection. */
  close(): void;
}

/** What the receiver of a stream does. */
export type SinkPlan =
  | { does: 'accept'; afterMs?: number; closesAfterMs?: number }
  | { does: 'refuse'; afterMs?: number };

/** What a simulated AI agent does, one after the other; then it is silent. */
export type AgentAct =
  | { act: 'say'; text: string; durationMs?: number }
  /** Until the party has spoken. */
  | { act: 'listen' }
  | { act: 'wait'; durationMs: number }
  /** It goes on when it has the answer, if the call does not end the conversation. */
  | { act: 'call'; tool: string; arguments: JsonObject }
  /** The two speak in turn that often, the party first. */
  | { act: 'turns'; count: number }
  /** It ends the conversation; the connection breaks; or, first, there is none. */
  | { act: 'close' | 'break' | 'refuse' };

/** What a phone does with a REFER (RFC 3515). */
export type ReferPlan =
  | { does: 'accept' | 'hang_up'; afterMs?: number }
  | { does: 'refuse'; afterMs?: number; sipStatus: number }
  /** It says neither yes nor no, or yes and then nothing more. */
  | { does: 'ignore' };

export type Notice =
  | { type: 'ringing' }
  | { type: 'answered' }
  /** An item of a prompt, or of hold music, begins; `heard` is the same object as in `FarEnd.heard`. */
  | { type: 'hears'; heard: HeardAudio }
  /** A prompt has come to its end, or to the end of one round of a repeated one. */
  | { type: 'round_over'; playId: string }
  /** Nothing is played any more. */
  | { type: 'quiet' }
  /** A recording of the party begins. */
  | { type: 'recorded' }
  /** Somebody begins to listen for what it says. */
  | { type: 'listened_to' }
  /** Nobody does any more. */
  | { type: 'heard_out' }
  | { type: 'digit'; digit: string }
  /** The parties it hears are others now. */
  | { type: 'company'; hears: readonly FarEnd[] }
  /** One of them says something; `text` where it is words. */
  | { type: 'speech'; of: FarEnd; durationMs: number; text?: string }
  /** We have put it on hold, or taken it back. */
  | { type: 'held'; held: boolean }
  /** How it goes with what it asked for by REFER. */
  | { type: 'refer_progress'; sipStatus: number }
  /** We have asked it to call somebody else. */
  | { type: 'referred'; to: string; replaces?: string }
  | { type: 'ended'; cause: Cause; by: 'far' | 'near' | 'network' };

/** Who or what answers. */
export type Answerer =
  /** Greets like a person; only machine detection notices it. */
  | { is: 'human' }
  /** Speaks for `greetingMs`, and may beep some time after that. */
  | { is: 'machine'; greetingMs: number; beepAfterMs?: number }
  | { is: 'fax' }
  | { is: 'silent' };

/** What a dialled party does; `headers` are those of its answer, or of its refusal. */
export type CalleePlan = CalleeManner & { headers?: SipHeaders };

type CalleeManner =
  /**
   * Rings after `ringsAfterMs` (0), answers after `afterMs` (0), and hangs up after talking for `talkMs`. With
   * `earlyMediaAfterMs` it is heard from then on, before it answers.
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
