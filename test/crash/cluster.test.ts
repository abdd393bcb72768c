/**
 * Three nodes as processes of their own over a Redis with a replica: one of them is killed in the middle of its calls.
 * CLUSTER_ROUNDS: how often; default 2.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/base/core/ids.ts';
import { type Service, startService } from '../e2e/service.ts';
import { type Receiver, startReceiver } from '../e2e/webhook-receiver.ts';
import { program } from '../programs.ts';
import { type RedisServer, redisProgram, startRedis, until } from '../redis-server.ts';

const sipp = program('sipp');
const ROUNDS = Number(process.env['CLUSTER_ROUNDS'] ?? 2);
const PHONES = '127.0.44.9';
const NAMES = ['one', 'two', 'three'] as const;
const CALLS = 4;
/** Time until the calls of a dead node have ended, and their events have arrived. */
const WITHIN_MS = 5000;
const WAITING = `flow: waiting
start: wait
steps:
  wait: { pause: 60s, next: bye }
  bye: { hangup: normal }
`;

type Name = (typeof NAMES)[number];

describe.skipIf(redisProgram.missing || sipp.missing)(`a cluster${redisProgram.why}${sipp.why}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-cluster-'));
  const nodes = new Map<Name, Service>();
  const random = seededRandom(17);
  let servers: RedisServer[] = [];
  let receiver: Receiver;
  let lives = 0;

  const startNode = async (name: Name): Promise<void> => {
    const address = `127.0.44.${NAMES.indexOf(name) + 1}`;
    const service = await startService({
      ...{ directory: join(directory, `${name}-${++lives}`), address },
      sip: { routes: [{ uri: `sip:${PHONES}:5060` }] },
      more: {
        cluster: {
          redis: { url: servers[0]!.url },
          key: 'a-key-that-only-the-nodes-of-this-test-know',
          node: name,
          address: `http://${address}:8080`,
        },
      },
      numbers: [{ number: '1000', flow: 'waiting', project: 'demo' }],
      flows: { 'waiting.flow.yaml': WAITING },
    });
    nodes.set(name, service);
  };

  beforeAll(async () => {
    const primary = await startRedis();
    servers = [primary, await startRedis({ replicaOf: primary })];
    receiver = await startReceiver(PHONES);
    const phones = spawn('sipp', ['-sn', 'uas', '-i', PHONES, '-p', '5060', '-nostdin'], { stdio: 'ignore' });
    process.once('exit', () => phones.kill('SIGKILL'));
    stopPhones = () => void phones.kill('SIGKILL');
    await Promise.all(NAMES.map(startNode));
  });
  let stopPhones = (): void => undefined;
  afterAll(async () => {
    await Promise.all([...nodes.values()].map((node) => node.kill()));
    stopPhones();
    await receiver?.stop();
    for (const server of servers.toReversed()) await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const statesOf = (callId: string): string[] => {
    const own = receiver.events.filter(({ body }) => body['voice_id'] === callId);
    return [...new Map(own.map(({ id, body }) => [id, body])).values()].map(({ state }) => String(state));
  };
  const dial = async (name: Name): Promise<string> => {
    const order = { from: '1000', to: '33199001122', flow: 'waiting', event_url: receiver.url };
    const { status, body } = await nodes.get(name)!.api('POST', '/voice/v1/call', order);
    expect({ status, body }).toMatchObject({ status: 200 });
    return String(body['voice_id']);
  };

  it.each(Array.from({ length: ROUNDS }, (_, round) => round))(
    'ends the calls of a node that is killed, and no other (%i)',
    async () => {
      const calls = new Map<string, Name>();
      for (const name of NAMES) for (let call = 0; call < CALLS; call++) calls.set(await dial(name), name);
      await until(async () => [...calls.keys()].every((callId) => statesOf(callId).includes('connected')));
      // Any node answers for any call.
      for (const callId of calls.keys()) {
        const { body } = await nodes.get(NAMES[Math.floor(random() * 3)]!)!.api('GET', `/voice/v1/call/${callId}`);
        expect(body).toMatchObject({ voice_id: callId, state: 'connected' });
      }
      const victim = NAMES[Math.floor(random() * 3)]!;
      const survivor = nodes.get(NAMES.find((name) => name !== victim)!)!;
      await nodes.get(victim)!.kill();
      const killedMs = Date.now();
      const lost = [...calls].filter(([, name]) => name === victim).map(([callId]) => callId);
      await until(async () => lost.every((callId) => statesOf(callId).includes('disconnected')));
      expect(Date.now() - killedMs).toBeLessThan(WITHIN_MS);
      await startNode(victim);
      for (const [callId, name] of calls) {
        const { body } = await survivor.api('GET', `/voice/v1/call/${callId}`);
        expect(body).toMatchObject({ state: name === victim ? 'disconnected' : 'connected' });
        if (name !== victim) await survivor.api('DELETE', `/voice/v1/call/${callId}`);
      }
      await until(async () => [...calls.keys()].every((callId) => statesOf(callId).includes('disconnected')));
      // One first and one final event of each, in this order.
      for (const callId of calls.keys()) expect(statesOf(callId)).toEqual(['ringing', 'connected', 'disconnected']);
    },
  );
});
