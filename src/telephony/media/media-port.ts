/**
 * What a signalling engine needs of RTP: sockets, prompts, digits and recordings of one leg, named by `mediaId`.
 * Implemented by `media.ts` (worker threads); a signalling test may put a fake in its place.
 *
 * Invariants, which carry the engine contract (`../engine.ts`):
 *  M1 every `play`, `record`, `sendDigits`, `stream`, `listen` and `detect` of an open leg is answered by exactly one
 *     final event of its id, before `closed`;
 *  M2 every opened leg ends with exactly one `closed`, and nothing follows it;
 *  M3 commands for a leg that is unknown or closed are ignored, never thrown;
 *  M4 events never come from inside a call of the port.
 */
import type { G711Codec } from '../../core/g711.ts';
import type { AudioItem, LegCommand, LegEvent, LegQuality, ListenOptions } from '../../core/leg.ts';

export type { G711Codec };

export type MediaEvent =
  | Extract<
      LegEvent,
      {
        type:
          | 'digit'
          | 'play_ended'
          | 'record_ended'
          | 'digits_sent'
          | 'stream_started'
          | 'stream_ended'
          | 'speech_started'
          | 'utterance'
          | 'listen_ended'
          | 'machine_detected';
      }
    >
  /**
   * Nothing has come from the far side for `tellSilenceMs` and more, while we did not hold it. Told every few seconds until
   * something comes.
   */
  | { type: 'unheard'; forMs: number }
  /** After `close`, or when the media of this leg broke down (its thread died). `quality`: where it had any sound. */
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
  /** We may be sent to; when false, what arrives is dropped. */
  receive: boolean;
  /** An IP address that it may send from as well, where signalling says that the far side itself is there. */
  otherHost?: string;
  /** A router translates the address that the far side described: which port it gives to the stream cannot be known. */
  isTranslated?: true;
  /**
   * Only a stranger says that the far side is there: until something was heard from it, no more than half a minute of
   * sound is sent, so that nobody points us at others.
   */
  isUnverified?: boolean;
  /** After so long without any packet of sound or report from there `unheard` is told. Never, when absent. */
  reportSilenceMs?: number;
  /** Where the far side takes RTCP; default the port above. `port` itself: multiplexed (RFC 5761). */
  rtcpPort?: number;
  /** Keys of SDP security descriptions (RFC 4568), of both directions. */
  srtp?: SrtpKeys;
}

/** Master key and salt of AES_CM_128_HMAC_SHA1_80 (RFC 3711): 30 bytes each. */
export interface SrtpKeys {
  local: Uint8Array;
  remote: Uint8Array;
}

export interface PlayRequest {
  playId: string;
  audio: AudioItem[];
  repeat: boolean;
}

export interface RecordRequest {
  recordId: string;
  file: string;
  maxLengthMs: number;
  /** 0: silence never ends the recording. */
  endSilenceMs: number;
  terminators: string;
  /** Two channels: left what arrives, right what is sent. */
  dual: boolean;
  /** Beside the one in the foreground. */
  background: boolean;
}

export type StreamRequest = Omit<Extract<LegCommand, { type: 'stream' }>, 'type'>;

export type ListenRequest = ListenOptions & { listenId: string };

export type DetectRequest = Omit<Extract<LegCommand, { type: 'detect_machine' }>, 'type'>;

export interface SendDigitsRequest {
  sendId: string;
  /** `0-9*#A-D`; `w` pauses half a second; anything else is skipped. */
  digits: string;
  toneMs: number;
  gapMs: number;
}

export interface MediaPort {
  start(): Promise<void>;
  /** Closes all legs, with their events, and ends the threads. */
  stop(): Promise<void>;
  /** Allocates an RTP/RTCP port pair (even/odd) on the media host from the configured range. Rejects when none is free. */
  open(options: {
    mediaId: string;
    onEvent: (event: MediaEvent) => void;
    /** Will talk to this leg: taken to the same thread where there is room. */
    near?: string;
  }): Promise<MediaAddress>;
  /**
   * Sets or changes the negotiated far side; until then nothing is sent, plays and digits wait, and what arrives waits a
   * moment: to whom it may belong is said after it.
   */
  connect(mediaId: string, remote: MediaRemote): void;
  /** Plays the items one after the other. A play that still runs ends as `stopped`: there is one at a time. */
  play(mediaId: string, play: PlayRequest): void;
  stopPlay(mediaId: string, playId: string): void;
  /** Records. One of the same kind that still runs ends as `stopped`. */
  record(mediaId: string, record: RecordRequest): void;
  pauseRecord(mediaId: string, recordId: string, paused: boolean): void;
  stopRecord(mediaId: string, recordId: string): void;
  /** Queues digits; while they are sent, a running play goes on unheard. */
  sendDigits(mediaId: string, send: SendDigitsRequest): void;
  /** The far end pressed a key and said so by signalling: as if it came with the sound, and once where it does. */
  pressed(mediaId: string, digit: string, durationMs: number): void;
  /** The leg is on hold and hears this again and again; undefined: not any more. What it says is not heard meanwhile. */
  hold(mediaId: string, music: AudioItem[] | undefined): void;
  /** The legs of one mix hear each other, whatever threads they live in. */
  join(mediaId: string, mixId: string, muted: boolean): void;
  leave(mediaId: string): void;
  mute(mediaId: string, muted: boolean): void;
  stream(mediaId: string, stream: StreamRequest): void;
  stopStream(mediaId: string, streamId: string): void;
  listen(mediaId: string, listen: ListenRequest): void;
  stopListen(mediaId: string, listenId: string): void;
  detect(mediaId: string, detect: DetectRequest): void;
  stopDetect(mediaId: string, detectId: string): void;
  /** Ends plays (`stopped`), recordings (`hangup`) and digits with their events first, then `closed`; also while opening. */
  close(mediaId: string): void;
}
