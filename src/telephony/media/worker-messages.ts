/** What passes between the main thread and a media thread, and between media threads: plain data, audio as shared memory. */
import type { MessagePort } from 'node:worker_threads';
import type { LegQuality, StreamTrack } from '../../core/leg.ts';
import type { LegCounts, LegMediaEvent } from './leg-media.ts';
import type { DetectRequest, MediaRemote, RecordRequest, SendDigitsRequest } from './media-port.ts';
import type { MixMessage, MixPeer } from './mix.ts';
import type { EncodedAudio } from './playback.ts';

export type ThreadLegCommand =
  | { type: 'connect'; mediaId: string; remote: MediaRemote }
  | {
      type: 'play';
      mediaId: string;
      playId: string;
      items: EncodedAudio[];
      repeat: boolean;
      /** False: `play_more` follows. */
      complete: boolean;
    }
  | { type: 'play_more'; mediaId: string; playId: string; items: EncodedAudio[]; complete: boolean }
  | { type: 'stop_play'; mediaId: string; playId: string }
  | { type: 'record'; mediaId: string; record: RecordRequest }
  | { type: 'pause_record'; mediaId: string; recordId: string; paused: boolean }
  | { type: 'stop_record'; mediaId: string; recordId: string }
  | { type: 'send_digits'; mediaId: string; send: SendDigitsRequest }
  | { type: 'pressed'; mediaId: string; digit: string; durationMs: number }
  | { type: 'hold'; mediaId: string; items: EncodedAudio[] | undefined }
  | { type: 'join'; mediaId: string; mixId: string; muted: boolean }
  | { type: 'leave'; mediaId: string }
  | { type: 'mute'; mediaId: string; muted: boolean }
  | {
      type: 'stream';
      mediaId: string;
      streamId: string;
      tracks: readonly StreamTrack[];
      bidirectional: boolean;
    }
  | { type: 'stop_stream'; mediaId: string; streamId: string }
  | { type: 'stream_sound'; mediaId: string; streamId: string; bytes: Uint8Array }
  | { type: 'clear_stream'; mediaId: string; streamId: string }
  | { type: 'listen'; mediaId: string; listenId: string; track: StreamTrack }
  | { type: 'stop_listen'; mediaId: string; listenId: string }
  | { type: 'detect'; mediaId: string; detect: DetectRequest }
  | { type: 'stop_detect'; mediaId: string; detectId: string }
  | { type: 'close'; mediaId: string };

export type WorkerCommand =
  | { type: 'open'; mediaId: string; host: string; port: number }
  /** Another media thread, and the way to it. */
  | { type: 'peer'; peer: number; port: MessagePort }
  /** Where else this mix has legs. */
  | { type: 'mix_peers'; mixId: string; peers: MixPeer[] }
  | ThreadLegCommand;

export type WorkerEvent =
  /** The thread takes commands. */
  | { type: 'ready' }
  | { type: 'opened'; mediaId: string }
  /** The socket could not be bound; nothing else follows. */
  | { type: 'refused'; mediaId: string; code: string }
  | { type: 'leg'; mediaId: string; event: LegMediaEvent }
  /** The last of a leg; its port is free. */
  | { type: 'closed'; mediaId: string; counts: LegCounts; quality?: LegQuality };

/** From one thread to another, gathered. */
export type PeerMessages = { mixId: string; message: MixMessage }[];
