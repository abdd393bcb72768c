/** Port: rooms. Implemented in `store/`; the contract suite is `contracts/store/room-store.ts`. */
import type { VideoRoom } from './room.ts';

export interface RoomPage {
  rooms: VideoRoom[];
  /** Present while there are more. */
  next?: number;
}

export interface RoomStore {
  /** Durable when they return. False: there is a room of this id in the project, or one with this meeting id or PIN. */
  create(room: VideoRoom): boolean;
  /** False: there is none. */
  replace(room: VideoRoom): boolean;
  remove(projectId: string, roomId: string): boolean;
  find(projectId: string, roomId: string): VideoRoom | undefined;
  withPin(projectId: string, pin: string): VideoRoom | undefined;
  /** Of a project, or of all; in the order in which they were made, from after `after` on. */
  list(query: { projectId?: string; limit: number; after?: number }): RoomPage;
}
