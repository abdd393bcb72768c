/**
 * What the audience of one session sees: a live stream that the engine makes while somebody watches.
 *
 * Invariants
 *  - the engine is asked for it when the first viewer is in, and no more a moment after the last one has left;
 *  - viewers receive its address as soon as there is something to see, and each its own one;
 *  - a viewer who is gone gets nothing more of it.
 */
import { join } from 'node:path';
import type { ServerMessage } from '../../../client/messages.d.ts';
import type { Clock, Timer } from '../../core/clock.ts';
import type { Participant } from '../participant.ts';
import type { BroadcastEvent, EngineCommand } from '../sfu.ts';
import { Playlist } from './playlist.ts';

export interface BroadcastParts {
  clock: Clock;
  /** Of the session. */
  directory: string;
  /** To the engine. */
  send(command: EngineCommand): void;
  /** A new one, which is good for `LINK_MS`. */
  addressFor(participant: Participant): string;
  /** What cannot be seen, and why: for the log. */
  failed(why: string): void;
  /** Of files and folders. */
  remove(path: string): void;
}

/** `starting`: it is not there yet; `failed`: it cannot be made, which is tried again. */
type State = 'idle' | 'starting' | 'live' | 'failed';

/** Somebody may come back, or come next. */
export const LINGER_MS = 30_000;
export const LINK_MS = 6 * 3_600_000;
const RENEW_MS = 5 * 3_600_000;
/** One that is killed is back before players have nothing left. */
const FAILURES_UNSEEN = 1;

interface Viewer {
  participant: Participant;
  address: string;
  /** The last segment that was fetched. */
  watched: number;
}

export class Broadcast {
  readonly #parts: BroadcastParts;
  readonly #viewers = new Map<string, Viewer>();
  #state: State = 'idle';
  #playlist = new Playlist();
  #directory = '';
  #starts = 0;
  #failures = 0;
  #linger: Timer | undefined;
  #renew: Timer | undefined;

  constructor(parts: BroadcastParts) {
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
    this.#parts.send({ type: 'broadcast', directory: this.#directory });
  }

  #end(): void {
    this.#state = 'idle';
    this.#parts.send({ type: 'broadcast', directory: undefined });
    this.#parts.remove(this.#directory);
  }

  /** The session is over. */
  close(): void {
    this.#linger?.cancel();
    this.#renew?.cancel();
    this.#viewers.clear();
    this.#state = 'idle';
    this.#parts.remove(this.#parts.directory);
  }

  /** The engine runs again, and knows nothing. */
  engineRestarted(): void {
    if (this.#state !== 'idle') this.#ask();
  }

  event(event: BroadcastEvent): void {
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

  /** What there is to see now. */
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

  /** Undefined: the viewer is gone, or there is nothing. */
  playlistFor(viewerId: string): string | undefined {
    return this.#viewers.has(viewerId) && !this.#playlist.isEmpty ? this.#playlist.text : undefined;
  }

  /** The path of a file, which is counted as watched; undefined: there is none for this viewer. */
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
