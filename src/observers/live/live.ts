/**
 * Live events for those who watch calls: every project has a feed of its own (`feed.ts`) while somebody reads it, made of
 * the journal as it is written (`live-calls.ts`) and of the broadcasts whose calls go on.
 *
 * Invariants
 *  - a project sees its own calls and broadcasts;
 *  - calls never wait: an entry costs a look-up, and where somebody watches its project one line of text.
 */
import type { Clock, Timer } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json.ts';
import type { CallRecord, JournalEntry } from '../../runtime/journal.ts';
import { type LiveEvent, LiveFeed, type LiveReader, type ReaderOptions } from './feed.ts';
import { LiveCalls, type LiveStep } from './live-calls.ts';

export interface LiveEvents {
  /** Called with every entry after its commit; `record` is the call after the entry. */
  observe(entry: JournalEntry, record: CallRecord): void;
  /** Where a live call is. */
  stepOf(callId: string): LiveStep | undefined;
  /** The function that it returns ends the reading; undefined: there are too many readers. */
  open(projectId: string, reader: LiveReader, options: ReaderOptions): (() => void) | undefined;
  /** From now on readers get what happens on the other nodes, too. */
  followOthers(follow: FollowOthers): void;
  /** Ends all reading, for good. */
  close(): void;
}

/** Where the events of other nodes go. */
export interface FollowedEvents {
  event(event: LiveEvent): void;
  /** Some may have been missed, as those before the beginning. */
  gap(): void;
}

/** Port: the events of a project on other nodes, until the function that it returns is called. */
export type FollowOthers = (projectId: string, to: FollowedEvents) => () => void;

export interface LiveParts {
  clock: Clock;
  /** How a broadcast stands, in the words of the API; `ended`: it is over. Undefined: there is none any more. */
  broadcast(projectId: string, broadcastId: string): Promise<(JsonObject & { ended?: string }) | undefined>;
}

interface Followed {
  readers: number;
  idle: Timer | undefined;
  stop(): void;
}

const MAX_READERS = 256;
const MAX_READERS_PER_PROJECT = 32;
/** A reader that comes back soon has missed nothing of other nodes. */
const FOLLOWED_ON_MS = 60_000;
/** Between two looks at a broadcast. */
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

  /** From the first call that somebody sees until it is over, or nobody watches any more. */
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

  /** While somebody reads who is not a node. */
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
