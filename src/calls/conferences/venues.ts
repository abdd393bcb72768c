/** The places where calls meet, put together. */
import type { Clock } from '../../core/clock.ts';
import type { Ids } from '../../core/ids.ts';
import type { Venues } from '../../runtime/venue.ts';
import { type Conferences, createConferences } from './conferences.ts';
import { createQueues, type Queues } from './queues.ts';
import { createRooms, type RoomDirectory, type Rooms } from './rooms.ts';

export interface CallVenues extends Venues {
  readonly conference: Conferences;
  readonly queue: Queues;
  readonly room: Rooms;
}

export function createVenues(parts: { clock: Clock; ids: Ids; rooms: RoomDirectory }): CallVenues {
  const { clock, ids, rooms } = parts;
  return {
    conference: createConferences({ clock, ids }),
    queue: createQueues({ clock }),
    room: createRooms({ clock, directory: rooms }),
  };
}
