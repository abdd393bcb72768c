/** What passes between the main thread and a media thread: plain data, audio as shared memory. */
import type { LegCounts, LegMediaEvent } from './leg-media.ts';
import type { MediaRemote, RecordRequest, SendDigitsRequest } from './media-port.ts';
import type { EncodedAudio } from './playback.ts';

export type WorkerCommand =
  | { type: 'open'; mediaId: string; host: string; port: number }
  | { type: 'connect'; mediaId: string; remote: MediaRemote }
  | { type: 'play'; mediaId: string; playId: string; items: EncodedAudio[]; repeat: boolean }
  | { type: 'stop_play'; mediaId: string; playId: string }
  | { type: 'record'; mediaId: string; record: RecordRequest }
  | { type: 'pause_record'; mediaId: string; recordId: string; paused: boolean }
  | { type: 'stop_record'; mediaId: string; recordId: string }
  | { type: 'send_digits'; mediaId: string; send: SendDigitsRequest }
  | { type: 'close'; mediaId: string };

export type WorkerEvent =
  /** The thread takes commands. */
  | { type: 'ready' }
  | { type: 'opened'; mediaId: string }
  /** The socket could not be bound; nothing else follows. */
  | { type: 'refused'; mediaId: string; code: string }
  | { type: 'leg'; mediaId: string; event: LegMediaEvent }
  /** The last of a leg; its port is free. */
  | { type: 'closed'; mediaId: string; counts: LegCounts };
