/** The client module without a browser: what it does when links break, networks come and go, and the service is silent. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { look, RoomClient, type Welcome } from '../../client/room-client.js';

type Listener = (event: { data: string }) => void;

/** A web socket whose other end is the test. */
class FakeSocket {
  static readonly OPEN = 1;
  static readonly CONNECTING = 0;
  static all: FakeSocket[] = [];
  static get last(): FakeSocket {
    return FakeSocket.all.at(-1)!;
  }
  readyState = 0;
  readonly sent: { type: string; [key: string]: unknown }[] = [];
  onopen: (() => void) | undefined;
  onclose: (() => void) | undefined;
  onmessage: Listener | undefined;

  readonly url: string;

  constructor(url: string) {
    this.url = url;
    FakeSocket.all.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.onclose?.();
  }

  opens(): this {
    this.readyState = 1;
    this.onopen?.();
    return this;
  }

  says(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  types(): string[] {
    return this.sent.map(({ type }) => type);
  }
}

const connections: { iceServers: unknown }[] = [];

interface Line {
  mid: string;
  direction: string;
  sender: { track: object | null; replaceTrack(track: object | null): Promise<void>; getParameters(): object };
}

/** Lines lose their layers when they are inactive, as those of Firefox do. */
class FakeConnection {
  static losesLayers = false;
  connectionState = 'new';
  readonly lines: Line[] = [];
  constructor(options: { iceServers: unknown }) {
    connections.push(options);
  }
  addTransceiver = (track: object, { sendEncodings = [{}] }: { sendEncodings?: object[] }): Line => {
    const sender: Line['sender'] = {
      track,
      async replaceTrack(other) {
        sender.track = other;
      },
      getParameters: () => ({ encodings }),
    };
    let encodings = sendEncodings;
    const line: Line = {
      mid: String(this.lines.length),
      sender,
      set direction(direction: string) {
        if (direction === 'inactive' && FakeConnection.losesLayers) encodings = encodings.slice(0, 1);
      },
    };
    this.lines.push(line);
    return line;
  };
  getTransceivers = () => this.lines;
  createOffer = async () => ({ type: 'offer', sdp: 'v=0' });
  setLocalDescription = async () => undefined;
  getStats = async () => new Map();
  close() {}
}

/** Names of the lines of each offer that was sent. */
const offered = (): unknown[] =>
  FakeSocket.last.sent.filter(({ type }) => type === 'pub.offer').map(({ sources }) => sources);

const WELCOME: Welcome = {
  ...{
    type: 'welcome',
    id: 'me',
    resume_key: 'key-1',
    role: 'participant',
    recording: false,
    captions: false,
    talking: [],
  },
  permissions: { publish: true, subscribe: true, record: false, stats: false, controlhandlers: false },
  room: { room_id: 'r', name: 'Room', conf_num: 'c', settings: {} },
  participants: [],
  ice_servers: [{ urls: ['turn:turn.example'], username: 'u', credential: 'c' }],
};

/** A client that has joined. */
async function entered(options: Partial<ConstructorParameters<typeof RoomClient>[0]> = {}) {
  const client = new RoomClient({ url: 'ws://service', ...options });
  const states: string[] = [];
  client.addEventListener('state', ({ detail }) => states.push(detail));
  const joined = client.join('a.b', { roomId: 'r' });
  FakeSocket.last.opens().says(WELCOME);
  await joined;
  return { client, states };
}

const later = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const online = (): boolean => events.dispatchEvent(new Event('online'));
let events: EventTarget;

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  connections.length = 0;
  events = new EventTarget();
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('RTCPeerConnection', FakeConnection);
  vi.stubGlobal('MediaStream', class {});
  vi.stubGlobal('addEventListener', events.addEventListener.bind(events));
  vi.stubGlobal('removeEventListener', events.removeEventListener.bind(events));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('a camera that is turned off and on again', () => {
  const camera = { getSettings: () => ({ width: 1280, height: 720 }) } as never;
  afterEach(() => {
    FakeConnection.losesLayers = false;
  });

  it.each([
    [false, { 0: 'video' }],
    [true, { 1: 'video' }],
  ])('is sent in all its layers (line loses them: %j)', async (losesLayers, sources) => {
    FakeConnection.losesLayers = losesLayers;
    const { client } = await entered();
    await client.publish({ video: camera });
    await client.publish({ video: null });
    await client.publish({ video: camera });
    expect(offered()).toEqual([{ 0: 'video' }, {}, sources]);
  });

  it('gets a new connection before an offer has too many lines', async () => {
    FakeConnection.losesLayers = true;
    const { client } = await entered();
    for (let times = 0; times < 33; times++) {
      await client.publish({ video: camera });
      await client.publish({ video: null });
    }
    expect(connections).toHaveLength(2);
  });
});

describe('a link that breaks', () => {
  it('is opened again, later and later, until the same person is in', async () => {
    const { client, states } = await entered();
    FakeSocket.last.close();
    await later(200);
    expect([FakeSocket.all.length, states]).toEqual([2, ['in', 'away']]);
    FakeSocket.last.close();
    await later(499);
    expect(FakeSocket.all).toHaveLength(2);
    await later(1);
    FakeSocket.last.opens();
    expect(FakeSocket.last.sent).toEqual([{ type: 'resume', resume_key: 'key-1' }]);
    FakeSocket.last.says({ ...WELCOME, resume_key: 'key-2' });
    await later(0);
    expect([states, client.resumeKey]).toEqual([['in', 'away', 'in'], 'key-2']);
    client.leave();
  });

  it('is given up after 30 s', async () => {
    const { client, states } = await entered();
    FakeSocket.last.close();
    for (let seconds = 0; seconds < 40; seconds++) {
      await later(1000);
      if (FakeSocket.last.readyState === 0) FakeSocket.last.close();
    }
    expect([states, client.reason]).toEqual([['in', 'away', 'over'], 'lost']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is over at once where the service does not know the person any more', async () => {
    const { client } = await entered();
    FakeSocket.last.close();
    await later(200);
    FakeSocket.last.opens().says({ type: 'error', code: 'not_known' });
    await later(0);
    expect([client.state, client.reason]).toEqual(['over', 'not_known']);
  });

  it('is noticed within 20 s when nothing is said any more', async () => {
    const { states } = await entered();
    await later(15_000);
    expect(FakeSocket.last.types()).toContain('ping');
    expect(states).toEqual(['in']);
    await later(4000);
    expect(states).toEqual(['in', 'away']);
  });

  it('stays while the service answers', async () => {
    const { states } = await entered();
    for (let times = 0; times < 10; times++) {
      await later(15_000);
      FakeSocket.last.says({ type: 'pong' });
    }
    expect([states, FakeSocket.all.length]).toEqual([['in'], 1]);
  });

  it('is tried at once when the browser has a network again', async () => {
    await entered();
    FakeSocket.last.close();
    await later(0);
    online();
    expect(FakeSocket.all).toHaveLength(2);
    await later(1000);
    expect(FakeSocket.all).toHaveLength(2);
  });

  it('is checked at once when the network has changed, and is quick to be replaced', async () => {
    const { states } = await entered();
    online();
    await later(4000);
    expect(states).toEqual(['in', 'away']);
  });
});

describe('before the join', () => {
  it.each([
    ['token_used', { type: 'error', code: 'token_used' }],
    ['denied', { type: 'denied' }],
    ['ended', { type: 'ended', reason: 'room_over' }],
  ])('ends on the event: %s', async (reason, message) => {
    const client = new RoomClient({ url: 'ws://service' });
    const joined = client.join('a.b');
    FakeSocket.last.opens().says(message);
    await expect(joined).rejects.toThrow(reason);
    expect([client.state, client.reason]).toEqual(['over', reason]);
  });

  it('ends if the service cannot be reached in time', async () => {
    const client = new RoomClient({ url: 'ws://service' });
    const joined = client.join('a.b').catch((error: Error) => error.message);
    await later(4000);
    expect(await joined).toBe('closed');
  });

  it('reads the room of a token without a join', async () => {
    const looked = look('ws://service', 'a.b', { roomId: 'r' });
    FakeSocket.last.opens();
    expect(FakeSocket.last.sent).toEqual([{ type: 'look', token: 'a.b', room_id: 'r' }]);
    FakeSocket.last.says({ type: 'invited', name: 'Ada' });
    expect(await looked).toEqual({ type: 'invited', name: 'Ada' });
    const refused = look('ws://service', 'a.b');
    FakeSocket.last.opens().says({ type: 'error', code: 'token_expired' });
    await expect(refused).rejects.toThrow('token_expired');
  });
});

describe('connections', () => {
  it('uses the servers of the service, or those of the page', async () => {
    const track = { kind: 'audio' } as never;
    const { client } = await entered();
    await client.publish({ audio: track });
    expect(connections[0]!.iceServers).toEqual(WELCOME.ice_servers);
    const other = await entered({ iceServers: [] });
    await other.client.publish({ audio: track });
    expect(connections[1]!.iceServers).toEqual([]);
  });
});
