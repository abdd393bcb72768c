import { describe, expect, it } from 'vitest';
import { heard, lastLeft, startSteps } from './scripted-call.ts';

const TIMES = 'start_timeout: 6s, inter_digit_timeout: 3s';

/** A flow with one attempt; the step `next` then waits. */
const collecting = (args: string, head = '') =>
  startSteps(
    `
  first:
    collect: { prompt: { text: Digits? }, attempts: 1, ${TIMES}, ${args} }
    exits: { collected: next, exhausted: next }
  next: { pause: 1h, next: bye }`,
    { head },
  );

const result = (digits: string) => ({ step: 'first', outcome: 'collected', result: { digits } });

describe('collect: what makes an input complete', () => {
  it.each([
    ['digits: { length: 4 }', '1234', '1234'],
    ['digits: { length: 1 }', '5', '5'],
    ['digits: { max: 3 }', '123', '123'],
    ['digits: { min: 2, max: 4 }', '1234', '1234'],
    ['digits: { min: 2, max: 4 }', '12#', '12'],
    ['digits: { min: 1 }', '7#', '7'],
    ['digits: {}', '12345#', '12345'],
    ['digits: { terminator: "*" }', '12*', '12'],
    ['digits: { terminator: "*" }', '1#2*', '1#2'],
    ['digits: { length: 3, terminator: "" }', '1#2', '1#2'],
    ['digits: { length: 4, pattern: "[0-9]{4}" }', '1234', '1234'],
    ['digits: { min: 1, max: 6, pattern: "1|2222" }', '1#', '1'],
    ['digits: { min: 1, max: 4, pattern: "1|2222" }', '2222', '2222'],
    ['digits: { min: 2, max: 8, pattern: "^[1-9]+$" }', '123#', '123'],
    ['digits: { min: 40 }', '1'.repeat(40), '1'.repeat(40)],
    ['digits: { length: 2 }', 'A*', 'A*'],
  ])('%s takes %s at once as %s', async (args, pressed, digits) => {
    const call = await collecting(args);
    await call.press(pressed.slice(0, -1));
    expect(call.outcomes()).toEqual([]);
    await call.press(pressed.slice(-1));
    expect(lastLeft(call)).toMatchObject(result(digits));
  });

  it.each([
    ['digits: { min: 2 }', '12', '12'],
    ['digits: { min: 2, max: 4 }', '123', '123'],
    ['digits: { min: 1, max: 6, pattern: "1|2222" }', '2222', '2222'],
  ])('%s takes %s after the silence between digits', async (args, pressed, digits) => {
    const call = await collecting(args);
    await call.press(pressed);
    await call.clock.advance(2_999);
    expect(call.outcomes()).toEqual([]);
    await call.clock.advance(1);
    expect(lastLeft(call)).toMatchObject(result(digits));
  });

  it.each([
    ['digits: { length: 4 }', '12#'],
    ['digits: { length: 4 }', '#'],
    ['digits: { min: 2, max: 4 }', '1#'],
    ['digits: { length: 4, pattern: "[1-3]{4}" }', '1239'],
    // The whole input has to match, not a part of it.
    ['digits: { max: 4, pattern: "[1-3][1-3]" }', '9129'],
    ['digits: { max: 4, pattern: "1|2" }', '19#'],
    ['digits: { max: 6, pattern: "^1" }', '19#'],
  ])('%s does not match %s', async (args, pressed) => {
    const call = await collecting(args);
    await call.press(pressed);
    expect(call.outcomes()).toEqual(['first:exhausted.no_match']);
  });

  it.each([
    ['digits: { length: 4 }', '123'],
    ['digits: { min: 3 }', '12'],
    ['digits: { min: 1, pattern: "[1-3]+" }', '9'],
  ])('%s does not match %s and then silence', async (args, pressed) => {
    const call = await collecting(args);
    await call.press(pressed);
    await call.clock.advance(2_999);
    expect(call.outcomes()).toEqual([]);
    await call.clock.advance(1);
    expect(call.outcomes()).toEqual(['first:exhausted.no_match']);
  });
});

describe('collect: time', () => {
  it('waits for the first digit from the end of the prompt', async () => {
    const call = await collecting('digits: { length: 4 }');
    await call.clock.advance(60_000);
    expect(call.outcomes()).toEqual([]);
    await call.finishPlay();
    await call.clock.advance(5_999);
    expect(call.outcomes()).toEqual([]);
    await call.clock.advance(1);
    expect(call.outcomes()).toEqual(['first:exhausted.no_input']);
  });

  it('restarts the time between digits with each digit', async () => {
    const call = await collecting('digits: { length: 4 }');
    for (const digit of '123') {
      await call.press(digit);
      await call.clock.advance(2_999);
    }
    await call.press('4');
    expect(lastLeft(call)).toMatchObject(result('1234'));
  });

  it('waits ten seconds for the first digit and three for the next by default', async () => {
    const call = await startSteps(
      '  first: { collect: { digits: { length: 4 }, attempts: 2 }, exits: { collected: bye, exhausted: bye } }',
    );
    await call.clock.advance(9_999);
    expect(call.commands.map(({ type }) => type)).toEqual(['answer']);
    await call.press('1');
    await call.clock.advance(2_999);
    expect(call.journal().filter(({ kind }) => kind === 'timer')).toHaveLength(2);
    await call.clock.advance(1);
    expect(call.journal().filter(({ kind }) => kind === 'timer')).toHaveLength(3);
  });

  it('is not prolonged by events that are not digits', async () => {
    const call = await collecting('digits: { length: 4 }');
    await call.finishPlay();
    await call.clock.advance(3_000);
    await call.tell({ type: 'digits_sent', sendId: 'send-1' });
    await call.command({ type: 'event', name: 'nothing', data: null });
    await call.clock.advance(3_000);
    expect(call.outcomes()).toEqual(['first:exhausted.no_input']);
  });

  it('takes the digit that comes before the deadline of the same instant', async () => {
    const call = await collecting('digits: { length: 1 }');
    await call.finishPlay();
    const dueMs = call.clock.nextDeadlineMs!;
    await call.clock.advance(dueMs - call.clock.now() - 1);
    const digit = { type: 'digit', digit: '1', durationMs: 100 } as const;
    call.run.post({ type: 'leg', event: digit });
    await call.clock.advance(1);
    expect(call.outcomes()).toEqual(['first:collected']);
  });

  it('starts at once without a prompt', async () => {
    const call = await startSteps(
      `  first: { collect: { digits: { length: 1 }, attempts: 1, ${TIMES} }, exits: { collected: bye, exhausted: bye } }`,
    );
    await call.clock.advance(6_000);
    expect(call.outcomes()[0]).toBe('first:exhausted.no_input');
  });
});

describe('collect: barge-in', () => {
  it('stops the prompt in its first millisecond', async () => {
    const call = await collecting('digits: { length: 2 }');
    const { playId } = call.lastPlay();
    await call.press('1');
    expect(call.commands.at(-1)).toEqual({ type: 'stop_play', playId });
    await call.press('2');
    expect(lastLeft(call)).toMatchObject(result('12'));
  });

  it('counts the silence between digits from the digit that stopped the prompt', async () => {
    const call = await collecting('digits: { min: 1 }');
    await call.press('1');
    await call.clock.advance(3_000);
    expect(lastLeft(call)).toMatchObject(result('1'));
  });

  it('treats the terminator alone as an empty answer', async () => {
    const call = await collecting('digits: { min: 1 }');
    await call.press('#');
    expect(call.outcomes()).toEqual(['first:exhausted.no_match']);
  });

  it.each([
    ['keep', '12', 'first:collected'],
    ['flush', '', 'first:exhausted.no_input'],
  ])('is off when configured, with typeahead %s', async (typeahead, taken, outcome) => {
    const call = await collecting(`digits: { length: 2 }, barge_in: false, typeahead: ${typeahead}`);
    await call.press('12');
    expect(call.commands.map(({ type }) => type)).toEqual(['answer', 'play']);
    expect(call.outcomes()).toEqual([]);
    await call.finishPlay();
    await call.clock.advance(6_000);
    expect(call.outcomes()).toEqual([outcome]);
    if (taken) expect(lastLeft(call)).toMatchObject(result(taken));
  });
});

describe('collect ends with an error because of', () => {
  it('fails without its prompt', async () => {
    const call = await collecting('digits: { length: 2 }', 'vars: { key: { type: string, default: nothing } }');
    expect(call.outcomes()).toEqual([]);
    const broken = await startSteps(
      '  first: { collect: { prompt: { audio: "${ \'nothing.wav\' }" }, digits: {} }, exits: { collected: bye, exhausted: bye } }',
    );
    expect(broken.outcomes()).toEqual(['first:error', 'broken:done']);
  });

  it('reports an engine that cannot play', async () => {
    const call = await collecting('digits: { length: 2 }');
    const fault = { code: 'tts_down', message: 'no voice', retryable: true };
    await call.tell({ type: 'play_ended', playId: call.lastPlay().playId, reason: 'failed', playedMs: 0, fault });
    expect(call.journal().find((entry) => entry.kind === 'left')).toMatchObject({ outcome: 'error', fault });
  });

  it('rejects arguments that an expression makes invalid', async () => {
    const call = await startSteps(
      '  first: { collect: { digits: "${ { \'length\': 0 } }" }, exits: { collected: bye, exhausted: bye } }',
    );
    expect(call.journal().find((entry) => entry.kind === 'left')).toMatchObject({
      outcome: 'error',
      fault: { code: 'invalid_arguments' },
    });
  });

  it('does not count a caller who hangs up: that is the outcome hangup', async () => {
    const call = await collecting('digits: { length: 2 }');
    await call.press('1');
    await call.hangUp();
    expect(call.outcomes()).toEqual(['first:hangup']);
    expect(heard(call)).toEqual(['Digits?']);
  });
});
