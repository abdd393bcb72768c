/** Room 4: video rooms, made of the store, of the rooms that the configuration names, and of an engine. */
import { readRoom } from '../api/video/room-bodies.ts';
import type { Room, RoomDirectory } from '../calls/conferences/rooms.ts';
import { defined } from '../core/json.ts';
import type { VideoRoom } from '../rooms/room.ts';
import { createRoomTokens } from '../rooms/room-tokens.ts';
import { createRooms } from '../rooms/rooms.ts';
import { RoomSessions } from '../rooms/sessions.ts';
import { SimulatedRoomEngine } from '../rooms/simulated-engine.ts';
import type { Base } from './base.ts';
import type { Provisioning } from './provisioning.ts';
import type { Storage } from './storage.ts';

export type Video = ReturnType<typeof createVideo>;

export function createVideo(base: Base, { store }: Storage, { projects, rooms: named }: Provisioning) {
  const { clock, ids, log, random } = base;
  const secretOf = (projectId: string): string | undefined => projects.find(projectId)?.webhookSecret;
  const sessions = new RoomSessions({
    ...{ clock, ids, store: store.rooms, engine: new SimulatedRoomEngine() },
    details: store.callDetails,
    tokens: createRoomTokens({ store: store.rooms, clock, ids, secretOf }),
    happened: ({ confNum, room }, { type }) => log.info(`room.${type}`, { confNum, roomId: room.roomId }),
  });
  const rooms = createRooms({
    ...{ clock, ids, random, store: store.rooms, isActive: sessions.isActive },
    maxQuality: 'HD',
  });
  for (const { projectId, roomId, name, pin } of named) {
    const order = readRoom({ name, owner_ref: 'configuration', sip: { enabled: pin !== undefined } });
    rooms.seed(projectId, defined({ ...order, roomId, pin }));
  }
  return { rooms, sessions, callDetails: store.callDetails, forCalls: roomsForCalls(rooms) };
}

/** Rooms as telephones find them. */
function roomsForCalls(rooms: ReturnType<typeof createRooms>): RoomDirectory {
  const forCalls = (room: VideoRoom | undefined): Room | undefined =>
    room && defined<Room>({ roomId: room.roomId, projectId: room.projectId, name: room.name, pin: room.sip?.pin });
  return {
    find: (projectId, roomId) => forCalls(rooms.lookUp(projectId, roomId)),
    withPin: (projectId, pin) => forCalls(rooms.withPin(projectId, pin)),
  };
}
