/** Tokens of rooms and phones that are used on several nodes: whole services over one real Redis. */
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { systemClock } from '../../src/base/core/clock.ts';
import type { JsonObject } from '../../src/base/core/json.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { openRedisStore } from '../../src/service/store/redis/store.ts';
import type { Store } from '../../src/service/store/store.ts';
import { type ApiRig, SHOP } from '../api/rig.ts';
import { openRig } from '../api/rigs.ts';
import { createMemoryStore } from '../memory-store.ts';
import { connectTo, type RedisServer, redisProgram, startRedis } from '../redis-server.ts';

const CONFIG = `numbers: [{ number: "1000", webhook: HOOK }]
rooms: [{ room_id: daily }]
`;
const PROJECTS = `
projects:
  - { app_id: ${SHOP.id}, app_key: ${SHOP.key}, webhook_secret: whsec_c2VjcmV0IG9mIGFsbCBub2Rlcywgc2FtZQ== }
`;

interface TokenKind {
  socket: string;
  order(rig: ApiRig): Promise<{ body: JsonObject }>;
  /** Checks the token, and uses it up. */
  look: string;
  use: string;
  /** The first message after a token was accepted. */
  taken: string;
}

const KINDS: readonly [name: string, kind: TokenKind][] = [
  [
    'a room',
    {
      socket: '/video/v2/connect',
      order: (rig) =>
        rig.request('POST', '/video/v2/rooms/daily/tokens', { name: 'Ada', role: 'participant', user_ref: 'ada' }),
      ...{ look: 'look', use: 'join', taken: 'welcome' },
    },
  ],
  [
    'a phone',
    {
      socket: '/voice/v1/webphone/connect',
      order: (rig) => rig.request('POST', '/voice/v1/webphone', { number: '1000' }),
      ...{ look: 'prepare', use: 'call', taken: 'calling' },
    },
  ],
];

describe.skipIf(redisProgram.missing)(`single-use tokens of a cluster${redisProgram.why}`, () => {
  let server: RedisServer;
  const closers: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    server = await startRedis();
  });
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
    await server.stop();
  });

  const node = async (name: string): Promise<ApiRig> => {
    const connection = await connectTo(server);
    const local = createMemoryStore();
    const { usedTokens, close } = openRedisStore({
      ...{ connection, local, archive: name, node: name, keepCallsMs: 60_000 },
      ...{ clock: systemClock, log: silentLog },
    });
    closers.push(async () => {
      await close();
      connection.close();
    });
    const store: Store = { ...local, usedTokens };
    return openRig({ config: CONFIG, projects: PROJECTS, store });
  };

  /** The first answer to a message with the token. */
  async function say(rig: ApiRig, { socket: path }: TokenKind, type: string, token: string): Promise<JsonObject> {
    const socket = new WebSocket(`${rig.base.replace('http', 'ws')}${path}`);
    onTestFinished(() => socket.terminate());
    await once(socket, 'open');
    socket.send(JSON.stringify(type === 'call' ? { type, token, sdp: 'v=0\r\n' } : { type, token }));
    const [data] = (await once(socket, 'message')) as [Buffer];
    return JSON.parse(data.toString()) as JsonObject;
  }
  const tokenOf = async ({ order }: TokenKind, rig: ApiRig): Promise<string> =>
    String((await order(rig)).body['token']);

  describe.each(KINDS)('when used for %s', (_, kind) => {
    it('are refused by one node after another has accepted them', async () => {
      const [one, other] = [await node('one'), await node('other')];
      const token = await tokenOf(kind, one);
      expect(await say(other, kind, kind.look, token)).not.toMatchObject({ type: 'error' });
      expect(await say(one, kind, kind.use, token)).toMatchObject({ type: kind.taken });
      expect(await say(other, kind, kind.use, token)).toMatchObject({ type: 'error', code: 'token_used' });
      expect(await say(other, kind, kind.look, token)).toMatchObject({ type: 'error', code: 'token_used' });
      const fresh = await tokenOf(kind, one);
      expect(await say(other, kind, kind.use, fresh)).toMatchObject({ type: kind.taken });
    });

    it('admits exactly one of two simultaneous uses on two nodes', async () => {
      const nodes = [await node('one'), await node('other')];
      for (let round = 0; round < 5; round++) {
        const token = await tokenOf(kind, nodes[0]!);
        const answers = await Promise.all(nodes.map((rig) => say(rig, kind, kind.use, token)));
        const codes = answers.map(({ type, code }) => code ?? type).sort();
        expect(codes).toEqual([kind.taken, 'token_used'].sort());
      }
    });

    it('admits no participant while Redis is unreachable, and is valid afterwards', async () => {
      const one = await node('one');
      const token = await tokenOf(kind, one);
      server.signal('SIGSTOP');
      for (const type of [kind.use, kind.look]) {
        expect(await say(one, kind, type, token)).toMatchObject({ type: 'error', code: 'token_unchecked' });
      }
      server.signal('SIGCONT');
      expect(await say(one, kind, kind.use, token)).toMatchObject({ type: kind.taken });
    });
  });
});
