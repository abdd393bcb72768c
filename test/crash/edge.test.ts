/**
 * The edge of examples/13-cluster in front of two nodes: a softphone that registers through Kamailio is called from
 * either node, and calls; HAProxy sends REST to the nodes that are ready. Then the node that took the registration is
 * killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Softphone, startSoftphone } from '../e2e/baresip.ts';
import { callApi, type Service, startService } from '../e2e/service.ts';
import { writeTone } from '../e2e/sound.ts';
import { program } from '../programs.ts';
import { type RedisServer, redisProgram, startRedis, until } from '../redis-server.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/13-cluster', import.meta.url));
const EDGE = '127.0.46.9';
const PHONE = '127.0.46.8';
const NAMES = ['one', 'two'] as const;
const needed = [redisProgram, program('kamailio'), program('haproxy'), program('baresip')];
const WAITING = `flow: waiting
start: answer
steps:
  answer: { answer: {}, next: wait }
  wait: { pause: 60s, next: bye }
  bye: { hangup: normal }
`;

type Name = (typeof NAMES)[number];

describe.skipIf(needed.some(({ missing }) => missing))(`the edge${needed.map(({ why }) => why).join('')}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-edge-'));
  const nodes = new Map<Name, Service>();
  const children: ChildProcess[] = [];
  let redis: RedisServer;
  let phone: Softphone;
  const addressOf = (name: Name): string => `127.0.46.${NAMES.indexOf(name) + 1}`;

  const startNode = async (name: Name): Promise<void> => {
    const address = addressOf(name);
    const service = await startService({
      ...{ directory: join(directory, name), address },
      sip: { users: [{ name: 'anna', password: 'of-anna-alone' }], edges: [EDGE] },
      more: {
        cluster: {
          redis: { url: redis.url },
          durability: 'memory',
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

  /** The example's configuration, with the addresses of this test. */
  const startEdge = (): void => {
    const kamailio = readFileSync(join(EXAMPLE, 'kamailio.cfg'), 'utf8');
    writeFileSync(join(directory, 'kamailio.cfg'), kamailio.replaceAll('127.0.0.1:5090', `${EDGE}:5090`));
    writeFileSync(join(directory, 'nodes.list'), NAMES.map((name) => `1 sip:${addressOf(name)}:5060\n`).join(''));
    const haproxy = readFileSync(join(EXAMPLE, 'haproxy.cfg'), 'utf8')
      .replace('127.0.0.1:8090', `${EDGE}:8090`)
      .replace('127.0.0.1:8091', `${addressOf('one')}:8080`)
      .replace('127.0.0.1:8092', `${addressOf('two')}:8080`)
      .replace(/ {2}server three .*\n/, '');
    writeFileSync(join(directory, 'haproxy.cfg'), haproxy);
    const commands = [
      ['kamailio', '-DD', '-f', 'kamailio.cfg', '-w', directory, '-P', join(directory, 'kamailio.pid')],
      ['haproxy', '-db', '-f', 'haproxy.cfg'],
    ];
    for (const [command, ...args] of commands) {
      const child = spawn(command!, args, { cwd: directory, stdio: 'ignore' });
      process.once('exit', () => child.kill('SIGKILL'));
      children.push(child);
    }
  };

  beforeAll(async () => {
    redis = await startRedis();
    await Promise.all(NAMES.map(startNode));
    startEdge();
    await until(async () => (await rest('GET', '/voice/v1/call').catch(() => undefined))?.status === 200);
    mkdirSync(join(directory, 'phone'));
    const says = join(directory, 'says.wav');
    writeTone(says, 300, 20);
    const account = `<sip:anna@${EDGE}:5090>;auth_user=anna;auth_pass=of-anna-alone;regint=60`;
    phone = await startSoftphone({ directory: join(directory, 'phone'), address: PHONE, says, account });
  });
  afterAll(async () => {
    await phone?.stop();
    for (const child of children) child.kill('SIGTERM');
    await Promise.all([...nodes.values()].map((node) => node.kill()));
    await redis?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Through HAProxy. */
  const rest = (method: string, path: string, body?: unknown) => callApi(`http://${EDGE}:8090`, method, path, body);
  const stateOf = async (callId: string): Promise<unknown> => {
    const { body } = await rest('GET', `/voice/v1/call/${callId}`);
    return body['state'];
  };
  /** The phone answers automatically. */
  const isReachedBy = async (call: typeof rest): Promise<void> => {
    const { status, body } = await call('POST', '/voice/v1/call', { from: '1000', to: 'user:anna', flow: 'waiting' });
    expect({ status, body }).toMatchObject({ status: 200 });
    const callId = String(body['voice_id']);
    await until(async () => (await stateOf(callId)) === 'connected');
    await rest('DELETE', `/voice/v1/call/${callId}`);
    await until(async () => (await stateOf(callId)) === 'disconnected');
  };

  it('lets a phone register through it, which each node then calls', async () => {
    expect(await phone.registers()).toBe(true);
    for (const name of NAMES) await isReachedBy((...asked) => nodes.get(name)!.api(...asked));
  });

  it('routes calls of the phone to a node', async () => {
    await phone.command('dial', `sip:1000@${EDGE}:5090`);
    await phone.event('CALL_ESTABLISHED', 10_000, NAMES.length + 1);
    await phone.command('hangup');
  });

  it('works without the node that accepted the registration', async () => {
    const { at } = (
      JSON.parse(String(await redis.command('HGET', 'cw:{shared}:phones', 'anna')).replace(/^\d+ /, '')) as {
        at: { node: string };
      }[]
    )[0]!;
    const victim = NAMES.find((name) => at.node.includes(`-${nodes.get(name)!.pid}-`))!;
    await nodes.get(victim)!.kill();
    // HAProxy asks twice a second.
    await until(async () => {
      const answers = await Promise.all([1, 2, 3, 4].map(() => rest('GET', '/voice/v1/call').catch(() => undefined)));
      return answers.every((answer) => answer?.status === 200);
    });
    await isReachedBy(rest);
    await phone.command('dial', `sip:1000@${EDGE}:5090`);
    await phone.event('CALL_ESTABLISHED', 15_000, NAMES.length + 3);
    await phone.command('hangup');
  });
});
