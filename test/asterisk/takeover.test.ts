/** The node of calls is lost, and another goes on with them: three nodes on one Asterisk, with calls in a menu. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Party } from '../engine/network.ts';
import type { Leg } from '../engine/site.ts';
import { redisProgram } from '../redis-server.ts';
import { asteriskMissing } from './asterisk.ts';
import { GAP_MS } from './asterisk-network.ts';
import { Nodes, numberOf } from './nodes.ts';

const missing = (await asteriskMissing()) ?? (redisProgram.missing ? redisProgram.why : undefined);
const CALLS = 6;
const WITHIN_MS = 5000;
const MENU = `flow: takeover
start: first
defaults: { exits: { error: bye } }
steps:
  first: { play: { text: "Welcome to the service of this test." }, next: second }
  second: { play: { text: "Our menu has one choice only." }, next: ask }
  ask:
    menu:
      prompt: { text: "Press one to hear that it works." }
      choices: { one: { dtmf: "1" } }
      attempts: 3
      start_timeout: 20s
    exits: { one: said, exhausted: bye }
  said: { play: { text: "It works." }, next: bye }
  bye: { hangup: normal }
`;

describe.skipIf(missing !== undefined)(missing ?? 'calls on an Asterisk whose node is lost', () => {
  let nodes: Nodes;
  beforeAll(async () => {
    nodes = await Nodes.open('127.0.45', MENU);
  }, 90_000);
  afterAll(() => nodes?.close());

  const playsOf = (count: number): number =>
    [...Map.groupBy(nodes.playbacks, ({ legId }) => legId).values()].filter((plays) => plays.length >= count).length;
  const until = (what: () => boolean, withinMs = 20_000) =>
    expect.poll(what, { timeout: withinMs, interval: 50 }).toBe(true);

  const callAndLose = async (lose: () => Promise<void>): Promise<{ legs: Leg[]; afterMs: number }> => {
    nodes.playbacks.length = 0;
    nodes.receiver.events.length = 0;
    const uri = `sip:${numberOf('one')}@${nodes.network.asterisk.address}:5060`;
    const legs = Array.from({ length: CALLS }, () => nodes.network.site.dial(uri));
    await Promise.all(legs.map((leg) => leg.until('answered')));
    await until(() => playsOf(1) === CALLS);
    await lose();
    const lostMs = Date.now();
    // The second prompt, and that of the menu.
    await until(() => playsOf(2) === CALLS, WITHIN_MS);
    const afterMs = Date.now() - lostMs;
    await until(() => playsOf(3) === CALLS);
    for (const leg of legs) new Party(leg, GAP_MS).press('1');
    await Promise.all(legs.map((leg) => leg.until('ended')));
    await until(
      () => [...nodes.states().values()].filter((states) => states.includes('disconnected')).length === CALLS,
    );
    return { legs, afterMs };
  };

  const expectAllRight = (): void => {
    expect(playsOf(4)).toBe(CALLS);
    expect(nodes.playbacks).toHaveLength(4 * CALLS);
    expect(nodes.repeated()).toEqual([]);
    for (const states of nodes.states().values()) expect(states).toEqual(['incomingcall', 'connected', 'disconnected']);
  };

  it('go on at others after kill -9: each prompt is heard once, and a key that is pressed later is taken', async () => {
    const { afterMs } = await callAndLose(() => nodes.services.get('one')!.kill());
    expectAllRight();
    expect(afterMs).toBeLessThan(WITHIN_MS);
    await nodes.start('one');
  }, 60_000);

  it('go on at others while it stands still for three seconds, and nothing that it does on waking arrives', async () => {
    const { pid } = nodes.services.get('one')!;
    await callAndLose(async () => {
      process.kill(pid, 'SIGSTOP');
      setTimeout(() => process.kill(pid, 'SIGCONT'), 3000);
    });
    expectAllRight();
  }, 60_000);
});
