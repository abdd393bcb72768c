/** A call that another node has adopted: its run here does and writes nothing more. */
import { describe, expect, it } from 'vitest';
import { Fenced } from '../../src/base/core/ownership.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { startCall } from './test-call.ts';

const FLOW = `
flow: test
start: ask
defaults: { exits: { error: $end } }
steps:
  ask: { collect: { prompt: { text: "Your number?" }, digits: { length: 1 } }, exits: { collected: say, exhausted: $end } }
  say: { play: { text: "Thank you" }, next: $end }
`;

async function adopted() {
  const store = openSqliteStore({ file: ':memory:', clock: new VirtualClock() });
  const fenced: string[] = [];
  const released: string[] = [];
  const call = async (releases: boolean) =>
    startCall(FLOW, {
      ports: {
        callStore: store.calls,
        onFenced: (callId) => fenced.push(callId),
        ...(releases && {
          engine: {
            dial: () => undefined,
            send: (_leg, { type }) => released.push(type),
            release: (legId) => released.push(`release ${legId}`),
          },
        }),
      },
    });
  return { store, fenced, released, call };
}

describe('a run whose call another node has adopted', () => {
  it('writes nothing, hangs its leg up, and is over', async () => {
    const { store, fenced, call: begin } = await adopted();
    const call = await begin(false);
    const before = await store.calls.journal('call-1');
    expect(await store.calls.adopt('call-1', { owner: 'life-2', seenFence: 1 })).toBe(2);
    const done = call.commands.length;
    await call.press('5');
    await call.run.done;
    expect(call.commands.slice(done)).toMatchObject([{ type: 'hangup', cause: 41 }]);
    expect(await store.calls.journal('call-1')).toEqual(before);
    expect([fenced, call.crashes, call.clock.pendingTimers]).toEqual([['call-1'], [], 0]);
    expect(await call.command({ type: 'hangup', cause: 16 })).toEqual({ ok: false, refusal: 'ended' });
  });

  it('is over without an event of its legs when it is let go', async () => {
    const { store, fenced, call: begin } = await adopted();
    const call = await begin(false);
    const before = await store.calls.journal('call-1');
    const done = call.commands.length;
    call.run.letGo();
    await call.run.done;
    expect(call.commands.slice(done)).toMatchObject([{ type: 'hangup', cause: 41 }]);
    expect([await store.calls.journal('call-1'), fenced]).toEqual([before, ['call-1']]);
  });

  it('lets its leg go where the engine can carry it on for the other node', async () => {
    const { store, fenced, released, call: begin } = await adopted();
    const call = await begin(true);
    await call.tell({ type: 'answered' });
    await store.calls.adopt('call-1', { owner: 'life-2', seenFence: 1 });
    const done = released.length;
    await call.press('5');
    await call.run.done;
    expect(released.slice(done)).toEqual(['release leg-1']);
    expect(fenced).toEqual(['call-1']);
  });

  it('is known by the error of its store alone', () => {
    expect(new Fenced('call-1', { owner: 'life-1', fence: 1 }).message).toBe(
      'call call-1: life-1 does not own it under fence 1 any more',
    );
  });
});
