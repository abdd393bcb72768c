/**
 * Live streams of all sessions, and access to them. Each viewer has its own URL, with a token that is sealed for this
 * participant in this session, and is invalid once the participant has left.
 */
import { rm, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../../base/core/log.ts';
import { createSealedTokens, type SealedTokens, type TokenParts } from '../../../base/core/sealed-tokens.ts';
import type { Participant } from '../participant.ts';
import type { VideoRoom } from '../room.ts';
import type { ReportedEvent } from '../session-ports.ts';
import { type EngineCommand, type EngineEvent, isAboutLiveStream } from '../sfu.ts';
import { LINK_MS, LiveStream } from './live-stream.ts';

export interface LiveStreamsParts extends TokenParts {
  log: Pick<Log, 'warn'>;
  /** Folder of the streams. Its content is of no use after a restart. */
  directory: string;
  command(confNum: string, command: EngineCommand): void;
}

interface ViewerToken {
  roomId: string;
  confNum: string;
  participant: string;
}

/** Parts of the path, still percent-encoded. */
export type StreamRequest = Record<'room' | 'token' | 'file', string>;
/** `refused`: the token is not valid for this room; `gone`: the viewer has left, or the stream has ended. */
export type StreamAnswer = { playlist: string } | { path: string } | { problem: 'refused' | 'gone' };

export const PLAYLIST = 'index.m3u8';

interface Session {
  confNum: string;
  room: VideoRoom;
}

/** Relative to the data directory. */
export const LIVE_STREAMS_FOLDER = 'broadcasts';

export class LiveStreams {
  readonly #parts: LiveStreamsParts;
  readonly #tokens: SealedTokens<ViewerToken>;
  readonly #byConf = new Map<string, LiveStream>();

  constructor(parts: LiveStreamsParts) {
    this.#parts = parts;
    const options = { purpose: 'callweave broadcast', lifetimeMs: LINK_MS };
    this.#tokens = createSealedTokens(options, parts);
    rmSync(parts.directory, { recursive: true, force: true });
  }

  record(session: Session, event: ReportedEvent): void {
    if (event.type === 'over') {
      this.#byConf.get(session.confNum)?.close();
      this.#byConf.delete(session.confNum);
    } else if (event.type === 'joined' && event.participant.role === 'audience') {
      this.#of(session).joined(event.participant);
    } else if (event.type === 'left') this.#byConf.get(session.confNum)?.left(event.participant);
  }

  /** Sends the state to a viewer with a new link or page. */
  resumed({ confNum }: Session, participant: Participant): void {
    this.#byConf.get(confNum)?.inform(participant);
  }

  #of({ confNum, room: { projectId, roomId } }: Session): LiveStream {
    const known = this.#byConf.get(confNum);
    if (known) return known;
    const { clock, log, directory, command } = this.#parts;
    const addressFor = ({ id }: Participant): string => {
      const token = this.#tokens.issue(projectId, { roomId, confNum, participant: id });
      return `/room/${encodeURIComponent(roomId)}/hls/${token}/${PLAYLIST}`;
    };
    const made = new LiveStream({
      ...{ clock, addressFor },
      directory: join(directory, confNum),
      send: (order) => command(confNum, order),
      failed: (why) => log.warn('room.broadcast_failed', { confNum, why }),
      // Files that an encoder still writes for a moment are removed at the next start.
      remove: (path) => rm(path, { recursive: true, force: true, maxRetries: 3 }, () => undefined),
    });
    this.#byConf.set(confNum, made);
    return made;
  }

  engineEvent(confNum: string, event: EngineEvent): void {
    if (isAboutLiveStream(event)) this.#byConf.get(confNum)?.event(event);
  }

  engineRestarted(lost?: readonly string[]): void {
    for (const [confNum, liveStream] of this.#byConf) {
      if (lost?.includes(confNum) !== false) liveStream.engineRestarted();
    }
  }

  read({ room, token, file }: StreamRequest): StreamAnswer {
    // Players fetch repeatedly, so that a token is valid until the participant leaves.
    const checked = this.#tokens.read(token, ({ roomId }) => encodeURIComponent(roomId) === room);
    if ('refused' in checked) return { problem: 'refused' };
    const { confNum, participant } = checked.holder;
    const liveStream = this.#byConf.get(confNum);
    if (file === PLAYLIST) {
      const playlist = liveStream?.playlistFor(participant);
      return playlist === undefined ? { problem: 'gone' } : { playlist };
    }
    const path = liveStream?.segmentFor(participant, file);
    return path === undefined ? { problem: 'gone' } : { path };
  }

  /** Removes all streams, when the service stops and no engine runs any more. */
  close(): void {
    rmSync(this.#parts.directory, { recursive: true, force: true });
  }
}
