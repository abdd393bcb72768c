/**
 * Stream of server-sent events for an open page of the studio: people, saves and changed comments. It begins with the
 * current state. A page that reads too slowly is disconnected, and connects again.
 */
import type { Clock } from '../../base/core/clock.ts';
import { defined, type JsonObject } from '../../base/core/json.ts';
import type { FlowSave, StudioEvent, StudioPeople } from '../calls/studio/studio-people.ts';
import type { LiveReader } from '../observers/live/feed.ts';
import { iso } from './response-bodies.ts';

const HEARTBEAT_MS = 15_000;
const MAX_WAITING_BYTES = 64 * 2 ** 10;
const MAX_STREAMS = 256;
const RETRY = 'retry: 1000\n\n';

export interface StudioStreams {
  /** Returns a function that closes the stream. Undefined if too many streams are open. */
  open(reader: LiveReader): (() => void) | undefined;
  /** Ends all streams. */
  close(): void;
}

export function createStudioStreams({ people, clock }: { people: StudioPeople; clock: Clock }): StudioStreams {
  const opened = new Set<LiveReader>();
  return {
    open(reader) {
      if (opened.size >= MAX_STREAMS) return undefined;
      opened.add(reader);
      const send = (event: StudioEvent): void => {
        if (reader.waitingBytes > MAX_WAITING_BYTES) reader.end();
        else reader.send(`event: ${event.name}\ndata: ${JSON.stringify(dataOf(event))}\n\n`);
      };
      const beat = () =>
        clock.after(HEARTBEAT_MS, () => {
          reader.send(':\n\n');
          timer = beat();
        });
      let timer = beat();
      const leave = people.watch(send);
      reader.send(RETRY);
      send({ name: 'people', people: people.list() });
      for (const save of people.saves()) send({ name: 'saved', save });
      return () => {
        opened.delete(reader);
        timer.cancel();
        leave();
      };
    },
    close() {
      for (const reader of opened) reader.end();
    },
  };
}

function dataOf(event: StudioEvent): JsonObject {
  if (event.name === 'people') return { people: event.people.map((person) => ({ ...person })) };
  return event.name === 'saved' ? saveBody(event.save) : {};
}

const saveBody = ({ atMs, versionNumber, ...save }: FlowSave): JsonObject =>
  defined({ ...save, version_number: versionNumber, at: iso(atMs) });
