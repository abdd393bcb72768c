/**
 * Live stream of one session for its audience. The engine encodes it while there are viewers.
 *
 * Invariants
 *  - the engine starts the stream with the first viewer, and stops it a moment after the last one has left;
 *  - viewers receive its URL as soon as there is a segment, each its own;
 *  - a viewer who has left cannot fetch any more of it.
 */
import { join } from 'node:path';
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { ServerMessage } from '../../../base/core/room-messages.ts';
import type { Participant } from '../participant.ts';
import type { EngineCommand, LiveStreamEvent } from '../sfu.ts';
import { Playlist } from './playlist.ts';

export interface LiveStreamParts {
  clock: Clock;
  /** Folder of the session. */
  directory: string;
  /** Sends a command to the engine. */
  send(command: EngineCommand): void;
  /** Returns a new URL, which is valid for `LINK_MS`. */
  addressFor(participant: Participant): string;
  /** Logs why the stream is interrupted. */
  failed(why: string): void;
  /** Deletes a file or folder. */
  remove(path: string): void;
}

/** `starting`: there are no segments yet; `failed`: encoding failed and is retried. */
type State = 'idle' | 'starting' | 'live' | 'failed';

/** Time after the last viewer left in which another one may follow. */
export const LINGER_MS = 30_000;
export const LINK_MS = 6 * 3_600_000;
const RENEW_MS = 5 * 3_600_000;
/**
 * Number of failures before viewers are informed: an encoder that is killed is back before players run out of segments.
 */
const FAILURES_UNSEEN = 1;

interface Viewer {
  participant: Participant;
  address: string;
  /** Number of the last segment that the viewer fetched. */
  watched: number;
}

export class LiveStream {
  readonly #parts: LiveStreamParts;
  readonly #viewers = new Map<string, Viewer>();
  #state: State = 'idle';
  #playlist = new Playlist();
  #directory = '';
  #starts = 0;
  #failures = 0;
  #linger: Timer | undefined;
  #renew: Timer | undefined;

  constructor(parts: LiveStreamParts) {
    this.#parts = parts;
  }

  joined(participant: Participant): void {
    this.#linger?.cancel();
    const address = this.#parts.addressFor(participant);
    this.#viewers.set(participant.id, { participant, address, watched: -1 });
    if (this.#state === 'idle') this.#start();
    this.#renew ??= this.#renewLater();
    this.inform(participant);
  }

  left({ id }: Participant): void {
    if (!this.#viewers.delete(id) || this.#viewers.size > 0) return;
    this.#renew?.cancel();
    this.#renew = undefined;
    this.#linger = this.#parts.clock.after(LINGER_MS, () => this.#end());
  }

  #start(): void {
    this.#state = 'starting';
    this.#failures = 0;
    this.#playlist = new Playlist();
    this.#directory = join(this.#parts.directory, String(++this.#starts));
    this.#ask();
  }

  #ask(): void {
    this.#parts.send({ type: 'live_stream', directory: this.#directory });
  }

  #end(): void {
    this.#state = 'idle';
    this.#parts.send({ type: 'live_stream', directory: undefined });
    this.#parts.remove(this.#directory);
  }

  /** Ends the stream, when the session has ended. */
  close(): void {
    this.#linger?.cancel();
    this.#renew?.cancel();
    this.#viewers.clear();
    this.#state = 'idle';
    this.#parts.remove(this.#parts.directory);
  }

  /** Requests the stream again, because the restarted engine has no state. */
  engineRestarted(): void {
    if (this.#state !== 'idle') this.#ask();
  }

  event(event: LiveStreamEvent): void {
    if (this.#state === 'idle') return;
    if (event.type === 'segment') {
      this.#failures = 0;
      for (const file of this.#playlist.add(event)) this.#parts.remove(join(this.#directory, file));
      this.#become('live');
      return;
    }
    this.#parts.failed(event.why);
    if (++this.#failures > FAILURES_UNSEEN || this.#playlist.isEmpty) this.#become('failed');
  }

  #become(state: State): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const { participant } of this.#viewers.values()) this.inform(participant);
  }

  /** Sends the current state to a viewer. */
  inform({ id, link }: Participant): void {
    const viewer = this.#viewers.get(id);
    if (!viewer) return;
    const state = this.#state === 'idle' ? 'starting' : this.#state;
    const message: ServerMessage = { type: 'broadcast', state };
    link?.send(state === 'live' ? { ...message, url: viewer.address } : message);
  }

  #renewLater(): Timer {
    return this.#parts.clock.after(RENEW_MS, () => {
      for (const viewer of this.#viewers.values()) {
        viewer.address = this.#parts.addressFor(viewer.participant);
        this.inform(viewer.participant);
      }
      this.#renew = this.#renewLater();
    });
  }

  /** Undefined if the viewer has left, or there are no segments. */
  playlistFor(viewerId: string): string | undefined {
    return this.#viewers.has(viewerId) && !this.#playlist.isEmpty ? this.#playlist.text : undefined;
  }

  /** Returns the path of a segment, and counts it as watched. Undefined if there is none for this viewer. */
  segmentFor(viewerId: string, file: string): string | undefined {
    const viewer = this.#viewers.get(viewerId);
    const found = this.#playlist.find(file);
    if (!viewer || !found) return undefined;
    if (found.number > viewer.watched) {
      viewer.watched = found.number;
      viewer.participant.usage.addWatched(found.durationMs);
    }
    return join(this.#directory, file);
  }
}
