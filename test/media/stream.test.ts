/** Streams against a real WebSocket server on loopback. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { systemClock } from '../../src/base/core/clock.ts';
import type { Fault } from '../../src/base/core/fault.ts';
import type { Json, JsonObject } from '../../src/base/core/json.ts';
import { StreamClient } from '../../src/media/telephony/media/stream-client.ts';

const FRAME = new Uint8Array(160).fill(0x55);

let server: Server;
let sockets: WebSocketServer;
let url: string;
let client: StreamClient | undefined;

beforeEach(async () => {
  server = createServer();
  sockets = new WebSocketServer({ server });
  server.listen(0, '127.0.0.66');
  await once(server, 'listening');
  url = `ws://127.0.0.66:${(server.address() as AddressInfo).port}/calls?token=x`;
});
afterEach(async () => {
  client?.stop();
  client = undefined;
  for (const socket of sockets.clients) socket.terminate();
  sockets.close();
  server.close();
  server.closeAllConnections();
});

/** Events of a client, in order; `until` waits for one of a kind. */
function start(
  options: {
    url?: string;
    bidirectional?: boolean;
    lookup?: ConstructorParameters<typeof StreamClient>[0]['lookup'];
  } = {},
) {
  const told: { type: string; bytes?: Uint8Array; reason?: string; fault?: Fault | undefined }[] = [];
  const waiting: (() => void)[] = [];
  const tell = (event: (typeof told)[number]): void => {
    told.push(event);
    for (const wake of waiting.splice(0)) wake();
  };
  client = new StreamClient({
    request: {
      streamId: 's-1',
      url: options.url ?? url,
      tracks: ['inbound', 'outbound'],
      bidirectional: options.bidirectional ?? false,
      start: { voice_id: 'v', from: '+4930123', to: '+4930456' },
    },
    clock: systemClock,
    lookup: options.lookup,
    opened: () => tell({ type: 'opened' }),
    sound: (bytes) => tell({ type: 'sound', bytes }),
    clear: () => tell({ type: 'clear' }),
    ended: (result) => tell({ type: 'ended', ...result }),
  });
  const until = async (type: string) => {
    for (;;) {
      const found = told.find((event) => event.type === type);
      if (found) return found;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  return { client, told, until };
}

/** Receiver: the messages that it gets, as they arrive. */
async function receiver(): Promise<{
  socket: WebSocket;
  messages: JsonObject[];
  until(count: number): Promise<JsonObject[]>;
}> {
  const [socket] = (await once(sockets, 'connection')) as [WebSocket];
  const messages: JsonObject[] = [];
  let wake = (): void => {};
  socket.on('message', (data) => {
    messages.push(JSON.parse(String(data)) as JsonObject);
    wake();
  });
  const until = async (count: number): Promise<JsonObject[]> => {
    while (messages.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return messages;
  };
  return { socket, messages, until };
}

describe('a stream', () => {
  it('sends `connected`, `start_media` with the call, numbered frames, and `stop_media`', async () => {
    const far = receiver();
    const stream = start();
    await stream.until('opened');
    stream.client.frame('inbound', FRAME);
    stream.client.frame('outbound', FRAME);
    stream.client.frame('inbound', FRAME);
    stream.client.stop();
    const messages = await (await far).until(6);
    const media = (seq: number, timestamp: number, track: string): Json => ({
      event: 'media',
      media: { seq, timestamp, track, payload: Buffer.from(FRAME).toString('base64') },
    });
    expect(messages).toEqual([
      { event: 'connected' },
      {
        event: 'start_media',
        stream_id: 's-1',
        start: {
          voice_id: 'v',
          from: '+4930123',
          to: '+4930456',
          tracks: ['inbound', 'outbound'],
          format: { encoding: 'ulaw', sample_rate: 8000, channels: 1 },
        },
      },
      media(1, 0, 'inbound'),
      media(2, 0, 'outbound'),
      media(3, 20, 'inbound'),
      { event: 'stop_media', stream_id: 's-1', dropped: 0 },
    ]);
    expect(stream.told.map(({ type }) => type)).toEqual(['opened']);
  });

  it('accepts only `media` and `clear_media` when bidirectional', async () => {
    const far = receiver();
    const stream = start({ bidirectional: true });
    const { socket } = await far;
    const nonsense = [
      '',
      '[]',
      '{"event":"media"}',
      '{"event":"media","media":{"payload":7}}',
      '{"event":"hangup"}',
      '"x"',
      'null',
    ];
    for (const text of nonsense) socket.send(text);
    socket.send(Buffer.from('{"event":"clear_media"}'), { binary: true });
    socket.send(JSON.stringify({ event: 'media', media: { payload: Buffer.from(FRAME).toString('base64') } }));
    socket.send('{"event":"clear_media"}');
    await stream.until('clear');
    expect(stream.told.slice(1)).toEqual([{ type: 'sound', bytes: FRAME }, { type: 'clear' }]);
  });

  it('ignores the messages of the receiver when unidirectional', async () => {
    const far = receiver();
    const stream = start();
    const { socket } = await far;
    socket.send('{"event":"clear_media"}');
    socket.close();
    expect(await stream.until('ended')).toMatchObject({ reason: 'far' });
    expect(stream.told.map(({ type }) => type)).toEqual(['opened', 'ended']);
  });

  it('drops the oldest frames for a receiver that does not read, and counts them', async () => {
    const far = receiver();
    const stream = start();
    const { socket, messages, until } = await far;
    await stream.until('opened');
    const tcp = (socket as unknown as { _socket: Socket })._socket;
    tcp.pause();
    const frames = 60_000;
    for (let index = 0; index < frames; index++) {
      stream.client.frame('inbound', FRAME);
      if (index % 500 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    }
    expect(stream.client.dropped).toBeGreaterThan(1000);
    tcp.resume();
    await until(100);
    stream.client.frame('inbound', FRAME);
    stream.client.stop();
    await once(socket, 'close');
    const last = messages.at(-1)!;
    expect(last).toEqual({ event: 'stop_media', stream_id: 's-1', dropped: stream.client.dropped });
    const seqs = messages.flatMap(({ media }) => (media ? [Number((media as JsonObject)['seq'])] : []));
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    expect(seqs.at(-1)!).toBeLessThanOrEqual(frames + 1);
    expect(seqs.length + stream.client.dropped).toBeLessThanOrEqual(frames + 1);
  });

  it('fails at once if no server answers', async () => {
    const port = (server.address() as AddressInfo).port;
    sockets.close();
    server.close();
    await once(server, 'close');
    const stream = start({ url: `ws://127.0.0.66:${port}/` });
    const ended = await stream.until('ended');
    expect(ended).toMatchObject({ reason: 'failed', fault: { code: 'stream_failed', cause: 'ECONNREFUSED' } });
  });

  it('does not follow redirects', async () => {
    server.removeAllListeners('upgrade');
    server.on('upgrade', (_, socket) => {
      socket.end(`HTTP/1.1 302 Found\r\nLocation: ${url}\r\nContent-Length: 0\r\n\r\n`);
    });
    const stream = start();
    const { reason, fault } = await stream.until('ended');
    expect(reason).toBe('failed');
    expect(fault!.cause).toContain('302');
    expect(JSON.stringify(fault)).not.toContain('token');
  });

  it('fails on oversized messages', async () => {
    const far = receiver();
    const stream = start({ bidirectional: true });
    const { socket } = await far;
    socket.on('error', () => {});
    socket.send('x'.repeat(100_000));
    expect(await stream.until('ended')).toMatchObject({ reason: 'failed' });
  });

  it('uses the given resolver, which may refuse', async () => {
    const hosts: string[] = [];
    const stream = start({
      url: 'wss://streams.example/x',
      lookup: () => (host, _options, found) => {
        hosts.push(host);
        found(Object.assign(new Error('no'), { code: 'TARGET_REFUSED' }), '');
      },
    });
    expect(await stream.until('ended')).toMatchObject({ reason: 'failed', fault: { cause: 'TARGET_REFUSED' } });
    expect(hosts).toEqual(['streams.example']);
  });

  it('emits nothing more if it is stopped while it connects', async () => {
    const stream = start();
    stream.client.stop();
    stream.client.frame('inbound', FRAME);
    const next = receiver();
    const other = start();
    await other.until('opened');
    await next;
    expect(stream.told).toEqual([]);
  });
});

describe('the example receiver', () => {
  it('echoes all messages that it receives', async () => {
    const path = fileURLToPath(new URL('../../examples/11-streams/receiver.ts', import.meta.url));
    const child = spawn(process.execPath, [path, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [text] = (await once(child.stdout, 'data')) as [Buffer];
    const port = /port: (\d+)/.exec(String(text))![1];
    const stream = start({ url: `ws://127.0.0.1:${port}/`, bidirectional: true });
    await stream.until('opened');
    stream.client.frame('inbound', FRAME);
    expect(await stream.until('sound')).toEqual({ type: 'sound', bytes: FRAME });
    child.kill();
    await once(child, 'exit');
  });
});
