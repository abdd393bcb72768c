/** Clients of rooms over a real WebSocket, in place of a browser. */
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { JsonObject } from '../../src/base/core/json.ts';
import type { ApiRig } from './rig.ts';

export interface RoomClient {
  id: string;
  socket: WebSocket;
  received: JsonObject[];
  closed: Promise<number>;
  /** Resolves with the first message of this type, also one that was there before. */
  next(type: string): Promise<JsonObject>;
  say(message: JsonObject): void;
}

/** A new room. */
export async function roomOf(rig: ApiRig, settings: JsonObject = {}): Promise<string> {
  const order = { name: 'Daily', owner_ref: 'acme', settings };
  const { body } = await rig.request('POST', '/video/v2/rooms', order);
  return String((body['room'] as JsonObject)['room_id']);
}

/** Resolves with a participant who is in the session. */
export async function enterRoom(
  rig: ApiRig,
  roomId: string,
  role = 'participant',
  name: string = role,
): Promise<RoomClient> {
  const client = await comeToRoom(rig, roomId, role, name);
  const welcome = await client.next('welcome');
  return { ...client, id: String(welcome['id']) };
}

/** Resolves with a client that has knocked or joined, as its token allows. */
export async function comeToRoom(
  rig: ApiRig,
  roomId: string,
  role = 'participant',
  name: string = role,
  first: 'join' | 'look' = 'join',
): Promise<Omit<RoomClient, 'id'>> {
  const order = { name, role, user_ref: `ref of ${name}` };
  const { body } = await rig.request('POST', `/video/v2/rooms/${roomId}/tokens`, order);
  return connectToRoom(rig, { type: first, token: body['token']! });
}

/** Resolves with a client that has sent its first message. */
export async function connectToRoom(rig: ApiRig, first: JsonObject): Promise<Omit<RoomClient, 'id'>> {
  const socket = new WebSocket(`${rig.base.replace('http', 'ws')}/video/v2/connect`);
  const received: JsonObject[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data) => {
    received.push(JSON.parse(data.toString()) as JsonObject);
    for (const look of waiting) look();
  });
  socket.on('error', () => undefined);
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  onTestFinished(() => socket.terminate());
  const next = (type: string) =>
    new Promise<JsonObject>((resolve) => {
      const look = (): void => {
        const found = received.find((message) => message['type'] === type);
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const say = (message: JsonObject) => socket.send(JSON.stringify(message));
  await new Promise((resolve) => socket.once('open', resolve));
  say(first);
  return { socket, received, closed, next, say };
}
