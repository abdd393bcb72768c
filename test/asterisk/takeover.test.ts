/** The node of calls is lost, and another adopts them: three nodes on one Asterisk, with calls in a menu. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Party } from '../engine/network.ts';
import { redisProgram } from '../redis-server.ts';
import { rounds } from '../rounds.ts';
import { asteriskMissing } from './asterisk.ts';
import { GAP_MS } from './asterisk-network.ts';
import { Nodes, numberOf, type Playback } from './nodes.ts';

const missing = (await asteriskMissing()) ?? (redisProgram.missing ? redisProgram.why : undefined);
const CALLS = 6;
const ROUNDS = Array.from({ length: rounds(1) }, (_, round) => round);
/** Until a call hears its next prompt. */
const LATE_MS = 5000;
/** A call that was silent for so long is lost. */
const LOST_MS = 20_000;
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
  }, 400_000);
  afterAll(() => nodes?.close());
  beforeEach(() => nodes.startLost(), 120_000);

  const playsOf = (legId: string): Playback[] => nodes.playbacks.filter((play) => play.legId === legId);
  const until = (what: () => boolean) => expect.poll(what, { timeout: LOST_MS, interval: 50 }).toBe(true);

  /** Every call hears so many prompts; else it is lost, and the journals of those that are say why. */
  const everyCallHears = async (prompts: number): Promise<void> => {
    const waiting = (): string[] => called().filter((legId) => playsOf(legId).length < prompts);
    await vi.waitFor(() => expect(waiting()).toEqual([]), { timeout: LOST_MS, interval: 50 }).catch(() => undefined);
    const stories = await Promise.all(waiting().map(async (legId) => [legId, ...(await nodes.journal(legId))]));
    const logs = stories.length === 0 ? [] : [...nodes.services].map(([name, { log }]) => `${name}: ${log()}`);
    const told = [...stories.flat(), ...logs].join('\n');
    expect(stories.length, `lost: calls that never hear prompt ${prompts}:\n${told}`).toBe(0);
  };
  const called = (): string[] => [...new Set(nodes.playbacks.map(({ legId }) => legId))];

  const callAndLose = async (lose: () => Promise<void>): Promise<void> => {
    nodes.playbacks.length = 0;
    nodes.receiver.events.length = 0;
    const uri = `sip:${numberOf('one')}@${nodes.network.asterisk.address}:5060`;
    const legs = Array.from({ length: CALLS }, () => nodes.network.site.dial(uri, { ringTimeoutMs: 60_000 }));
    // Removes everything before the next test.
    onTestFinished(async () => {
      for (const leg of legs) if (!leg.isOver) leg.send({ type: 'hangup', cause: 16 });
      await Promise.all(legs.map((leg) => leg.until('ended')));
      await until(() => [...nodes.states().values()].every((states) => states.includes('disconnected')));
    });
    await Promise.all(legs.map((leg) => leg.until('answered')));
    await until(() => called().length === CALLS);
    await lose();
    const lostMs = Date.now();
    // The second prompt, and that of the menu.
    await everyCallHears(2);
    const late = called().map((legId) => playsOf(legId)[1]!.startedMs - lostMs);
    await everyCallHears(3);
    for (const leg of legs) new Party(leg, GAP_MS).press('1');
    await Promise.all(legs.map((leg) => leg.until('ended')));
    await until(
      () => [...nodes.states().values()].filter((states) => states.includes('disconnected')).length === CALLS,
    );
    expect(
      late.filter((ms) => ms >= LATE_MS),
      'late: milliseconds until calls heard their next prompt',
    ).toEqual([]);
  };

  const expectAllRight = (): void => {
    expect(called().map((legId) => playsOf(legId).length)).toEqual(Array.from({ length: CALLS }, () => 4));
    expect(nodes.repeated()).toEqual([]);
    for (const states of nodes.states().values()) expect(states).toEqual(['incomingcall', 'connected', 'disconnected']);
  };

  const AFTER_KILL = 'continues on other nodes after kill -9: each prompt is played once, and a later key is accepted';
  it.each(ROUNDS)(
    `${AFTER_KILL} (%i)`,
    async () => {
      await callAndLose(() => nodes.services.get('one')!.kill());
      expectAllRight();
    },
    120_000,
  );

  const AT_PAUSE = 'continues on other nodes while it is paused for three seconds, and ignores its effects afterwards';
  it.each(ROUNDS)(
    `${AT_PAUSE} (%i)`,
    async () => {
      const { pid } = nodes.services.get('one')!;
      await callAndLose(async () => {
        process.kill(pid, 'SIGSTOP');
        const wake = setTimeout(() => process.kill(pid, 'SIGCONT'), 3000);
        onTestFinished(() => {
          clearTimeout(wake);
          process.kill(pid, 'SIGCONT');
        });
      });
      expectAllRight();
    },
    120_000,
  );
});
