/** UDP sockets of a media thread: both implementations over loopback. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DatagramSocket, Datagrams } from '../../src/media/telephony/media/datagrams.ts';
import { NodeDatagrams } from '../../src/media/telephony/media/node-datagrams.ts';
import { openDatagrams } from '../../src/media/telephony/media/open-datagrams.ts';
import { closeDescriptors } from '../../src/media/telephony/media/system-calls.ts';
import { SystemDatagrams } from '../../src/media/telephony/media/system-datagrams.ts';

const HOST = '127.0.0.67';
/** Longest packet that the sockets of the system receive. */
const SLOT_BYTES = 2_048;
const nowMs = () => performance.now();
const hasSystem = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);

let descriptors: Int32Array;
let open: Datagrams[] = [];

beforeEach(() => {
  descriptors = new Int32Array(new SharedArrayBuffer(4 * 16));
});
afterEach(() => {
  for (const datagrams of open.splice(0)) datagrams.end();
});

const MADE = {
  system: () => new SystemDatagrams({ descriptors, nowMs }),
  node: () => new NodeDatagrams(nowMs),
};

interface Received {
  bytes: Buffer;
  from: string;
  atMs: number;
}

/** Opens a socket, and records what it receives. */
async function openSocket(datagrams: Datagrams, host: string, port = 0) {
  const received: Received[] = [];
  const answer = Promise.withResolvers<number | string>();
  const socket: DatagramSocket = datagrams.open(
    { host, port },
    {
      bound: answer.resolve,
      refused: answer.resolve,
      packet: (bytes, fromHost, fromPort, atMs) => {
        received.push({ bytes: Buffer.from(bytes), from: `${fromHost} ${fromPort}`, atMs });
      },
    },
  );
  return { socket, received, answer: await answer.promise };
}

describe.each(hasSystem ? (['system', 'node'] as const) : (['node'] as const))('a socket of %s', (kind) => {
  let datagrams: Datagrams;

  beforeEach(() => {
    datagrams = MADE[kind]();
    open = [datagrams];
  });

  /** Turns until all packets sent before have arrived. */
  async function turnUntil(isReached: () => boolean): Promise<void> {
    while (!isReached()) {
      datagrams.turn();
      await nextTurn();
    }
  }

  it.each([
    [HOST, '127.0.0.68', '127.0.0.68'],
    ['::1', '::1', '::1'],
    ['0.0.0.0', HOST, HOST],
    ['::', '::1', '::1'],
    ['::', HOST, HOST],
  ])('exchanges packets, bound to %s, with %s', async (local, far, seen) => {
    const near = await openSocket(datagrams, local);
    const other = await openSocket(datagrams, far);
    near.socket.send(Buffer.from('to'), far, Number(other.answer));
    await turnUntil(() => other.received.length === 1);
    const toHost = other.received[0]!.from.split(' ')[0]!;
    other.socket.send(Buffer.from('back'), toHost, Number(near.answer));
    await turnUntil(() => near.received.length === 1);
    expect(String(other.received[0]!.bytes)).toBe('to');
    expect(near.received[0]).toMatchObject({ bytes: Buffer.from('back'), from: `${seen} ${other.answer}` });
  });

  it.each([
    ['EADDRINUSE', HOST, true],
    ['EADDRNOTAVAIL', '192.0.2.1', false],
  ])('refuses an address with %s', async (code, host, isTaken) => {
    const taken = await openSocket(datagrams, HOST);
    const { answer, socket } = await openSocket(datagrams, host, isTaken ? Number(taken.answer) : 0);
    expect(answer).toBe(code);
    expect(datagrams.size).toBe(1);
    socket.send(Buffer.from('nothing'), HOST, Number(taken.answer));
    await new Promise<void>((closed) => socket.close(closed));
  });

  it('delivers packets of any length unchanged and in order', async () => {
    const [from, to] = [await openSocket(datagrams, HOST), await openSocket(datagrams, HOST)];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: SLOT_BYTES, size: 'max' }), { minLength: 1, maxLength: 20 }),
        async (packets) => {
          to.received.length = 0;
          for (const packet of packets) from.socket.send(packet, HOST, Number(to.answer));
          await turnUntil(() => to.received.length === packets.length);
          expect(to.received.map(({ bytes }) => bytes)).toEqual(packets.map((packet) => Buffer.from(packet)));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('survives packets that are too long, in both directions', async () => {
    const { socket, received, answer } = await openSocket(datagrams, HOST);
    const sender = createSocket('udp4');
    for (const length of [SLOT_BYTES + 1, 60_000, 65_507]) {
      await new Promise((sent) => sender.send(Buffer.alloc(length, 1), Number(answer), HOST, sent));
    }
    socket.send(new Uint8Array(70_000), HOST, Number(answer));
    await new Promise((sent) => sender.send('short', Number(answer), HOST, sent));
    sender.close();
    await turnUntil(() => received.some(({ bytes }) => String(bytes) === 'short'));
    expect(received.length).toBe(kind === 'system' ? 1 : 4);
  });

  it('does not throw for a destination that is not usable', async () => {
    const { socket, received, answer } = await openSocket(datagrams, HOST);
    for (const [host, port] of [
      ['::1', 4000],
      ['name', 4000],
      ['999.1.1.1', 4000],
      [HOST, 1],
    ] as const) {
      socket.send(Buffer.from('lost'), host, port);
    }
    socket.send(Buffer.from('own'), HOST, Number(answer));
    await turnUntil(() => received.length > 0);
    expect(String(received[0]!.bytes)).toBe('own');
  });

  it('receives packets of others during a flood', async () => {
    const [from, flooded, quiet] = [
      await openSocket(datagrams, HOST),
      await openSocket(datagrams, HOST),
      await openSocket(datagrams, HOST),
    ];
    for (let count = 0; count < 3_000; count++) from.socket.send(Buffer.from('flood'), HOST, Number(flooded.answer));
    from.socket.send(Buffer.from('audio'), HOST, Number(quiet.answer));
    await turnUntil(() => quiet.received.length === 1);
    expect(flooded.received.every(({ bytes }) => String(bytes) === 'flood')).toBe(true);
  });

  it('receives nothing after it was closed, and frees the port', async () => {
    const from = await openSocket(datagrams, HOST);
    const to = await openSocket(datagrams, HOST);
    from.socket.send(Buffer.from('waits'), HOST, Number(to.answer));
    await new Promise<void>((closed) => to.socket.close(closed));
    const next = await openSocket(datagrams, HOST, Number(to.answer));
    expect(next.answer).toBe(to.answer);
    from.socket.send(Buffer.from('new'), HOST, Number(to.answer));
    await turnUntil(() => next.received.length === 1);
    expect(to.received).toEqual([]);
    to.socket.send(Buffer.from('closed'), HOST, Number(to.answer));
    expect(datagrams.size).toBe(2);
  });

  it('stays closed if the packet of another closed it', async () => {
    const from = await openSocket(datagrams, HOST);
    const sockets: DatagramSocket[] = [];
    let packets = 0;
    const answers = [0, 1, 2].map(() => {
      const answer = Promise.withResolvers<number>();
      const packet = (): void => {
        packets++;
        for (const socket of sockets) socket.close();
      };
      sockets.push(
        datagrams.open({ host: HOST, port: 0 }, { bound: answer.resolve, refused: () => undefined, packet }),
      );
      return answer.promise;
    });
    for (const port of await Promise.all(answers)) from.socket.send(Buffer.from('close'), HOST, port);
    await turnUntil(() => packets > 0);
    datagrams.turn();
    await nextTurn();
    expect(packets).toBe(1);
  });
});

describe.runIf(hasSystem)('a socket of the system', () => {
  it('states when a packet arrived, not when it was read', async () => {
    const datagrams = MADE.system();
    open = [datagrams];
    const { socket, received, answer } = await openSocket(datagrams, HOST);
    /** True if the stated time is that of sending, although the packet was read 20 ms later. */
    const isStated = (): boolean => {
      const beforeMs = nowMs();
      socket.send(Buffer.from('early'), HOST, Number(answer));
      const sentMs = nowMs();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      datagrams.turn();
      const { atMs } = received.pop()!;
      return atMs > beforeMs - 1 && atMs < sentMs + 1;
    };
    // The system begins to note arrivals shortly after the first socket that needs them.
    await expect.poll(isStated).toBe(true);
  });

  it('is refused if the thread has too many', async () => {
    const datagrams = MADE.system();
    open = [datagrams];
    const answers: (string | number)[] = [];
    for (let count = 0; count < 17; count++) answers.push((await openSocket(datagrams, HOST)).answer);
    expect(answers.filter((answer) => answer === 'EMFILE')).toHaveLength(2);
    expect(datagrams.size).toBe(15);
  });

  it('is closed for a thread that died', async () => {
    const { answer } = await openSocket(MADE.system(), HOST);
    closeDescriptors(descriptors);
    expect([...descriptors].every((descriptor) => descriptor === 0)).toBe(true);
    const next = createSocket('udp4');
    next.bind(Number(answer), HOST);
    await once(next, 'listening');
    next.close();
  });
});

describe('the choice of sockets', () => {
  const chosen = async (sockets: 'auto' | 'node', host = HOST) => {
    const datagrams = await openDatagrams({ sockets, host, descriptors, nowMs });
    open = [datagrams];
    return datagrams.isPolled ? 'system' : 'node';
  };

  it('falls on the system, if a socket receives its own packet', async () => {
    expect(await chosen('auto')).toBe(hasSystem ? 'system' : 'node');
    expect(await chosen('node')).toBe('node');
    expect(await chosen('auto', '192.0.2.1')).toBe('node');
  });

  it('falls on Node, if the system cannot be called', async () => {
    vi.doMock('../../src/media/telephony/media/system-calls.ts', () => ({
      loadSystemCalls: () => {
        throw new Error('not supported');
      },
    }));
    vi.resetModules();
    const { openDatagrams: openAnew } = await import('../../src/media/telephony/media/open-datagrams.ts');
    const datagrams = await openAnew({ sockets: 'auto', host: HOST, descriptors, nowMs });
    vi.doUnmock('../../src/media/telephony/media/system-calls.ts');
    expect(datagrams.isPolled).toBe(false);
  });
});
