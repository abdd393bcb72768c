/** A room, and a rooms service without media, in virtual time. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerMessage, ServerMessages } from '../../client/messages.d.ts';
import { countingIds, type Ids, seededRandom } from '../../src/base/core/ids.ts';
import { defined, type Json, type JsonObject } from '../../src/base/core/json.ts';
import type { UsedTokens } from '../../src/base/core/single-use-tokens.ts';
import { compileCheck } from '../../src/base/schema/compile-check.ts';
import { readSchema } from '../../src/base/schema/schema-files.ts';
import type { Archives } from '../../src/media/rooms/archive/archives.ts';
import type { ClientLink } from '../../src/media/rooms/client-link.ts';
import { LiveStreams } from '../../src/media/rooms/live-stream/live-streams.ts';
import type { RoomRole, VideoRoom } from '../../src/media/rooms/room.ts';
import { createRoomTokens } from '../../src/media/rooms/room-tokens.ts';
import { createRooms } from '../../src/media/rooms/rooms.ts';
import { RoomSessions, type SessionsParts } from '../../src/media/rooms/sessions.ts';
import { SimulatedRoomEngine } from '../../src/media/rooms/simulated-engine.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { readRoom } from '../../src/service/api/video/room-bodies.ts';
import type { Store } from '../../src/service/store/store.ts';
import { createMemoryStore } from '../memory-store.ts';

export const newRoom = (settings: JsonObject = {}, more: JsonObject = {}) =>
  readRoom({ name: 'Daily', owner_ref: 'acme', settings, ...more });

export const ROOM: VideoRoom = {
  roomId: 'a',
  projectId: 'shop',
  name: 'Daily',
  ownerRef: 'acme',
  settings: { quality: 'HD', ...newRoom().settings },
  createdMs: 1000,
};

const { $defs: serverMessages } = readSchema('rooms/server') as { $defs: Record<string, JsonObject> };

const checks = new Map(
  Object.keys(serverMessages).map((type) => [type, compileCheck({ $defs: serverMessages, $ref: `#/$defs/${type}` })]),
);
/** One message goes to many. */
const checked = new WeakSet<ServerMessage>();

/** Throws if a message of the service does not match `schemas/rooms/server.schema.json`. */
function checkServerMessage(message: ServerMessage): void {
  if (checked.has(message)) return;
  checked.add(message);
  const check = checks.get(message.type);
  const problem = check ? check(message) : 'is not described';
  if (problem !== undefined) throw new Error(`${message.type}: ${problem}: ${JSON.stringify(message)}`);
}

/** At which clients are connected. */
export const SERVER_ADDRESS = '192.0.2.1';

/** Client controlled by a test: every message to it must match the schema. */
export class TestClient {
  readonly received: ServerMessage[] = [];
  isClosed = false;
  #link!: ClientLink;

  constructor(sessions: RoomSessions) {
    this.#link = sessions.connect({
      serverAddress: SERVER_ADDRESS,
      send: (message) => {
        checkServerMessage(message);
        this.received.push(message);
      },
      close: () => {
        this.isClosed = true;
        this.#link.closed();
      },
    });
  }

  say(message: Json): this {
    this.#link.message(typeof message === 'string' ? message : JSON.stringify(message));
    return this;
  }

  /** The link breaks, or its page is closed. */
  break(isGone = false): void {
    this.#link.closed(isGone);
  }

  of<Type extends ServerMessage['type']>(type: Type): ServerMessages[Type][] {
    return this.received.filter((message): message is ServerMessages[Type] => message.type === type);
  }

  last<Type extends ServerMessage['type']>(type: Type): ServerMessages[Type] | undefined {
    return this.of(type).at(-1);
  }

  get id(): string {
    return String(this.last('welcome')?.id);
  }

  get types(): string[] {
    return this.received.map(({ type }) => type);
  }
}

export interface RoomRigOptions
  extends Partial<Pick<SessionsParts, 'iceServers' | 'recordings' | 'sound' | 'audienceProblem' | 'recognizer'>> {
  /** Default: the used tokens of the rig's store. */
  usedTokens?: UsedTokens;
  /** Receiver of all session events, as in the app. */
  archivesOf?(parts: { clock: VirtualClock; ids: Ids; store: Store }): Archives;
}

export function roomRig({ iceServers = [], archivesOf, usedTokens, ...more }: RoomRigOptions = {}) {
  const clock = new VirtualClock();
  const ids = countingIds();
  const store = createMemoryStore();
  const engine = new SimulatedRoomEngine();
  const told: { confNum: string; type: string }[] = [];
  const secretsOf = (projectId: string) => (projectId === 'shop' || projectId === 'other' ? [`of ${projectId}`] : []);
  const tokens = createRoomTokens({ used: usedTokens ?? store.usedTokens, clock, ids, secretsOf });
  const archives = archivesOf?.({ clock, ids, store });
  const liveStreams: LiveStreams = new LiveStreams({
    ...{ clock, ids, secretsOf, log: { warn: () => undefined } },
    directory: join(tmpdir(), 'callweave-no-broadcasts'),
    command: (confNum, command) => sessions.command(confNum, command),
  });
  const sessions: RoomSessions = new RoomSessions({
    ...{ clock, ids, engine, tokens, iceServers, store: store.rooms, details: store.callDetails, ...more },
    onEvent(session, event) {
      told.push({ confNum: session.confNum, type: event.type });
      archives?.record(session, event);
      liveStreams.record(session, event);
    },
    resumed: (session, participant) => liveStreams.resumed(session, participant),
    onTimelineEvent: (session, event) => archives?.record(session, event),
  });
  void engine.start({
    event(confNum, event) {
      archives?.engineEvent(confNum, event);
      liveStreams.engineEvent(confNum, event);
      sessions.event(confNum, event);
    },
    restarted() {
      archives?.engineRestarted();
      sessions.engineRestarted();
      liveStreams.engineRestarted();
    },
  });
  const rooms = createRooms({
    ...{ clock, ids, store: store.rooms, random: seededRandom(1), isActive: sessions.isActive },
    removed: (projectId, roomId) => sessions.end(projectId, roomId, 'room_over'),
    maxQuality: 'HD',
  });
  let users = 0;
  return {
    ...{ clock, engine, rooms, sessions, liveStreams, store, tokens, told },
    room: (settings: JsonObject = {}, more: JsonObject = {}) => rooms.create('shop', newRoom(settings, more)),
    token({ roomId }: VideoRoom, role: RoomRole = 'participant', name = `user ${++users}`): string {
      return sessions.issueToken('shop', defined({ roomId, role, name, userRef: name }));
    },
    /** A connected client that has not sent a message. */
    client: () => new TestClient(sessions),
    join(room: VideoRoom, role: RoomRole = 'participant', name?: string): TestClient {
      return new TestClient(sessions).say({ type: 'join', token: this.token(room, role, name) });
    },
  };
}
