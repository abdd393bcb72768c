/** State of a bridge: reported to observers, kept in the record, and checked for REST commands. */
import { describe, expect, it } from 'vitest';
import type { BridgeProgress } from '../../src/language/steps/step.ts';
import { MASK } from '../../src/service/runtime/journal.ts';
import { answered, forever, kinds, type Program, scripted, until } from './scripted-steps.ts';

const initiated: BridgeProgress = { state: 'initiated', bridgeId: 'b1', from: '1', to: 'a' };
const at = (state: 'bridging' | 'bridged', to = 'a'): BridgeProgress => ({ state, to });
const cause = { code: 16, reason: 'Normal Clearing' };
const over = (state: 'failed' | 'bridge_disconnected', to = 'a'): BridgeProgress => ({ state, to, cause });

/** Goes on to the next state with each key. */
const telling = (...progress: BridgeProgress[]): Program =>
  async function* ({ reportBridge, leg }) {
    leg.send({ type: 'answer' });
    for (const each of progress) {
      reportBridge(each);
      yield* until((event) => (event.type === 'digit' ? true : undefined), { digits: { claims: '1' } });
    }
    return { outcome: 'completed' };
  };

describe('a bridge', () => {
  it('goes through its states, and the call through them with it', async () => {
    const states: string[] = [];
    const call = await scripted({
      first: telling(initiated, at('bridging'), at('bridged'), over('bridge_disconnected')),
    });
    await call.tell(answered);
    for (let n = 0; n < 4; n++) {
      states.push(call.run.record.state);
      await call.clock.advance(1_000);
      if (n < 3) await call.press('1');
    }
    expect(states).toEqual(['connected', 'bridging', 'bridged', 'connected']);
    expect(kinds(call, 'bridge')).toMatchObject([
      { bridgeId: 'b1', state: 'initiated', from: '1', to: 'a' },
      { bridgeId: 'b1', state: 'bridging', from: '1', to: 'a' },
      { bridgeId: 'b1', state: 'bridged', from: '1', to: 'a' },
      { bridgeId: 'b1', state: 'bridge_disconnected', from: '1', to: 'a', cause: { code: 16 } },
    ]);
    const { startedMs } = call.run.record;
    expect(call.run.record.bridges).toEqual([
      { to: 'a', startedMs, answeredMs: startedMs + 2_000, endedMs: startedMs + 3_000, cause, hangupBy: 'service' },
    ]);
    // Observers see each entry with the state of the call at that moment.
    expect(kinds(call, 'state').map(({ state }) => state)).toEqual(['incomingcall', 'connected']);
  });

  it.each<[string, BridgeProgress[], string[]]>([
    ['rings once', [initiated, at('bridging'), at('bridging')], ['initiated', 'bridging']],
    ['is taken by another', [initiated, at('bridged'), at('bridged', 'b')], ['initiated', 'bridged', 'bridged']],
    ['does not go back to ringing', [initiated, at('bridged'), at('bridging', 'b')], ['initiated', 'bridged']],
    ['fails', [initiated, over('failed')], ['initiated', 'failed']],
    ['is none that was not begun', [at('bridged'), over('failed')], []],
    [
      'ends the one before it',
      [initiated, at('bridged'), initiated],
      ['initiated', 'bridged', 'bridge_disconnected', 'initiated'],
    ],
    ['comes to one end', [initiated, over('failed'), over('failed'), at('bridged')], ['initiated', 'failed']],
  ])('reports its states: %s', async (_what, progress, expected) => {
    const call = await scripted({ first: telling(...progress) });
    await call.tell(answered);
    await call.press('1'.repeat(progress.length - 1));
    expect(kinds(call, 'bridge').map(({ state }) => state)).toEqual(expected);
  });

  it('is ended if its step leaves it open', async () => {
    for (const [state, end] of [
      ['bridged', 'bridge_disconnected'],
      ['bridging', 'failed'],
    ] as const) {
      const call = await scripted({ first: telling(initiated, at(state)) });
      await call.tell(answered);
      await call.press('11');
      expect(kinds(call, 'bridge').at(-1)).toMatchObject({ state: end });
    }
  });

  it.each([
    ['bridged', 'bridge_disconnected'],
    ['bridging', 'failed'],
  ] as const)('has the state %s, reported as %s before the end of the call', async (state, end) => {
    const call = await scripted({ first: telling(initiated, at(state), at(state)) });
    await call.tell(answered);
    await call.press('1');
    await call.hangUp();
    await call.run.done;
    const ends = call.journal().filter(({ kind }) => kind === 'bridge' || kind === 'state');
    expect(ends.slice(-2)).toMatchObject([{ kind: 'bridge', state: end, cause }, { state: 'disconnected' }]);
    expect(call.run.record).toMatchObject({ state: 'disconnected', bridges: [{ endedMs: call.clock.now() }] });
  });

  it('is in the record only among the first twenty', async () => {
    const many = Array.from({ length: 25 }, (_, n): BridgeProgress => ({ ...initiated, bridgeId: `b${n}` }));
    const call = await scripted({
      async *first({ reportBridge }) {
        for (const each of many) reportBridge(each);
        reportBridge(over('failed', 'last'));
        return yield* forever();
      },
    });
    expect(call.run.record.bridges).toHaveLength(20);
    expect(kinds(call, 'bridge').at(-1)).toMatchObject({ bridgeId: 'b24', to: 'last' });
  });
});

describe('digits', () => {
  const talking: Program = async function* ({ reportBridge, leg }) {
    leg.send({ type: 'answer' });
    reportBridge(initiated);
    reportBridge(at('bridged'));
    return yield* forever();
  };

  it('are reported while bridged, and otherwise kept for the next step, if no step takes them', async () => {
    const call = await scripted({
      first: talking,
      async *second({ leg, notify }) {
        notify('typed', leg.takeTypedAhead());
        return yield* forever();
      },
    });
    await call.tell(answered);
    await call.press('12');
    expect(kinds(call, 'digit').map(({ digit }) => digit)).toEqual(['1', '2']);
    await call.press('9');
    expect(kinds(call, 'digit')).toHaveLength(2);
    expect(kinds(call, 'notified')).toMatchObject([{ body: '' }]);
    await call.press('3');
    expect(kinds(call, 'digit')).toHaveLength(2);
  });

  it('are dropped before a step that asks for a PIN, if they belong to the conversation; a sensitive step masks them', async () => {
    const steps = (sensitive: boolean) => `
  first: { bridge: first, sensitive: ${sensitive}, exits: { completed: pin } }
  pin: { bridge: first, sensitive: true, exits: { completed: bye } }
  missed: { log: missed, next: bye }
  bye: { hangup: normal }
  broken: { hangup: failure }
`;
    for (const sensitive of [false, true]) {
      const call = await scripted({ first: talking }, { steps: steps(sensitive), head: '' });
      await call.tell(answered);
      await call.press('7');
      expect(kinds(call, 'digit')).toMatchObject([{ digit: sensitive ? MASK : '7' }]);
      expect(JSON.stringify(call.journal()).includes('"digit":"7"')).toBe(!sensitive);
    }
  });
});
