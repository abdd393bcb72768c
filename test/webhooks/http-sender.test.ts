import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { WebhookDispatcher } from '../../src/service/observers/webhooks/dispatcher.ts';
import { httpSender, type SendResult } from '../../src/service/observers/webhooks/http-sender.ts';
import { deliveryOf, writeOf } from '../contracts/store/call-fixtures.ts';
import { createMemoryStore } from '../memory-store.ts';
import { SECRET } from './rig.ts';

interface Received {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An application that receives events: its requests, and the answers it gives. */
async function receiver(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const onRequest: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      received.push({ method: request.method!, path: request.url!, headers, body: Buffer.concat(chunks).toString() });
      answer(response, request);
    });
  };
  return { url: await listen(createServer(onRequest)), received };
}

/** A socket that is not a web server. */
async function rawReceiver(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
  });
  return listen(
    createTcpServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      onConnection(socket);
    }),
  );
}

async function attempt(url: string, timeoutMs = 3000): Promise<SendResult> {
  const sender = httpSender({ privateTargets: 'loopback' }, { clock: systemClock, timeoutMs, connections: 2 });
  closers.push(() => sender.close());
  return sender.send({ url, headers: { 'webhook-id': 'x' }, body: '{"a":1}' });
}

describe('one attempt to deliver', () => {
  it('posts JSON and reads the answer', async () => {
    const { url, received } = await receiver((response) => response.end('{"hangup":true}'));
    expect(await attempt(`${url}/events?x=1#frag`)).toEqual({ status: 200, body: { text: '{"hangup":true}' } });
    expect(received).toMatchObject([
      {
        method: 'POST',
        path: '/events?x=1',
        body: '{"a":1}',
        headers: { 'content-type': 'application/json', 'content-length': '7', 'webhook-id': 'x' },
      },
    ]);
    expect(received[0]!.headers['authorization']).toBeUndefined();
  });

  it('sends user and password of the URL as Basic credentials', async () => {
    const { url, received } = await receiver((response) => response.end());
    await attempt(url.replace('http://', 'http://al%20ice:p%40ss@'));
    expect(received[0]!.headers['authorization']).toBe(`Basic ${Buffer.from('al ice:p@ss').toString('base64')}`);
  });

  it('does not follow redirects', async () => {
    const target = await receiver((response) => response.end());
    const { url } = await receiver((response) => response.writeHead(307, { location: target.url }).end());
    expect(await attempt(url)).toMatchObject({ status: 307 });
    expect(target.received).toEqual([]);
  });

  it('reads at most 64 kB of an answer, however long it is', async () => {
    let written = 0;
    const { url } = await receiver((response) => {
      const chunk = Buffer.alloc(65_536, 'x');
      const more = (): void => {
        while (!response.destroyed && written < 1_000_000_000) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      more();
    });
    expect(await attempt(url)).toEqual({ status: 200, body: { unread: 'too_large' } });
    expect(written).toBeLessThan(20_000_000);
  });

  it('accepts an answer of exactly 64 kB', async () => {
    const { url } = await receiver((response) => response.end('x'.repeat(65_536)));
    expect(await attempt(url)).toEqual({ status: 200, body: { text: 'x'.repeat(65_536) } });
  });

  it('fails with timeout when a receiver does not answer', async () => {
    const { url } = await receiver(() => undefined);
    expect(await attempt(url, 100)).toEqual({ failure: 'timeout' });
  });

  it('cuts off a body that never ends, and keeps the status', async () => {
    const { url } = await receiver((response) => response.write('{'));
    expect(await attempt(url, 200)).toEqual({ status: 200, body: { unread: 'broken_off' } });
  });

  it('reports a receiver that is down as `connection_refused`', async () => {
    const url = await rawReceiver(() => undefined);
    for (const close of closers.splice(0).reverse()) await close();
    expect(await attempt(url)).toEqual({ failure: 'connection_refused' });
  });

  it.each<[string, (socket: Socket) => void, string]>([
    ['resets the connection', (socket) => socket.resetAndDestroy(), 'connection_reset'],
    ['closes it without a word', (socket) => socket.once('data', () => socket.end()), 'connection_reset'],
    [
      'speaks another language',
      (socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.9\r\n')),
      'bad_response',
    ],
    [
      'sends endless headers',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        socket.once('data', () => socket.write(`x-rubbish: ${'x'.repeat(1_000_000)}\r\n\r\n`));
      },
      'bad_response',
    ],
    [
      'lies about the length',
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n')),
      'bad_response',
    ],
  ])('survives a receiver that %s', async (_, onConnection, failure) => {
    expect(await attempt(await rawReceiver(onConnection))).toEqual({ failure });
  });

  it('keeps the status of an answer that breaks off', async () => {
    const url = await rawReceiver((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"hang'));
    });
    expect(await attempt(url)).toEqual({ status: 200, body: { unread: 'broken_off' } });
  });

  it('reads an answer that is not text as text', async () => {
    const { url } = await receiver((response) => response.end(Buffer.from([0xff, 0xfe, 0x00, 0x80])));
    expect(await attempt(url)).toMatchObject({ status: 200, body: { text: expect.any(String) } });
  });

  it('refuses a URL that is not valid', async () => {
    expect(await attempt('http://')).toEqual({ failure: 'refused_target' });
    expect(await attempt('http://a b/')).toEqual({ failure: 'refused_target' });
  });
});

describe('a receiver that checks signatures', () => {
  it('accepts every event of a call, in order, with the library of the specification', async () => {
    const webhook = new Webhook(SECRET);
    const verified: unknown[] = [];
    const { url, received } = await receiver((response) => {
      const { body, headers } = received.at(-1)!;
      verified.push(webhook.verify(body, headers));
      response.writeHead(204).end();
    });
    const store = createMemoryStore();
    const dispatcher = new WebhookDispatcher({
      outbox: store.outbox,
      sender: httpSender({ privateTargets: 'loopback' }, { clock: systemClock, timeoutMs: 3000, connections: 4 }),
      clock: systemClock,
      log: silentLog,
      random: Math.random,
      secretsOf: () => [SECRET],
      isLive: () => true,
      onAnswer: () => undefined,
    });
    dispatcher.start();
    const payloads = Array.from({ length: 20 }, (_, n) => ({ voice_id: 'a', n, text: 'é 👋 \u2028 "' }));
    for (const [n, payload] of payloads.entries()) {
      await store.calls.commit(writeOf('a', [n + 1], { deliveries: [deliveryOf(`a${n}`, 'a', { url, payload })] }));
    }
    await expect.poll(() => verified.length).toBe(20);
    await dispatcher.stop();
    expect(verified).toEqual(payloads);
    const other = new Webhook('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA');
    expect(() => other.verify(received[0]!.body, received[0]!.headers)).toThrow('No matching signature');
  });
});
