/**
 * Messages between the main thread and a media thread, and between media threads: plain data, with audio in shared
 * memory.
 */
import type { MessagePort } from 'node:worker_threads';
import type { LegQuality, StreamTrack } from '../../../base/core/leg.ts';
import type { MixFarEnd } from '../../toolbox/audio/mix-frame.ts';
import type { LegMediaEvent } from './leg-media.ts';
import type { MediaPortCommand } from './media-port.ts';
import type { MixMessage, MixPeer } from './mix.ts';
import type { DatagramsOptions } from './open-datagrams.ts';
import type { EncodedAudio } from './playback.ts';
import type { LegCounts, ThreadFigures } from './thread-figures.ts';

/** Connection by which commands arrive (`thread-commands.ts`). */
export interface CommandChannel {
  ring: SharedArrayBuffer;
  port: MessagePort;
}

/** Data with which a thread starts. */
export interface WorkerOptions extends Omit<DatagramsOptions, 'nowMs'> {
  commands: CommandChannel;
}

/** Commands of the port, unchanged, except those that the main thread prepares: it loads audio and owns streams. */
export type ThreadLegCommand =
  | Exclude<
      MediaPortCommand,
      {
        type:
          | 'play'
          | 'hold'
          | 'stream'
          | 'listen'
          | 'assistant'
          | 'answer_assistant'
          | 'key_assistant'
          | 'stop_assistant';
      }
    >
  /** Without `complete`, `play_more` follows. */
  | { type: 'play'; playId: string; items: EncodedAudio[]; repeat: boolean; complete: boolean }
  | { type: 'play_more'; playId: string; items: EncodedAudio[]; complete: boolean }
  | { type: 'hold'; items: EncodedAudio[] }
  | { type: 'stream'; streamId: string; tracks: readonly StreamTrack[]; bidirectional: boolean }
  | { type: 'stream_audio'; streamId: string; bytes: Uint8Array }
  | { type: 'clear_stream'; streamId: string }
  /** Pauses the audio from the stream receiver, or resumes it at its position. */
  | { type: 'pause_stream'; streamId: string; paused: boolean }
  | { type: 'listen'; listenId: string; track: StreamTrack }
  /** Sets whether talking of the party is reported. */
  | { type: 'watch_talking'; on: boolean }
  /** Sets whether the party is heard in its mix, unless it is muted. */
  | { type: 'set_heard'; heard: boolean };

export type WorkerCommand =
  | { type: 'open'; mediaId: string; host: string; port: number }
  /** Another media thread, and the channel to it. */
  | { type: 'peer'; peer: number; port: MessagePort }
  /** Other threads with legs of this mix. */
  | { type: 'mix_peers'; mixId: string; peers: MixPeer[] }
  | { type: 'leg'; mediaId: string; command: ThreadLegCommand }
  /** Opens a mix to an outside party, who reaches it by UDP with the key. */
  | { type: 'open_mix'; mixId: string; openingId: string; key: string; far?: MixFarEnd }
  | { type: 'close_mix'; openingId: string }
  /** Answered by `figures`. */
  | { type: 'read_figures' };

export type WorkerEvent =
  /** The thread accepts commands. `hasPriority`: false if the system refused to raise its priority. */
  | { type: 'ready'; hasPriority: boolean }
  | { type: 'opened'; mediaId: string }
  /** The socket could not be bound; no other event follows. */
  | { type: 'refused'; mediaId: string; code: string }
  | { type: 'leg'; mediaId: string; event: LegMediaEvent }
  | { type: 'talking'; mediaId: string; on: boolean }
  | { type: 'mix_opened'; openingId: string; port: number }
  | { type: 'mix_not_opened'; openingId: string; code: string }
  | { type: 'figures'; figures: ThreadFigures }
  /** Last event of a leg; its port is free. */
  | { type: 'closed'; mediaId: string; counts: LegCounts; quality?: LegQuality };

/** Batch from one thread to another. */
export type PeerMessages = { mixId: string; message: MixMessage }[];
