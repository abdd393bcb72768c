/** Three nodes under calls are restarted in turn, as in an upgrade: no call and no event is lost or repeated. */
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { APP_ID, APP_KEY } from '../e2e/service.ts';
import { sipp } from '../e2e/sipp.ts';
import { program } from '../programs.ts';
import { redisProgram, until } from '../redis-server.ts';
import { startCountingPhone } from './counting-phone.ts';
import { callsOf, type Placed, problemsOf, type Told } from './fault-account.ts';
import { NAMES, type NodeName, startFaultNodes } from './fault-nodes.ts';
import { COUNTING_FLOW, journalOf, receive } from './faults.ts';

const NETWORK = '127.0.47';
const DIAL_EVERY_MS = 200;
const CALL_IN_EVERY_MS = 1000;
const LOOK_EVERY_MS = 100;
const SEARCHED_MS = 30_000;

const caller = program('sipp');

it.skipIf(redisProgram.missing || caller.missing)(
  `loses nothing while nodes restart in turn${redisProgram.why}${caller.why}`,
  { timeout: 240_000 },
  async () => {
    const told: Told[] = [];
    const receivers = await Promise.all([0, 1, 2, 3].map((index) => receive(index, told, `${NETWORK}.9`)));
    const phone = await startCountingPhone(`${NETWORK}.9`);
    const numbers = ['1000', '1001'].map((number) => ({
      ...{ number, flow: 'counts', project: APP_ID, webhook: receivers[0]!.url },
    }));
    const nodes = await startFaultNodes({ network: NETWORK, flows: { 'counts.flow.yaml': COUNTING_FLOW }, numbers });
    onTestFinished(async () => {
      await nodes.stop();
      phone.stop();
      for (const receiver of receivers) receiver.stop();
    });

    // Behaviour of a load balancer in front of the nodes.
    const ready = new Set<NodeName>(NAMES);
    const looking = setInterval(() => {
      for (const name of NAMES) {
        fetch(`${nodes.service(name).url}/ready`).then(
          ({ ok }) => (ok ? ready.add(name) : ready.delete(name)),
          () => ready.delete(name),
        );
      }
    }, LOOK_EVERY_MS);
    onTestFinished(() => clearInterval(looking));
    let turn = 0;
    const nextNode = (): NodeName => [...ready][turn++ % ready.size]!;

    const placed: Placed[] = [];
    const refused: string[] = [];
    const dial = async (number: string): Promise<void> => {
      const authorization = `Basic ${Buffer.from(`${APP_ID}:${APP_KEY}`).toString('base64')}`;
      const order = { from: '1000', to: number, flow: 'counts', event_url: receivers[turn % receivers.length]!.url };
      for (let attempt = 0; attempt < 10; attempt++) {
        const node = nextNode();
        const atMs = Date.now();
        const response = await fetch(`${nodes.service(node).url}/voice/v1/call`, {
          ...{ method: 'POST', body: JSON.stringify(order) },
          headers: { authorization, 'content-type': 'application/json' },
        });
        const { voice_id: callId } = (await response.json()) as { voice_id: string };
        if (response.status === 200) return void placed.push({ callId, number, node, atMs });
        if (response.status !== 503 || !response.headers.has('retry-after'))
          refused.push(`${number}: ${response.status}`);
        await elapse(LOOK_EVERY_MS);
      }
      refused.push(`${number}: never taken`);
    };
    // A carrier that is answered 503 tries the next node.
    const callIn = async (port: number, attempts = 3): Promise<void> => {
      const { successful, output } = await sipp({
        scenario: join(import.meta.dirname, '../../bench/scenarios/ivr.xml'),
        ...{ target: nodes.service(nextNode()).sip, address: `${NETWORK}.8`, number: '1001', calls: 1, rate: 1 },
        ...{ port, mediaPort: 16_000 + 4 * (port - 5100) },
      });
      if (successful === 1) return;
      if (attempts > 1 && /503/.test(output)) return callIn(port, attempts - 1);
      refused.push(`a call in: ${output.slice(-2000)}`);
    };

    let isOver = false;
    const asked: Promise<void>[] = [];
    const ordering = (async () => {
      for (let number = 900_000; !isOver; number++) {
        asked.push(dial(`33199${number}`).catch((error: unknown) => void refused.push(String((error as Error).cause))));
        await elapse(DIAL_EVERY_MS);
      }
    })();
    const calling = (async () => {
      for (let port = 5100; !isOver; port++) {
        asked.push(callIn(port));
        await elapse(CALL_IN_EVERY_MS);
      }
    })();
    await elapse(2000);
    for (const name of NAMES) {
      await nodes.restart(name);
      await elapse(1000);
    }
    isOver = true;
    await Promise.all([ordering, calling]);
    await Promise.all(asked);

    const nodeOfNumber = new Map<string, NodeName>();
    const calls = () => [...callsOf({ told, placed, nodeOfNumber }).values()];
    await until(async () => calls().every(({ endedMs }) => endedMs !== undefined), SEARCHED_MS);
    const journals = new Map<string, Awaited<ReturnType<typeof journalOf>>>();
    for (const { callId } of calls()) journals.set(callId, await journalOf(nodes, callId));
    const seen = { faults: [], told, placed, nodeOfNumber, rung: phone.rung, heardKeys: [], journals };
    expect([...refused, ...problemsOf({ ...seen, tellWithinMs: 0 })]).toEqual([]);
    expect(new Set(placed.map(({ node }) => node)).size).toBe(NAMES.length);
    expect(told.length).toBe(new Set(told.map(({ id }) => id)).size);
    for (const { body } of calls().flatMap(({ events }) => events.slice(-1))) {
      expect(body).toMatchObject({ state: 'disconnected', disconnect_cause_code: 16 });
    }
  },
);
