import { describe, expect, it } from 'vitest';
import { flowText, heard, startSteps } from '../steps/scripted-call.ts';

const logged = (call: Awaited<ReturnType<typeof startSteps>>) =>
  call.journal().flatMap((entry) => (entry.kind === 'log' ? [entry.message] : []));

const AWAY = '\n  away: { log: away, next: stay }\n  stay: { pause: 1h, next: bye }';

describe('an interrupt by a digit', () => {
  const head = 'events: { "dtmf.0": away }';

  it.each([
    ['play', '{ play: "Long story", next: bye }'],
    ['play with barge-in', '{ play: { text: Story, barge_in: true }, next: bye }'],
    ['pause', '{ pause: 1m, next: bye }'],
    ['wait_for', '{ wait_for: [x], exits: { x: bye } }'],
    ['request', '{ request: { get: "https://x.example/" }, exits: { ok: bye, not_found: bye, failed: bye } }'],
    [
      'menu without the key',
      '{ menu: { prompt: { text: Q }, choices: { one: { dtmf: "1" } } }, exits: { one: bye, exhausted: bye } }',
    ],
    ['record', '{ record: { beep: false }, exits: { recorded: bye, silence: bye } }'],
  ])('leaves the step %s', async (_name, step) => {
    const call = await startSteps(`  first: ${step}${AWAY}`, { head });
    await call.press('0');
    expect(call.outcomes()).toEqual(['first:$dtmf.0', 'away:done']);
    expect(call.path()).toEqual(['first', 'away', 'stay']);
  });

  it.each([
    ['collect', '{ collect: { digits: { length: 1 } }, exits: { collected: bye, exhausted: bye } }', 'first:collected'],
    [
      'menu with the key',
      '{ menu: { choices: { zero: { dtmf: "0" } } }, exits: { zero: bye, exhausted: bye } }',
      'first:zero',
    ],
  ])('gives way to %s, which asked for the digit', async (_name, step, outcome) => {
    const call = await startSteps(`  first: ${step}${AWAY}`, { head });
    await call.press('0');
    expect(call.outcomes()[0]).toBe(outcome);
  });

  it('is not typed ahead', async () => {
    const call = await startSteps(
      `
  first: { pause: 1m, next: bye }
  away: { collect: { digits: { length: 2 }, attempts: 1 }, exits: { collected: bye, exhausted: bye } }`,
      { head },
    );
    await call.tell({ type: 'answered' });
    await call.press('0');
    await call.press('12');
    expect(call.journal().findLast((entry) => entry.kind === 'left' && entry.step === 'away')).toMatchObject({
      result: { digits: '12' },
    });
  });

  it('stops what the step played, and its deadline', async () => {
    const call = await startSteps(
      `  first: { collect: { prompt: { text: Q }, digits: { length: 4 } }, exits: { collected: bye, exhausted: bye } }\n  away: { wait_for: [x], exits: { x: bye } }`,
      {
        head: 'events: { event.stop: away }',
      },
    );
    await call.finishPlay();
    const before = call.clock.pendingTimers;
    await call.command({ type: 'event', name: 'stop', data: null });
    expect(call.clock.pendingTimers).toBe(before - 1);
    expect(call.path()).toEqual(['first', 'away']);
    await call.clock.advance(60_000);
    expect(call.outcomes()).toEqual(['first:$event.stop']);
    expect(heard(call)).toEqual(['Q']);
  });
});

describe('an interrupt that leads to the end', () => {
  it('ends the call immediately', async () => {
    const call = await startSteps('  first: { pause: 1h, next: bye }', { head: 'events: { "dtmf.0": $end }' });
    await call.press('0');
    expect(call.outcomes()).toEqual(['first:$dtmf.0']);
    expect(call.commands).toEqual([{ type: 'hangup', cause: 16 }]);
    await call.hangUp();
    expect(call.journal().at(-1)).toMatchObject({ kind: 'ended', reason: 'completed' });
  });

  it('ends the inner flow, and the calling flow continues', async () => {
    const call = await startSteps('  first: { subflow: inner, next: away }\n  away: { log: away, next: bye }', {
      flows: { inner: flowText('  first: { pause: 1h, next: bye }', 'events: { event.enough: $end }') },
    });
    await call.command({ type: 'event', name: 'enough', data: null });
    expect(call.outcomes()).toEqual(['first:$event.enough', 'first:done', 'away:done', 'bye:done']);
  });
});

describe('an interrupt by an event', () => {
  it('is triggered by a named event from outside', async () => {
    const call = await startSteps(`  first: { play: "Long story", next: bye }${AWAY}`, {
      head: 'events: { event.away: away }',
    });
    expect(await call.command({ type: 'event', name: 'away', data: null })).toEqual({ ok: true });
    expect(call.outcomes()).toEqual(['first:$event.away', 'away:done']);
    expect(await call.command({ type: 'event', name: 'unknown', data: null })).toMatchObject({ ok: false });
  });

  it('is refused where the flow does not take events', async () => {
    const call = await startSteps(`  first: { play: "Long story", next: bye }${AWAY}`, {
      head: 'api: { event: false }\nevents: { event.away: away }',
    });
    expect(await call.command({ type: 'event', name: 'away', data: null })).toEqual({
      ok: false,
      refusal: 'not_accepted_here',
    });
  });

  it('does nothing after the caller has hung up', async () => {
    const call = await startSteps(
      `  first: { request: { get: "https://x.example/" }, exits: { ok: bye, not_found: bye, failed: bye } }${AWAY}`,
      { head: 'events: { event.away: away }' },
    );
    await call.hangUp();
    expect(await call.command({ type: 'event', name: 'away', data: null })).toEqual({ ok: false, refusal: 'ended' });
  });
});

describe('the interrupt by a hang-up', () => {
  const head = 'events: { hangup: away }';

  it('leads away from any step that needs the caller', async () => {
    const call = await startSteps('  first: { pause: 1m, next: bye }\n  away: { log: away, next: bye }', { head });
    await call.hangUp();
    await call.run.done;
    expect(call.outcomes()).toEqual(['first:hangup', 'away:done', 'bye:done']);
  });

  it('comes after the exits of the step', async () => {
    const call = await startSteps(
      '  first: { pause: 1m, exits: { done: bye, hangup: own } }\n  own: { log: own, next: bye }\n  away: { log: away, next: bye }',
      { head },
    );
    await call.hangUp();
    expect(logged(call)).toEqual(['own']);
  });

  it('happens once, even where it leads to a step that needs the caller', async () => {
    const call = await startSteps('  first: { pause: 1m, next: bye }\n  away: { play: "Too late", next: bye }', {
      head,
    });
    await call.hangUp();
    await call.run.done;
    expect(call.outcomes()).toEqual(['first:hangup', 'away:hangup']);
  });

  it('prefers the inner flow to the outer flow, which has its turn too', async () => {
    const call = await startSteps('  first: { subflow: inner, next: bye }\n  away: { log: outside, next: bye }', {
      head,
      flows: {
        inner: flowText(
          '  first: { pause: 1h, next: bye }\n  note: { log: inside, next: $end }',
          'events: { hangup: note }',
        ),
      },
    });
    await call.hangUp();
    await call.run.done;
    expect(logged(call)).toEqual(['inside', 'outside']);
  });

  it('cannot loop for ever between flows', async () => {
    const call = await startSteps('  first: { subflow: inner, next: first }', {
      flows: {
        inner: flowText('  first: { pause: 1h, exits: { done: bye, hangup: back } }\n  back: { return: done }'),
      },
    });
    await call.hangUp();
    await call.run.done;
    expect(call.path()).toEqual(['first', 'first', 'back', 'first', 'first']);
  });
});
