import { describe, expect, it } from 'vitest';
import type { RuntimePorts } from '../../src/service/runtime/ports.ts';
import { checkJournal } from './journal-invariants.ts';
import { startCall, type TestCall } from './test-call.ts';

/** A call store that delays its answers while `slow` is set. */
function slowBook() {
  const waiting: (() => void)[] = [];
  const callStore = {
    slow: false,
    commit: (async (write) => {
      if (callStore.slow) await new Promise<void>((written) => waiting.push(written));
      callStore.writes.push(write);
    }) satisfies RuntimePorts['callStore']['commit'],
    writes: [] as Parameters<RuntimePorts['callStore']['commit']>[0][],
    /** Lets the write that waits be done. */
    async write(call: TestCall): Promise<void> {
      waiting.shift()?.();
      await call.clock.settle();
    },
    journal: () => callStore.writes.flatMap(({ entries }) => entries),
  };
  return callStore;
}

const flow = `
flow: slow
start: ask
defaults: { exits: { error: bye } }
steps:
  ask:
    collect: { digits: { length: 2 }, attempts: 1, start_timeout: 6s, inter_digit_timeout: 3s }
    exits: { collected: rest, exhausted: bye }
  rest: { pause: 10s, next: bye }
  bye: { hangup: normal }
`;
const unheard = { type: 'event', name: 'unheard', data: null } as const;

async function started() {
  const callStore = slowBook();
  const call = await startCall(flow, { ports: { callStore } });
  return { book: callStore, call };
}

const outcomes = (callStore: ReturnType<typeof slowBook>) =>
  callStore.journal().flatMap((entry) => (entry.kind === 'left' ? [`${entry.step}:${entry.outcome}`] : []));

describe('while commits are slow', () => {
  it('reports the first decision as written after its commit, for requests before and after it', async () => {
    const callStore = slowBook();
    callStore.slow = true;
    const call = await startCall(flow, { ports: { callStore } });
    const reported: boolean[] = [];
    void call.run.written.then((isWritten) => reported.push(isWritten));
    await call.clock.settle();
    expect(reported).toEqual([]);
    callStore.slow = false;
    await callStore.write(call);
    expect(reported).toEqual([true]);
    expect(await call.run.written).toBe(true);
  });

  it('drops a deadline after a digit that ended the wait', async () => {
    const { book: callStore, call } = await started();
    await call.clock.advance(5_500);
    callStore.slow = true;
    void call.run.command(unheard);
    await call.clock.advance(400);
    await call.press('1');
    await call.clock.advance(600);
    callStore.slow = false;
    await callStore.write(call);
    await call.press('2');
    expect(outcomes(callStore)).toEqual(['ask:collected']);
  });

  it('applies a deadline that precedes a digit', async () => {
    const { book: callStore, call } = await started();
    await call.clock.advance(5_500);
    callStore.slow = true;
    void call.run.command(unheard);
    await call.clock.advance(600);
    await call.press('1');
    callStore.slow = false;
    await callStore.write(call);
    expect(outcomes(callStore)).toEqual(['ask:exhausted.no_input', 'bye:done']);
  });

  it('counts time from the decision, not from its commit', async () => {
    const { book: callStore, call } = await started();
    await call.press('1');
    callStore.slow = true;
    await call.press('2');
    await call.clock.advance(4_000);
    callStore.slow = false;
    await callStore.write(call);
    await call.clock.advance(5_999);
    expect(outcomes(callStore)).toEqual(['ask:collected']);
    await call.clock.advance(1);
    expect(outcomes(callStore)).toEqual(['ask:collected', 'rest:done', 'bye:done']);
  });

  it('fires a deadline that passed meanwhile at once', async () => {
    const { book: callStore, call } = await started();
    callStore.slow = true;
    await call.press('1');
    await call.clock.advance(5_000);
    callStore.slow = false;
    await callStore.write(call);
    await call.clock.advance(0);
    expect(outcomes(callStore)).toEqual(['ask:exhausted.no_match', 'bye:done']);
  });

  it('performs nothing, and queues the inputs', async () => {
    const { book: callStore, call } = await started();
    await call.press('1');
    callStore.slow = true;
    const sent = call.commands.length;
    await call.press('2');
    const replies: string[] = [];
    for (const name of ['first', 'second']) {
      void call.run.command({ ...unheard, name }).then((reply) => replies.push(`${name} ${reply.ok}`));
    }
    void call.run.command({ type: 'hangup', cause: 16 }).then(({ ok }) => replies.push(`hangup ${ok}`));
    await call.hangUp();
    expect(call.commands).toHaveLength(sent);
    expect(replies).toEqual([]);
    await callStore.write(call);
    expect(replies).toEqual([]);
    await callStore.write(call);
    expect(replies).toEqual(['first false']);
    await callStore.write(call);
    await callStore.write(call);
    expect(replies).toEqual(['first false', 'second false', 'hangup true']);
    expect(call.commands.at(-1)).toEqual({ type: 'hangup', cause: 16 });
    await callStore.write(call);
    await call.run.done;
    expect(checkJournal(callStore.journal(), { over: true })).toEqual([]);
    expect(call.clock.pendingTimers).toBe(0);
  });
});
