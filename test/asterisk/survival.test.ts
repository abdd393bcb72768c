/** Legs outlive the node that commands them: another engine takes them over, over a real Asterisk. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LegCommand, LegEvent } from '../../src/base/core/leg.ts';
import type { AsteriskEngine } from '../../src/media/telephony/asterisk/engine.ts';
import type { CalleePlan } from '../../src/media/telephony/simulated/far-end.ts';
import { Party } from '../engine/network.ts';
import { asteriskMissing } from './asterisk.ts';
import { AsteriskNetwork, GAP_MS } from './asterisk-network.ts';

const missing = await asteriskMissing();
const HELD = { isLeaseValid: () => true, leaseHeldMs: () => Number.POSITIVE_INFINITY };
const WAIT = { timeout: 8000, interval: 20 };

/** A node: its engine, what it heard, and the commands of each leg, in order. */
class Node {
  readonly engine: AsteriskEngine;
  readonly events: { legId: string; event: LegEvent }[] = [];
  readonly arrived: string[] = [];
  readonly commands: LegCommand[] = [];

  constructor(engine: AsteriskEngine) {
    this.engine = engine;
  }

  start(): Promise<void> {
    return this.engine.start({
      incoming: ({ legId }) => this.arrived.push(legId),
      event: (legId, event) => this.events.push({ legId, event }),
    });
  }

  send(legId: string, ...commands: LegCommand[]): void {
    this.commands.push(...commands);
    for (const command of commands) this.engine.send(legId, command);
  }

  types(legId: string): string[] {
    return this.events.filter((each) => each.legId === legId).map(({ event }) => event.type);
  }

  heard(legId: string, type: LegEvent['type']): Promise<void> {
    return vi.waitFor(() => expect(this.types(legId)).toContain(type), WAIT);
  }
}

const tone = (playId: string, durationMs: number, repeat = false): LegCommand => ({
  ...{ type: 'play', playId, repeat },
  audio: [{ type: 'tone', frequencyHz: 440, durationMs }],
});

describe.skipIf(missing !== undefined)(missing ?? 'legs that Asterisk carries outlive a node', () => {
  let network: AsteriskNetwork;
  let [a, b]: [Node, Node] = [undefined!, undefined!];
  let count = 0;

  beforeAll(async () => {
    network = await AsteriskNetwork.open('127.0.43');
  });
  afterAll(() => network?.close());

  const nodes = async (): Promise<void> => {
    const name = `life${++count}`;
    [a, b] = [new Node(network.engine(`${name}a`, HELD)), new Node(network.engine(`${name}b`, HELD))];
    await Promise.all([a.start(), b.start()]);
  };
  /** Without a message to Asterisk, as by `kill -9`. */
  const kill = (node: Node, legId: string): void => node.engine.release(legId);
  const stop = async (): Promise<void> => {
    await Promise.all([a.engine.stop(), b.engine.stop()]);
  };

  const callIn = async (): Promise<{ legId: string; party: Party }> => {
    const caller = network.site.dial(`sip:life${count}a-33199001122@${network.asterisk.address}:5060`);
    await vi.waitFor(() => expect(a.arrived).toHaveLength(1), WAIT);
    const [legId] = a.arrived as [string];
    a.send(legId, { type: 'answer' });
    await a.heard(legId, 'answered');
    return { legId, party: new Party(caller, GAP_MS) };
  };

  it('continues a call in the middle of a prompt: with the prompt, later keys, and the next prompt', async () => {
    await nodes();
    const { legId, party } = await callIn();
    a.send(legId, tone('p1', 1500));
    await new Promise((resolve) => setTimeout(resolve, 300));
    kill(a, legId);
    await b.engine.take([{ legId, isInbound: true, commands: a.commands }], 2);
    const found = await b.engine.inspect(legId);
    expect([found.state, found.commands, found.isOpen('play p1')]).toEqual(['connected', 2, true]);
    party.press('4');
    await b.heard(legId, 'digit');
    await b.heard(legId, 'play_ended');
    b.send(legId, tone('p2', 200));
    await vi.waitFor(() => expect(b.types(legId)).toEqual(['digit', 'play_ended', 'play_ended']), WAIT);
    b.send(legId, { type: 'hangup', cause: 16 });
    await b.heard(legId, 'ended');
    expect(a.types(legId)).toEqual(['answered']);
    await stop();
  });

  it('repeats nothing that has arrived, and ignores a node with a lower fence', async () => {
    await nodes();
    const { legId } = await callIn();
    a.send(legId, tone('p1', 100), tone('p2', 5000, true));
    await new Promise((resolve) => setTimeout(resolve, 400));
    kill(a, legId);
    const taken = { legId, isInbound: true, commands: a.commands };
    await b.engine.take([taken], 3);
    const found = await b.engine.inspect(legId);
    expect([found.commands, found.isOpen('play p1'), found.isOpen('play p2')]).toEqual([3, false, true]);
    // The new owner has noted its fence with its first command.
    b.send(legId, { type: 'stop_play', playId: 'p2' });
    await b.heard(legId, 'play_ended');
    await vi.waitFor(() => expect(a.engine.take([taken], 2)).rejects.toThrow('fence 3'), WAIT);
    expect((await b.engine.inspect(legId)).state).toBe('connected');
    b.send(legId, { type: 'hangup', cause: 16 });
    await b.heard(legId, 'ended');
    expect((await b.engine.inspect(legId)).state).toBe('none');
    await stop();
  });

  it('keeps a party whose channel exists but was not called, and one that rings', async () => {
    await nodes();
    const plan: CalleePlan = { does: 'answer', ringsAfterMs: 50, afterMs: 1200 };
    const { to } = network.expect(plan);
    a.engine.dial({ legId: 'party-1', from: '+33199001122', to, ringTimeoutMs: 20_000 });
    await a.heard('party-1', 'created');
    kill(a, 'party-1');
    await b.engine.take([{ legId: 'party-1', isInbound: false, commands: [] }], 2);
    expect((await b.engine.inspect('party-1')).state).toBe('created');
    b.send('party-1', { type: 'dial' });
    await b.heard('party-1', 'ringing');
    kill(b, 'party-1');
    await a.engine.take([{ legId: 'party-1', isInbound: false, commands: [{ type: 'dial' }, { type: 'dial' }] }], 3);
    const found = await a.engine.inspect('party-1');
    expect([found.state, found.commands]).toEqual(['ringing', 1]);
    // Another dial of a channel would destroy it.
    a.send('party-1', { type: 'dial' });
    await a.heard('party-1', 'answered');
    expect(a.types('party-1')).toEqual(['created', 'ringing', 'answered']);
    await a.engine.take([], 3);
    expect((await a.engine.inspect('nobody')).state).toBe('none');
    a.send('party-1', { type: 'hangup', cause: 16 });
    await a.heard('party-1', 'ended');
    await stop();
  });

  it('keeps two legs in a mix, of which one is on hold with music, and a recording', async () => {
    await nodes();
    const { legId } = await callIn();
    const commands: LegCommand[] = [
      { type: 'record', recordId: 'r', file: 'r.wav', maxLengthMs: 20_000, endSilenceMs: 0, terminators: '' },
      { type: 'join', mixId: `m${count}` },
      { type: 'hold', music: [{ type: 'tone', frequencyHz: 300, durationMs: 400 }] },
    ];
    a.send(legId, ...commands);
    await new Promise((resolve) => setTimeout(resolve, 700));
    kill(a, legId);
    await b.engine.take([{ legId, isInbound: true, commands: a.commands }], 2);
    const found = await b.engine.inspect(legId);
    expect(found.isOpen('record r')).toBe(true);
    // Commands that were not noted because the music played before are sent again, without an effect.
    b.send(legId, ...a.commands.slice(found.commands));
    b.send(legId, { type: 'resume' }, { type: 'stop_record', recordId: 'r' });
    await b.heard(legId, 'record_ended');
    expect(b.events.at(-1)?.event).toMatchObject({ reason: 'stopped', file: 'r.wav' });
    b.send(legId, { type: 'hangup', cause: 16 });
    await b.heard(legId, 'ended');
    await stop();
  });

  it('ignores commands of a paused node after another has taken the call over', async () => {
    const name = `life${++count}`;
    let isValid = true;
    let heldMs = Number.POSITIVE_INFINITY;
    const lease = { isLeaseValid: () => isValid, leaseHeldMs: () => heldMs };
    [a, b] = [new Node(network.engine(`${name}a`, lease)), new Node(network.engine(`${name}b`, HELD))];
    await Promise.all([a.start(), b.start()]);
    const { legId } = await callIn();
    isValid = false;
    await b.engine.take([{ legId, isInbound: true, commands: a.commands }], 2);
    a.send(legId, tone('stale', 500), { type: 'hangup', cause: 16 });
    b.send(legId, tone('p', 300));
    await b.heard(legId, 'play_ended');
    [isValid, heldMs] = [true, 0];
    await vi.waitFor(() => expect(a.engine.legCount).toBe(0), WAIT);
    expect((await b.engine.inspect(legId)).state).toBe('connected');
    b.send(legId, { type: 'hangup', cause: 16 });
    await b.heard(legId, 'ended');
    expect(b.events.at(-1)?.event).toMatchObject({ by: 'near' });
    await stop();
  });
});
