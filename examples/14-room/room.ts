/**
 * Makes a video room, links for two people, and brings a telephone in over REST: the whole of an application, in one file.
 * Needs a running service; see README.md beside this file.
 */
export interface RoomOrder {
  /** Where the service listens: `http://127.0.0.1:8080`. */
  service: string;
  appId: string;
  appKey: string;
  /** The number that the telephone sees. */
  from: string;
  /** Whom to bring in by telephone; nobody when it is not given. */
  to?: string;
  print(line: string): void;
}

interface Person {
  name: string;
  role: 'moderator' | 'participant';
}

const PEOPLE: readonly Person[] = [
  { name: 'Ann', role: 'moderator' },
  { name: 'Ben', role: 'participant' },
];

/** Resolves with the id of the room. */
export async function openRoom({ service, appId, appKey, from, to, print }: RoomOrder): Promise<string> {
  const authorization = `Basic ${Buffer.from(`${appId}:${appKey}`).toString('base64')}`;

  async function post<Answer>(path: string, body: object): Promise<Answer> {
    const response = await fetch(service + path, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  // One session; when everybody has left, the room is gone.
  const { room } = await post<{ room: { room_id: string; sip: { pin: number } } }>('/video/v2/rooms', {
    name: 'Order 4711',
    owner_ref: '4711',
    settings: { adhoc: true, participants: 4 },
    sip: { enabled: true },
  });
  print(`room ${room.room_id}, PIN ${room.sip.pin} for those who dial in`);

  for (const { name, role } of PEOPLE) {
    const order = { name, role, user_ref: name.toLowerCase() };
    const { token } = await post<{ token: string }>(`/video/v2/rooms/${room.room_id}/tokens`, order);
    // Behind `#`: browsers send that part to nobody. For one person, once, within 15 minutes.
    print(`${name}: ${service}/room/${room.room_id}#${token}`);
  }

  if (to !== undefined) {
    const call = { name: 'order line', from, to };
    const { voice_id: id } = await post<{ voice_id: string }>(`/voice/v1/room/${room.room_id}/join`, call);
    print(`calling ${to} into the room: ${id}`);
  }
  return room.room_id;
}

if (import.meta.main) {
  const { APP_ID, APP_KEY, SERVICE = 'http://127.0.0.1:8080', FROM = '1000' } = process.env;
  if (!APP_ID || !APP_KEY) {
    console.error('APP_ID and APP_KEY are what `npm start` printed at its first start');
    process.exit(2);
  }
  const [to] = process.argv.slice(2);
  await openRoom({
    ...{ service: SERVICE, appId: APP_ID, appKey: APP_KEY, from: FROM },
    ...(to === undefined ? {} : { to }),
    print: (line) => console.log(line),
  });
}
