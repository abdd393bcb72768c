import { describe, expect, it } from 'vitest';
import { heard, startSteps } from './scripted-call.ts';

const two = (first: string, second: string) => `
  first: { pause: 1s, next: one }
  one: { collect: { prompt: { text: One }, attempts: 1, ${first} }, exits: { collected: two, exhausted: two } }
  two: { collect: { prompt: { text: Two }, attempts: 1, ${second} }, exits: { collected: bye, exhausted: bye } }`;

async function typedAhead(steps: string, digits: string) {
  const call = await startSteps(steps);
  await call.tell({ type: 'answered' });
  await call.press(digits);
  await call.clock.advance(1_000);
  return call;
}

const results = (call: Awaited<ReturnType<typeof typedAhead>>) =>
  call
    .journal()
    .flatMap((entry) =>
      entry.kind === 'left' && entry.verb === 'collect'
        ? [(entry.result as { digits: string } | undefined)?.digits ?? entry.outcome]
        : [],
    );

describe('digits typed ahead', () => {
  it('answers two steps without playing their prompts', async () => {
    const call = await typedAhead(two('digits: { length: 2 }', 'digits: { length: 3 }'), '12345');
    expect(results(call)).toEqual(['12', '345']);
    expect(heard(call)).toEqual([]);
  });

  it('splits digits at the terminators', async () => {
    const call = await typedAhead(two('digits: { min: 1 }', 'digits: { min: 1 }'), '12#345#');
    expect(results(call)).toEqual(['12', '345']);
  });

  it('includes the terminator that a complete input does not need', async () => {
    const call = await typedAhead(two('digits: { length: 2 }', 'digits: { length: 3 }'), '12#345#');
    expect(results(call)).toEqual(['12', '345']);
  });

  it('starts an input that continues after the prompt', async () => {
    const call = await typedAhead(two('digits: { length: 2 }', 'digits: { length: 3 }'), '123');
    expect(results(call)).toEqual(['12']);
    expect(heard(call)).toEqual([]);
    await call.press('45');
    expect(results(call)).toEqual(['12', '345']);
  });

  it('are discarded where a step says so', async () => {
    const call = await typedAhead(two('digits: { length: 2 }', 'digits: { length: 2 }, typeahead: flush'), '1234');
    expect(results(call)).toEqual(['12']);
    expect(heard(call)).toEqual(['Two']);
    await call.press('56');
    expect(results(call)).toEqual(['12', '56']);
  });

  it('waits for the end of a prompt without barge-in', async () => {
    const call = await typedAhead(two('digits: { length: 2 }, barge_in: false', 'digits: { length: 2 }'), '1234');
    expect(heard(call)).toEqual(['One']);
    await call.finishPlay();
    expect(results(call)).toEqual(['12', '34']);
  });

  it('are discarded with the following ones if wrong, so that the caller hears the prompt', async () => {
    const call = await typedAhead(
      `
  first: { pause: 1s, next: ask }
  ask:
    menu: { prompt: { text: Q }, choices: { one: { dtmf: "1" } }, no_match: [{ text: wrong }] }
    exits: { one: bye, exhausted: bye }`,
      '91',
    );
    expect(heard(call)).toEqual(['wrong']);
    expect(call.outcomes()).toEqual(['first:done']);
  });

  it('are discarded with the following ones if they end too early', async () => {
    const call = await typedAhead(
      `
  first: { pause: 1s, next: ask }
  ask:
    collect: { prompt: { text: Q }, digits: { length: 4 }, no_match: [{ text: wrong }] }
    exits: { collected: bye, exhausted: bye }`,
      '12#3456',
    );
    expect(heard(call)).toEqual(['wrong']);
    expect(call.outcomes()).toEqual(['first:done']);
  });

  it('are kept while the call is being answered', async () => {
    const call = await startSteps(
      '  first: { collect: { prompt: { text: Q }, digits: { length: 2 } }, exits: { collected: bye, exhausted: bye } }',
      { answer: false },
    );
    await call.press('12');
    await call.tell({ type: 'answered' });
    expect(results(call)).toEqual(['12']);
  });

  it('are kept through steps that do not listen, as many as fit', async () => {
    const call = await typedAhead(two('digits: { length: 100 }', 'digits: { length: 2 }'), '1'.repeat(70));
    await call.press('2'.repeat(36));
    expect(results(call)[0]).toBe('1'.repeat(64) + '2'.repeat(36));
  });
});

describe('the terminator after a complete input', () => {
  const steps = two('digits: { length: 2 }, inter_digit_timeout: 2s', 'digits: { max: 5 }');

  it('is swallowed while the next step listens', async () => {
    const call = await typedAhead(steps, '');
    await call.press('12#');
    await call.press('34#');
    expect(results(call)).toEqual(['12', '34']);
  });

  it('is swallowed within inter_digit_timeout, to the millisecond', async () => {
    const swallowed = await typedAhead(steps, '');
    await swallowed.press('12');
    await swallowed.clock.advance(2_000);
    await swallowed.press('#34#');
    expect(results(swallowed)).toEqual(['12', '34']);

    const late = await typedAhead(steps, '');
    await late.press('12');
    await late.clock.advance(2_001);
    await late.press('#34#');
    expect(results(late)).toEqual(['12', 'exhausted.no_match']);
  });

  it('is swallowed only once', async () => {
    const call = await typedAhead(steps, '');
    await call.press('12##');
    expect(results(call)).toEqual(['12', 'exhausted.no_match']);
  });

  it('is swallowed only when it comes next', async () => {
    const call = await typedAhead(steps, '');
    await call.press('123#');
    expect(results(call)).toEqual(['12', '3']);
  });

  it('is swallowed although the flow has an interrupt for it', async () => {
    const call = await startSteps(two('digits: { length: 2 }', 'digits: { max: 5 }'), {
      head: 'events: { "dtmf.#": broken }',
    });
    await call.tell({ type: 'answered' });
    await call.clock.advance(1_000);
    await call.press('12#');
    expect(call.path()).toEqual(['first', 'one', 'two']);
  });

  it('means nothing special where there is no terminator', async () => {
    const call = await typedAhead(
      two('digits: { length: 2, terminator: "" }', 'digits: { length: 2, terminator: "" }'),
      '',
    );
    await call.press('12#3');
    expect(results(call)).toEqual(['12', '#3']);
  });
});
