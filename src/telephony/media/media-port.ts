/**
 * The media port of a signalling engine: RTP sockets, prompts, digits, recordings and mixes of a leg, named by `mediaId`.
 * Implemented by `media.ts` (worker threads); signalling tests use fakes. Commands travel as the data that the step
 * issued to the media thread (`worker.ts`).
 *
 * Invariants, which carry the engine contract (`../engine.ts`):
 *  M1 every request of an open leg (`core/leg-answers.ts`) is answered by exactly one final event of its id, before
 *     `closed`;
 *  M2 every opened leg ends with exactly one `closed`, and nothing follows it;
 *  M3 commands for a leg that is unknown or closed are ignored and never throw;
 *  M4 events are never emitted from inside a call of the port.
 */
import type { G711Codec } from '../../core/g711.ts';
import type { LegEvent, LegQuality, MediaCommand } from '../../core/leg.ts';
import type { MixAddress } from '../../core/mix-frame.ts';

export type { G711Codec };

export type MediaCommandOf<Type extends MediaCommand['type']> = Extract<MediaCommand, { type: Type }>;

/** For the parts that handle one kind of command. */
export type MediaRequestOf<Type extends MediaCommand['type']> = Omit<MediaCommandOf<Type>, 'type'>;

/** The host's commands as they came, and those of signalling. */
export type MediaPortCommand =
  | MediaCommand
  /**
   * Sets or changes the negotiated far side. Until then nothing is sent, plays and digits wait, and packets that arrive are
   * kept for a moment.
   */
  | { type: 'connect'; remote: MediaRemote }
  /** Signalling reported a digit: it counts like one in the audio, and once if it also arrives there. */
  | { type: 'signalled_digit'; digit: string; durationMs: number }
  /** Ends plays (`stopped`), recordings (`hangup`) and digits with their events, then emits `closed`; also while opening. */
  | { type: 'close' };

export type MediaEvent =
  | Exclude<
      LegEvent,
      { type: 'ringing' | 'answered' | 'early_media' | 'ended' | 'far_hold' | 'referred' | 'refer_ended' }
    >
  /**
   * Nothing has come from the far side for `reportSilenceMs` and more, while we did not hold it. Emitted every few seconds
   * until something comes.
   */
  | { type: 'silent'; forMs: number }
  /** After `close`, or when the media thread of this leg died. `quality`: if it had any audio. */
  | { type: 'closed'; quality?: LegQuality };

export interface MediaAddress {
  host: string;
  port: number;
}

/** The far side as negotiated by offer and answer. `host` is an IP address. */
export interface MediaRemote extends MediaAddress {
  codec: G711Codec;
  payloadType: number;
  /** RFC 4733 payload type (clock rate 8000); absent when not negotiated. */
  telephoneEventPayloadType?: number;
  ptimeMs: number;
  /** We may send (direction `sendrecv` or `sendonly` as seen from here). */
  send: boolean;
  /** The far side may send (direction as seen from here); when false, what arrives is dropped. */
  receive: boolean;
  /** Another IP address from which the far side may send: the source of its signalling. */
  otherHost?: string;
  /** A router translates the described address, so the port of the stream is unknown. */
  isTranslated?: true;
  /**
   * The address was claimed by an unauthenticated far end: until something arrives from there, at most half a minute of
   * audio is sent, so that we cannot be used to flood others.
   */
  isUnverified?: boolean;
  /** After so long without any RTP or RTCP packet, `silent` is emitted. Default: never. */
  reportSilenceMs?: number;
  /** The far side's RTCP port; default: the port above. The same as `port`: multiplexed (RFC 5761). */
  rtcpPort?: number;
  /** Keys of SDP security descriptions (RFC 4568), one per direction. */
  srtp?: SrtpKeys;
}

/** Master key and salt of AES_CM_128_HMAC_SHA1_80 (RFC 3711): 30 bytes each. */
export interface SrtpKeys {
  local: Uint8Array;
  remote: Uint8Array;
}

export interface MediaPort {
  /** `projectOf`: the project of a leg, as it is when the leg is played something; undefined: none. */
  start(projectOf?: (mediaId: string) => string | undefined): Promise<void>;
  /** Closes all legs, with their events, and ends the threads. */
  stop(): Promise<void>;
  /**
   * Allocates an RTP/RTCP port pair (even/odd) on the media host from the configured range. Rejects when none is free.
   */
  open(options: {
    mediaId: string;
    onEvent: (event: MediaEvent) => void;
    /** A leg this one will talk to: it is placed in the same thread where there is room. */
    near?: string;
  }): Promise<MediaAddress>;
  send(mediaId: string, command: MediaPortCommand): void;
}

/** For what takes part in mixes without being a leg, such as rooms of browsers. */
export interface MixAccess {
  /**
   * Opens a mix to somebody outside, who is heard in it and hears the others (`core/mix-frame.ts`). `opened` is called with
   * its address, and again when that changes.
   */
  openMix(mixId: string, opened: (address: MixAddress) => void): { close(): void };
  /** Reports when a leg begins and ends to talk, and sets whether it is heard in its mix, until it is closed. */
  watchTalker(mediaId: string, talking: (on: boolean) => void): { setHeard(heard: boolean): void; close(): void };
}
