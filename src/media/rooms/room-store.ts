/** Port: rooms. Implemented in `store/`; the contract suite is `test/contracts/store/room-store.ts`. */
import type { VideoRoom } from './room.ts';

export interface RoomPage {
  rooms: VideoRoom[];
  /** Present if there are more. */
  next?: number;
}

export interface RoomStore {
  /** Durable on return. False if the project has a room with this id, meeting id or PIN. */
  create(room: VideoRoom): boolean;
  /** False if the room does not exist. */
  replace(room: VideoRoom): boolean;
  remove(projectId: string, roomId: string): boolean;
  find(projectId: string, roomId: string): VideoRoom | undefined;
  withPin(projectId: string, pin: string): VideoRoom | undefined;
  /** Lists rooms of a project, or of all, in the order of creation, starting after `after`. */
  list(query: { projectId?: string; limit: number; after?: number }): RoomPage;
}
