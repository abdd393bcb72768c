import { describe, expect, it } from 'vitest';
import { heard, startSteps } from './scripted-call.ts';

const choosing = (args = '', head = '') =>
  startSteps(
    `
  first:
    menu:
      prompt: { text: Q }
      choices: { one: { dtmf: "1" }, two: { dtmf: "2" }, star: { dtmf: "*" }, hash: { dtmf: "#" } }
      start_timeout: 4s
      ${args}
    exits: { one: bye, two: bye, star: bye, hash: bye, exhausted: bye }`,
    { head },
  );

describe('menu', () => {
  it.each([
    ['1', 'one'],
    ['2', 'two'],
    ['*', 'star'],
    ['#', 'hash'],
  ])('maps the key %s to %s at once', async (digits, choice) => {
    const call = await choosing();
    const { playId } = call.lastPlay();
    await call.press(digits);
    expect(call.commands).toContainEqual({ type: 'stop_play', playId });
    expect(call.journal().find((entry) => entry.kind === 'left')).toMatchObject({
      outcome: choice,
      result: { choice, digits },
    });
  });

  it('asks again after a wrong key, and after silence', async () => {
    const call = await choosing('no_match: [{ text: wrong }]\n      no_input: [{ text: silent }]');
    await call.press('9');
    expect(heard(call)).toEqual(['Q', 'wrong']);
    await call.finishPlay();
    await call.clock.advance(3_999);
    expect(heard(call)).toEqual(['Q', 'wrong']);
    await call.clock.advance(1);
    expect(heard(call)).toEqual(['Q', 'wrong', 'silent']);
    await call.press('2');
    expect(call.outcomes()).toEqual(['first:two', 'bye:done']);
  });

  it.each([
    ['wrong keys', 'no_match', '9'],
    ['silence', 'no_input', ''],
  ])('is exhausted by %s', async (_name, why, pressed) => {
    const call = await choosing('attempts: 2');
    for (let attempt = 0; attempt < 2; attempt++) {
      if (pressed) await call.press(pressed);
      else {
        await call.finishPlay();
        await call.clock.advance(4_000);
      }
    }
    expect(call.outcomes()[0]).toBe(`first:exhausted.${why}`);
  });

  it('keeps its own keys from the interrupts of the flow, and only those', async () => {
    const head = 'events: { "dtmf.1": broken, "dtmf.0": broken }';
    const chosen = await choosing('', head);
    await chosen.press('1');
    expect(chosen.outcomes()).toEqual(['first:one', 'bye:done']);

    const interrupted = await choosing('', head);
    await interrupted.press('0');
    expect(interrupted.outcomes()).toEqual(['first:$dtmf.0', 'broken:done']);
  });

  it('takes the key that was pressed during the prompt without barge-in', async () => {
    const call = await choosing('barge_in: false');
    await call.press('2');
    expect(call.outcomes()).toEqual([]);
    await call.finishPlay();
    expect(call.outcomes()).toEqual(['first:two', 'bye:done']);
  });

  it('leaves the keys after its own to the next step', async () => {
    const call = await startSteps(`
  first: { pause: 1s, next: outer }
  outer: { menu: { prompt: { text: Outer }, choices: { in: { dtmf: "1" } } }, exits: { in: inner, exhausted: bye } }
  inner: { menu: { prompt: { text: Inner }, choices: { there: { dtmf: "2" } } }, exits: { there: bye, exhausted: bye } }`);
    await call.tell({ type: 'answered' });
    await call.press('12');
    await call.clock.advance(1_000);
    expect(call.outcomes()).toEqual(['first:done', 'outer:in', 'inner:there', 'bye:done']);
    expect(heard(call)).toEqual([]);
  });

  it('ends when the caller hangs up', async () => {
    const call = await choosing();
    await call.hangUp();
    expect(call.outcomes()).toEqual(['first:hangup']);
  });
});
