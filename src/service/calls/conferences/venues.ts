/** Creates the conferences, queues and rooms of this node. */
import type { Clock } from '../../../base/core/clock.ts';
import type { Ids } from '../../../base/core/ids.ts';
import { type Conference, Conferences } from './conferences.ts';
import { Queues } from './queues.ts';
import { type RoomDirectory, type RoomDoor, RoomVenue } from './room-phones.ts';

export type CallVenues = ReturnType<typeof createVenues>;

interface VenuesParts {
  clock: Clock;
  ids: Ids;
  rooms: RoomDirectory;
  /** Absent: every caller is admitted to a room. */
  door?: RoomDoor;
  /** Called for each conference created here. */
  conferenceOpened?(conference: Conference): void;
}

export const createVenues = ({ clock, ids, rooms, door, conferenceOpened: opened }: VenuesParts) => ({
  conference: new Conferences({ clock, ids, ...(opened ? { opened } : {}) }),
  queue: new Queues({ clock }),
  room: new RoomVenue({ clock, directory: rooms, ...(door ? { door } : {}) }),
});
