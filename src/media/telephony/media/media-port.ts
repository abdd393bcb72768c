/**
 * Media port of a signalling engine: RTP sockets, prompts, digits, recordings and mixes of a leg, named by `mediaId`.
 * Implemented by `media.ts` (worker threads); signalling tests use fakes. Commands are passed as issued by the step to
 * the media thread (`worker.ts`).
 *
 * Invariants, on which the engine contract (`../engine.ts`) is based:
 *  - M1 every request of an open leg (`base/core/leg-answers.ts`) is answered by exactly one final event of its id,
 *    before `closed`;
 *  - M2 every opened leg ends with exactly one `closed`, and no event follows it;
 *  - M3 commands for a leg that is unknown or closed are ignored and never throw;
 *  - M4 events are never emitted from inside a call of the port.
 */
import type { LegEvent, LegQuality, MediaCommand } from '../../../base/core/leg.ts';
import type { G711Codec } from '../../toolbox/audio/g711.ts';
import type { MixAddress } from '../../toolbox/audio/mix-frame.ts';

export type { G711Codec };

export type MediaCommandOf<Type extends MediaCommand['type']> = Extract<MediaCommand, { type: Type }>;

/** Arguments of one kind of command. */
export type MediaRequestOf<Type extends MediaCommand['type']> = Omit<MediaCommandOf<Type>, 'type'>;

/** Commands of the host, unchanged, and those of signalling. */
export type MediaPortCommand =
  | MediaCommand
  /**
   * Sets or changes the negotiated far side. Until then no packets are sent, plays and digits wait, and packets that
   * arrive are kept for a moment.
   */
  | { type: 'connect'; remote: MediaRemote }
  /** Signalling reported a digit: it is handled like one in the audio, and counts once if it also arrives there. */
  | { type: 'signalled_digit'; digit: string; durationMs: number }
  /**
   * Ends plays (`stopped`), recordings (`hangup`) and digits with their events, then emits `closed`; also while
   * opening.
   */
  | { type: 'close' };

export type MediaEvent =
  | Exclude<
      LegEvent,
      { type: 'ringing' | 'answered' | 'early_media' | 'ended' | 'far_hold' | 'referred' | 'refer_ended' }
    >
  /**
   * No packets have arrived from the far side for at least `reportSilenceMs`, while it was not on hold. Emitted every
   * few seconds until a packet arrives.
   */
  | { type: 'silent'; forMs: number }
  /** Emitted after `close`, or when the media thread of this leg died. `quality` is present if it had any audio. */
  | { type: 'closed'; quality?: LegQuality };

export interface MediaAddress {
  host: string;
  port: number;
}

/** Far side as negotiated by offer and answer. `host` is an IP address. */
export interface MediaRemote extends MediaAddress {
  codec: G711Codec;
  payloadType: number;
  /** RFC 4733 payload type (clock rate 8000); absent if not negotiated. */
  telephoneEventPayloadType?: number;
  ptimeMs: number;
  /** True if sending is permitted (local direction `sendrecv` or `sendonly`). */
  send: boolean;
  /** True if the far side may send (local direction); otherwise its packets are dropped. */
  receive: boolean;
  /** Another IP address from which the far side may send: the source of its signalling. */
  otherHost?: string;
  /** A router translates the described address, so that the port of the stream is unknown. */
  isTranslated?: true;
  /**
   * The address was claimed by an unauthenticated far end: until a packet arrives from it, at most half a minute of
   * audio is sent, so that the service cannot be used to flood others.
   */
  isUnverified?: boolean;
  /** Time without any RTP or RTCP packet after which `silent` is emitted; default: never. */
  reportSilenceMs?: number;
  /** RTCP port of the far side; default: the port above. Equal to `port` if multiplexed (RFC 5761). */
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
  /** `projectOf` returns the project of a leg, each time that audio is played to it; undefined: none. */
  start(projectOf?: (mediaId: string) => string | undefined): Promise<void>;
  /** Closes all legs, with their events, and ends the threads. */
  stop(): Promise<void>;
  /**
   * Allocates an RTP/RTCP port pair (even/odd) on the media host from the configured range. Rejects if none is free.
   */
  open(options: {
    mediaId: string;
    onEvent: (event: MediaEvent) => void;
    /** Leg to which this one will be connected: it is placed in the same thread if there is capacity. */
    near?: string;
  }): Promise<MediaAddress>;
  send(mediaId: string, command: MediaPortCommand): void;
}

/** Access for mix participants that are not legs, such as rooms of browsers. */
export interface MixAccess {
  /**
   * Opens a mix to an outside party, who is heard in it and hears the others (`media/toolbox/audio/mix-frame.ts`).
   * `opened` is called with its address, and again when that changes.
   */
  openMix(mixId: string, opened: (address: MixAddress) => void): { close(): void };
  /** Reports when a leg starts and stops talking, and sets whether it is heard in its mix, until it is closed. */
  watchTalker(mediaId: string, talking: (on: boolean) => void): { setHeard(heard: boolean): void; close(): void };
}
