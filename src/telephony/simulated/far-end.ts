/**
 * The other side of a simulated line, as a script sees it: what the party can do, and what it notices. A terminal, a
 * scenario or a rehearsal holds one of these per call.
 */
import type { Cause } from '../../core/causes.ts';
import type { JsonObject } from '../../core/json.ts';
import type { AudioItem, StreamTrack } from '../../core/leg.ts';

export interface FarEnd {
  readonly legId: string;
  readonly from: string;
  readonly to: string;
  readonly state: 'ringing' | 'connected' | 'ended';
  /** Whether a prompt is played to the party now; the music of a hold is none. */
  readonly hears: boolean;
  /** Whether the party is being recorded in the foreground now: it was asked to speak. */
  readonly isRecorded: boolean;
  /**
   * Whether somebody listens for what the party says, to act upon it: `waits` for it to begin, or `hears` something and
   * has not made up its mind.
   */
  readonly listening: 'none' | 'waits' | 'hears';
  /** We have put the party on hold. */
  readonly isHeld: boolean;
  /** The party has put us on hold. */
  readonly holdsUs: boolean;
  /** All that was played to the party, music of a hold included, oldest first. */
  readonly heard: readonly HeardAudio[];
  /** The parties it hears now: those of its mix, unless a prompt or music covers them. */
  readonly company: readonly FarEnd[];
  /** When it heard other parties, oldest first. */
  readonly talks: readonly Talk[];
  /** Digits that were sent to the party. */
  readonly received: string;
  /** The web sockets that its sound was sent to, oldest first. */
  readonly streams: readonly StreamSink[];
  /** Presses keys one after the other, the first at once; each is reported at the moment it goes down. */
  press(digits: string, timing?: PressTiming): void;
  /** Speaks from now on for this long, words that nobody understands. */
  speak(durationMs: number): void;
  /** Says these words from now on. A recogniser understands them as far as it was told to expect them. */
  say(text: string, manner?: SayManner): void;
  /** A callee who rings picks up, whatever the plan said. */
  answer(): void;
  /** Puts us on hold, or takes us back. */
  hold(held: boolean): void;
  /**
   * Asks us to connect whom it talks to with `to` (REFER); with `replaces`, with the party of that other line of its own
   * (attended). It hangs up once that has worked, unless it `stays`.
   */
  refer(to: string, options?: { replaces?: FarEnd; stays?: boolean }): void;
  /** What it does when we ask it to call somebody else; by default it accepts and gets there at once. */
  onRefer(plan: ReferPlan): void;
  /** Puts the phone down (by default Q.850 16), or gives up calling. */
  hangUp(causeCode?: number): void;
  /** The line breaks: the network ends the call (by default Q.850 41). */
  lose(causeCode?: number): void;
  /** Tells everything the party notices; returns how to stop listening. */
  observe(listener: (notice: Notice) => void): () => void;
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
  /** How sure a recogniser is of it, 0 to 1. */
  confidence?: number;
  /** By default as long as the words take. */
  durationMs?: number;
}

const CONFIDENCE = 0.9;
const SPOKEN_CHARACTERS_PER_SECOND = 14;
const SHORTEST_WORD_MS = 300;

/** How the words are said where nothing else is wished. */
export function mannerOf(text: string, manner: SayManner = {}): Required<SayManner> {
  const takesMs = Math.round((text.length / SPOKEN_CHARACTERS_PER_SECOND) * 1000);
  return { confidence: CONFIDENCE, durationMs: Math.max(SHORTEST_WORD_MS, takesMs), ...manner };
}

export interface HeardAudio {
  playId: string;
  item: AudioItem;
  fromMs: number;
  /** Absent while it is being played. */
  toMs?: number;
}

export interface Talk {
  with: readonly FarEnd[];
  fromMs: number;
  /** Absent while it lasts. */
  toMs?: number;
}

/** The far end of a stream: a web socket that takes frames, and may send sound where it was asked to. */
export interface StreamSink {
  readonly streamId: string;
  readonly url: string;
  readonly tracks: readonly StreamTrack[];
  readonly bidirectional: boolean;
  readonly start: JsonObject;
  readonly state: 'connecting' | 'open' | 'closed';
  /** Frames of 20 ms that arrived, of all tracks. */
  readonly frames: number;
  /** The party hears this, as a prompt is heard, if nothing else is played to it. Ignored unless `bidirectional`. */
  send(item: AudioItem): void;
  /** The receiver closes the connection. */
  close(): void;
}

/** What the receiver of a stream does. */
export type SinkPlan =
  | { does: 'accept'; afterMs?: number; closesAfterMs?: number }
  | { does: 'refuse'; afterMs?: number };

/** What a phone does that is asked to call somebody else (RFC 3515). */
export type ReferPlan =
  | { does: 'accept' | 'hang_up'; afterMs?: number }
  | { does: 'refuse'; afterMs?: number; sipStatus: number }
  /** It says neither yes nor no, or yes and then nothing more. */
  | { does: 'ignore' };

export type Notice =
  | { type: 'ringing' }
  | { type: 'answered' }
  /** An item of a prompt, or of the music of a hold, begins; `heard` is the same object as in `FarEnd.heard`. */
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
  /** Says hello as people do; only what detects machines takes notice of it. */
  | { is: 'human' }
  /** Speaks for `greetingMs`, and may beep some time after that. */
  | { is: 'machine'; greetingMs: number; beepAfterMs?: number }
  | { is: 'fax' }
  | { is: 'silent' };

/** What a party who is dialled does. */
export type CalleePlan =
  /**
   * Rings from `ringsAfterMs` (0) on, answers `afterMs` (0) after the dialling, and hangs up after talking `talkMs`.
   * With `earlyMediaAfterMs` it is heard from then on, before it answers.
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
