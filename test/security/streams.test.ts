/** The receiver of a stream is chosen by an application: it may send, ping and stop reading without limits. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { StreamClient } from '../../src/media/telephony/media/stream-client.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
});

async function stand() {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  server.listen(0, '127.0.0.66');
  await once(server, 'listening');
  const clock = new VirtualClock();
  let sounds = 0;
  let opened = (): void => {};
  const open = new Promise<void>((resolve) => {
    opened = resolve;
  });
  const client = new StreamClient({
    request: {
      streamId: 's',
      url: `ws://127.0.0.66:${(server.address() as AddressInfo).port}/`,
      tracks: ['inbound'],
      bidirectional: true,
      start: { voice_id: 'v', from: '1', to: '2' },
    },
    clock,
    opened,
    sound: () => sounds++,
    clear: () => {},
    ended: () => {},
  });
  const [far] = (await once(sockets, 'connection')) as [WebSocket];
  closing.push(
    () => void server.close(),
    () => far.terminate(),
    () => client.stop(),
  );
  await open;
  return {
    clock,
    far,
    get sounds() {
      return sounds;
    },
  };
}

/** Until no more messages arrive. */
async function still(count: () => number): Promise<number> {
  for (let before = -1, same = 0; same < 5; ) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    same = count() === before ? same + 1 : 0;
    before = count();
  }
  return count();
}

describe('a receiver that sends without end', () => {
  it('is read at a bounded number of messages a second, without loss', async () => {
    const line = await stand();
    const message = JSON.stringify({ event: 'media', media: { payload: Buffer.alloc(800).toString('base64') } });
    const total = 3_000;
    for (let count = 0; count < total; count++) line.far.send(message);
    const first = await still(() => line.sounds);
    // Data in the buffers at the limit is still read.
    expect(first).toBeGreaterThan(500);
    expect(first).toBeLessThan(2_000);
    for (let second = 0; second < 5; second++) {
      await line.clock.advance(1000);
      await still(() => line.sounds);
    }
    expect(line.sounds).toBe(total);
  });
});
