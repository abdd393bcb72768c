/**
 * Live events for those who watch calls: every project has a feed of its own (`feed.ts`) while somebody reads it, made of
 * the journal as it is written (`live-calls.ts`) and of the broadcasts whose calls go on.
 *
 * Invariants
 *  - a project sees its own calls and broadcasts;
 *  - calls never wait: an entry costs a look-up, and where somebody watches its project one line of text.
 */
import type { Clock } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json.ts';
import type { CallRecord, JournalEntry } from '../../runtime/journal.ts';
import { LiveFeed, type LiveReader, type ReaderOptions } from './feed.ts';
import { LiveCalls, type LiveStep } from './live-calls.ts';

export interface LiveEvents {
  /** Called with every entry after its commit; `record` is the call after the entry. */
  observe(entry: JournalEntry, record: CallRecord): void;
  /** Where a live call is. */
  stepOf(callId: string): LiveStep | undefined;
  /** The function that it returns ends the reading; undefined: there are too many readers. */
  open(projectId: string, reader: LiveReader, options: ReaderOptions): (() => void) | undefined;
  /** Ends all reading, for good. */
  close(): void;
}

export interface LiveParts {
  clock: Clock;
  /** How a broadcast stands, in the words of the API; `ended`: it is over. Undefined: there is none any more. */
  broadcast(projectId: string, broadcastId: string): Promise<(JsonObject & { ended?: string }) | undefined>;
}

const MAX_READERS = 256;
const MAX_READERS_PER_PROJECT = 32;
/** Between two looks at a broadcast. */
const BROADCAST_MS = 1000;

export function createLiveEvents({ clock, broadcast }: LiveParts): LiveEvents {
  const calls = new LiveCalls();
  const feeds = new Map<string, LiveFeed>();
  const watchedBroadcasts = new Set<string>();
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
      return feedOf(projectId).open(reader, options);
    },
    close() {
      isClosed = true;
      for (const feed of feeds.values()) feed.close();
      feeds.clear();
    },
  };
}
