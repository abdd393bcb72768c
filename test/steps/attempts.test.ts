import { describe, expect, it } from 'vitest';
import { heard, lastLeft, startSteps } from './scripted-call.ts';

const said = ['Q', 'silent1', 'silent2', 'wrong1', 'wrong2', 'You typed 12', 'You typed 34'];
const names = (call: Parameters<typeof heard>[0]) => heard(call).filter((name) => said.includes(name));

const prompts = `prompts: { q: Q, silent1: silent1, silent2: silent2, wrong1: wrong1, wrong2: wrong2 }`;

const asking = (args: string) =>
  startSteps(
    `
  first:
    collect:
      prompt: { text: Q }
      digits: { length: 2 }
      start_timeout: 5s
      ${args.split('\n').join('\n      ')}
    exits: { collected: bye, exhausted: bye }`,
    { head: prompts },
  );

const tapered = `no_input: [{ text: silent1 }, { text: silent2 }]
no_match: [{ text: wrong1 }, { text: wrong2 }]`;

describe('attempts', () => {
  it.each([
    ['three when nothing is said', '', 3],
    ['as many as they say', 'attempts: 2', 2],
    ['one', 'attempts: 1', 1],
  ])('counts attempts as documented: %s', async (_name, args, attempts) => {
    const call = await asking(args || tapered);
    for (let attempt = 1; attempt <= attempts; attempt++) {
      expect(call.outcomes()).toEqual([]);
      await call.finishPlay();
      await call.clock.advance(5_000);
    }
    expect(call.outcomes()[0]).toBe('first:exhausted.no_input');
  });

  it.each([
    ['SSSSS', ['Q', 'silent1', 'silent2', 'silent2', 'silent2'], 'no_input'],
    ['WWWWW', ['Q', 'wrong1', 'wrong2', 'wrong2', 'wrong2'], 'no_match'],
    ['SWSWS', ['Q', 'silent1', 'wrong1', 'silent2', 'wrong2'], 'no_input'],
    ['WSSWW', ['Q', 'wrong1', 'silent1', 'silent2', 'wrong2'], 'no_match'],
  ])('steps through the prompts of no_input and of no_match separately: %s', async (story, expected, why) => {
    const call = await asking(`attempts: 5\n${tapered}`);
    for (const what of story) {
      if (what === 'S') {
        await call.finishPlay();
        await call.clock.advance(5_000);
      } else await call.press('1#');
    }
    expect(names(call)).toEqual(expected);
    expect(call.outcomes()[0]).toBe(`first:exhausted.${why}`);
  });

  it('repeats the question when there are no retry prompts', async () => {
    const call = await asking('attempts: 2');
    await call.press('1#');
    await call.press('1#');
    expect(names(call)).toEqual(['Q', 'Q']);
  });

  it('uses a single retry prompt for every attempt', async () => {
    const call = await asking('attempts: 3\nno_match: { text: wrong1 }');
    for (let attempt = 0; attempt < 3; attempt++) await call.press('1#');
    expect(names(call)).toEqual(['Q', 'wrong1', 'wrong1']);
  });

  it('plays a list that is the entry of one attempt as a whole', async () => {
    const call = await asking('attempts: 2\nno_match: [[{ text: wrong1 }, { text: Q }]]');
    await call.press('1#');
    expect(call.lastPlay().audio).toHaveLength(2);
  });

  it('uses defaults.input of the flow', async () => {
    const call = await startSteps(
      '  first: { collect: { prompt: { text: Q }, digits: { length: 2 } }, exits: { collected: bye, exhausted: bye } }',
      { head: 'defaults: { input: { attempts: 1, start_timeout: 2s }, exits: { error: broken } }' },
    );
    await call.finishPlay();
    await call.clock.advance(2_000);
    expect(call.outcomes()[0]).toBe('first:exhausted.no_input');
  });

  it('succeeds at the last attempt', async () => {
    const call = await asking(tapered);
    await call.press('1#');
    await call.press('1#');
    await call.press('99');
    expect(call.journal().find((entry) => entry.kind === 'left')).toMatchObject({ result: { digits: '99' } });
  });

  it('ends with an error when a prompt is missing', async () => {
    const call = await asking('no_match: [{ audio: "${ \'nothing.wav\' }" }]');
    await call.press('1#');
    expect(call.outcomes()).toEqual(['first:error', 'broken:done']);
  });
});

describe('confirm', () => {
  const confirmed = 'confirm: { prompt: "You typed ${ result.digits }" }';

  it('reads the input back and accepts it with the key for yes', async () => {
    const call = await asking(confirmed);
    await call.press('12');
    expect(names(call)).toEqual(['Q', 'You typed 12']);
    expect(call.outcomes()).toEqual([]);
    await call.press('1');
    expect(call.journal().find((entry) => entry.kind === 'left')).toMatchObject({ result: { digits: '12' } });
  });

  it('asks again after the key for no', async () => {
    const call = await asking(confirmed);
    await call.press('12');
    await call.press('2');
    await call.press('34');
    await call.press('1');
    expect(names(call)).toEqual(['Q', 'You typed 12', 'Q', 'You typed 34']);
    expect(call.journal().find((entry) => entry.kind === 'left')).toMatchObject({ result: { digits: '34' } });
  });

  it('allows other keys for confirmation', async () => {
    const call = await asking('confirm: { prompt: "Right? Press 5, else *", accept: "5", retry: "*" }');
    await call.press('12');
    await call.press('*');
    await call.press('34');
    await call.press('5');
    expect(call.journal().find((entry) => entry.kind === 'left')).toMatchObject({ result: { digits: '34' } });
  });

  it('is exhausted after as many noes as there are attempts', async () => {
    const call = await asking(`${confirmed}\nattempts: 2`);
    for (let round = 0; round < 2; round++) {
      await call.press('12');
      await call.press('2');
    }
    expect(call.outcomes()[0]).toBe('first:exhausted.no_match');
  });

  it.each([
    [
      'silence',
      'no_input',
      async (call: Awaited<ReturnType<typeof asking>>) => {
        await call.finishPlay();
        await call.clock.advance(5_000);
      },
    ],
    ['other keys', 'no_match', (call: Awaited<ReturnType<typeof asking>>) => call.press('7')],
  ] as const)('is exhausted by %s', async (_name, why, answer) => {
    const call = await asking(`${confirmed}\nattempts: 2`);
    await call.press('12');
    await answer(call);
    expect(names(call)).toEqual(['Q', 'You typed 12', 'You typed 12']);
    await answer(call);
    expect(call.outcomes()[0]).toBe(`first:exhausted.${why}`);
  });

  it('is not answered by the terminator that callers press out of habit', async () => {
    const call = await asking(`${confirmed}\nattempts: 1`);
    await call.press('12#');
    expect(call.outcomes()).toEqual([]);
    await call.press('1');
    expect(lastLeft(call)).toMatchObject({ step: 'bye' });
    expect(call.outcomes()[0]).toBe('first:collected');
  });

  it('accepts digits typed ahead', async () => {
    const call = await startSteps(`
  first: { pause: 1s, next: ask }
  ask:
    collect: { prompt: { text: Q }, digits: { length: 2 }, confirm: { prompt: { text: Right? } } }
    exits: { collected: bye, exhausted: bye }`);
    await call.tell({ type: 'answered' });
    await call.press('121');
    await call.clock.advance(1_000);
    expect(call.outcomes()).toEqual(['first:done', 'ask:collected', 'bye:done']);
    expect(heard(call)).toEqual([]);
  });
});
