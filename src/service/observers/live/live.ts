/**
 * Live events: a project has a feed (`feed.ts`) while there are readers, filled from the journal as it is written
 * (`live-calls.ts`) and from the broadcasts with live calls.
 *
 * Invariants
 *  - A project sees only its own calls and broadcasts.
 *  - Calls never wait: an entry costs a look-up, and one line of text if its project has readers.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { JsonObject } from '../../../base/core/json.ts';
import type { CallRecord, JournalEntry } from '../../runtime/journal.ts';
import { type LiveEvent, LiveFeed, type LiveReader, type ReaderOptions } from './feed.ts';
import { LiveCalls, type LiveStep } from './live-calls.ts';

export interface LiveEvents {
  /** Called with every entry after its commit; `record` is the call after the entry. */
  observe(entry: JournalEntry, record: CallRecord): void;
  /** Current step of a live call. */
  stepOf(callId: string): LiveStep | undefined;
  /** Returns a function that closes the reader. Undefined if there are too many readers. */
  open(projectId: string, reader: LiveReader, options: ReaderOptions): (() => void) | undefined;
  /** Adds the events of the other nodes. */
  followOthers(follow: FollowOthers): void;
  /** Closes all readers permanently. */
  close(): void;
}

/** Sink for the events of other nodes. */
export interface FollowedEvents {
  event(event: LiveEvent): void;
  /** Called if events may have been missed, as those before the start. */
  gap(): void;
}

/** Port: events of a project on other nodes, until the returned function is called. */
export type FollowOthers = (projectId: string, to: FollowedEvents) => () => void;

export interface LiveParts {
  clock: Clock;
  /** State of a broadcast in the format of the API; `ended` is set if it is over. Undefined if it no longer exists. */
  broadcast(projectId: string, broadcastId: string): Promise<(JsonObject & { ended?: string }) | undefined>;
}

interface Followed {
  readers: number;
  idle: Timer | undefined;
  stop(): void;
}

const MAX_READERS = 256;
const MAX_READERS_PER_PROJECT = 32;
/** A reader that reconnects within this time has missed no event of other nodes. */
const FOLLOWED_ON_MS = 60_000;
/** Interval at which a broadcast is polled. */
const BROADCAST_MS = 1000;

export function createLiveEvents({ clock, broadcast }: LiveParts): LiveEvents {
  const calls = new LiveCalls();
  const feeds = new Map<string, LiveFeed>();
  const watchedBroadcasts = new Set<string>();
  const followed = new Map<string, Followed>();
  let follow: FollowOthers | undefined;
  let isClosed = false;

  const feedOf = (projectId: string): LiveFeed => {
    const known = feeds.get(projectId);
    if (known) return known;
    const feed = new LiveFeed(clock, () => feeds.delete(projectId));
    feeds.set(projectId, feed);
    return feed;
  };

  /** Polls a broadcast from the first call seen by a reader until it is over, or there are no readers. */
  function watchBroadcast(projectId: string, broadcastId: string): void {
    if (watchedBroadcasts.has(broadcastId)) return;
    watchedBroadcasts.add(broadcastId);
    let last = '';
    const look = async (): Promise<void> => {
      const data = feeds.get(projectId)?.readers ? await broadcast(projectId, broadcastId) : undefined;
      const feed = feeds.get(projectId);
      if (!feed || !data) return void watchedBroadcasts.delete(broadcastId);
      const text = JSON.stringify(data);
      if (text !== last) feed.add({ name: 'broadcast', data });
      last = text;
      if (data.ended === undefined) clock.after(BROADCAST_MS, () => void look());
      else watchedBroadcasts.delete(broadcastId);
    };
    clock.after(BROADCAST_MS, () => void look());
  }

  /** Follows other nodes while there is a reader that is not a node. */
  function followFor(projectId: string): () => void {
    if (!follow) return () => undefined;
    const known = followed.get(projectId);
    known?.idle?.cancel();
    const own: Followed = known ?? {
      readers: 0,
      idle: undefined,
      stop: follow(projectId, {
        event: (event) => feeds.get(projectId)?.add(event, true),
        gap: () => feeds.get(projectId)?.add({ name: 'reset', data: {} }, true),
      }),
    };
    own.readers += 1;
    followed.set(projectId, own);
    return () => {
      own.readers -= 1;
      if (own.readers > 0 || isClosed) return;
      own.idle = clock.after(FOLLOWED_ON_MS, () => {
        own.stop();
        followed.delete(projectId);
      });
    };
  }

  return {
    observe(entry, record) {
      const makeEvent = calls.follow(entry, record);
      const feed = makeEvent && feeds.get(record.projectId);
      if (!feed) return;
      feed.add(makeEvent());
      if (record.broadcastId !== undefined && feed.readers > 0) watchBroadcast(record.projectId, record.broadcastId);
    },
    stepOf: (callId) => calls.stepOf(callId),
    open(projectId, reader, options) {
      const all = [...feeds.values()].reduce((sum, { readers }) => sum + readers, 0);
      const own = feeds.get(projectId)?.readers ?? 0;
      if (isClosed || all >= MAX_READERS || own >= MAX_READERS_PER_PROJECT) return undefined;
      const close = feedOf(projectId).open(reader, options);
      if (options.isNode) return close;
      const leave = followFor(projectId);
      return () => {
        close();
        leave();
      };
    },
    followOthers(by) {
      follow = by;
    },
    close() {
      isClosed = true;
      for (const { stop, idle } of followed.values()) {
        idle?.cancel();
        stop();
      }
      for (const feed of feeds.values()) feed.close();
      feeds.clear();
    },
  };
}
