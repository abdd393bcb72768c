import { describe, expect, it } from 'vitest';
import { heard, lastLeft, startSteps } from './scripted-call.ts';

const prompts = `prompts:
  welcome: Welcome.
  hours: { en-US: We are open., fr-FR: Nous sommes ouverts. }
  jingle: [{ tone: 440, duration: 1s }, { silence: 500ms }]`;

const played = (args: string) => startSteps(`  first: { play: ${args}, exits: { done: bye } }`, { head: prompts });

describe('play', () => {
  it.each([
    ['welcome', [{ type: 'speech', text: 'Welcome.', name: 'welcome' }]],
    ['"Good morning"', [{ type: 'speech', text: 'Good morning' }]],
    ['{ text: Hello }', [{ type: 'speech', text: 'Hello' }]],
    ['{ prompt: welcome }', [{ type: 'speech', text: 'Welcome.' }]],
    ['{ prompt: { text: Hi, voice: male, rate: 1.5 } }', [{ type: 'speech', text: 'Hi', voice: 'male', rate: 1.5 }]],
    [
      '{ ssml: "<speak>Hi</speak>", language: en-GB }',
      [{ type: 'ssml', ssml: '<speak>Hi</speak>', language: 'en-GB', voice: 'female' }],
    ],
    [
      '{ prompt: [{ ssml: "<speak>Hi</speak>" }, welcome], voice: male, rate: 0.8 }',
      [{ type: 'ssml', ssml: '<speak>Hi</speak>', language: 'en-US', voice: 'male' }, { text: 'Welcome.' }],
    ],
    ['{ text: Hi, voice: male, language: en-GB }', [{ type: 'speech', voice: 'male', language: 'en-GB' }]],
    ['{ prompt: welcome, voice: male, rate: 0.8 }', [{ type: 'speech', text: 'Welcome.', voice: 'male', rate: 0.8 }]],
    ['{ prompt: "Hi there", language: en-GB, pitch: 2 }', [{ type: 'speech', language: 'en-GB', pitch: 2 }]],
    [
      '{ audio: "https://cdn.example/today.mp3?x=1", text: Hello, voice: male }',
      [
        {
          type: 'remote',
          url: 'https://cdn.example/today.mp3?x=1',
          name: 'today.mp3',
          otherwise: { type: 'speech', text: 'Hello', voice: 'male' },
        },
      ],
    ],
    ['{ silence: 300ms }', [{ type: 'silence', durationMs: 300 }]],
    ['{ tone: 1000, duration: 2s }', [{ type: 'tone', frequencyHz: 1000, durationMs: 2000 }]],
    ['[welcome, { silence: 1s }, hours]', [{ name: 'welcome' }, { type: 'silence' }, { text: 'We are open.' }]],
    [
      'jingle',
      [
        { type: 'tone', name: 'jingle' },
        { type: 'silence', name: 'jingle' },
      ],
    ],
    ['"It is ${ 1 + 1 } o\'clock"', [{ type: 'speech', text: "It is 2 o'clock" }]],
  ])('plays the items of %s', async (args, audio) => {
    const call = await played(args);
    expect(call.lastPlay().audio).toMatchObject(audio);
    expect(call.lastPlay().audio).toHaveLength(audio.length);
    await call.finishPlay();
    expect(call.outcomes()).toEqual(['first:done', 'bye:done']);
  });

  it('speaks the locale of its step', async () => {
    const call = await startSteps('  first: { play: hours, locale: fr-FR, next: bye }', { head: prompts });
    expect(call.lastPlay().audio).toMatchObject([{ text: 'Nous sommes ouverts.', language: 'fr-FR' }]);
  });

  it('speaks the locale of its flow', async () => {
    const head = `${prompts}\ndefaults: { locale: fr-FR, exits: { error: broken } }`;
    const call = await startSteps('  first: { play: hours, next: bye }', { head });
    expect(call.lastPlay().audio).toMatchObject([{ text: 'Nous sommes ouverts.', language: 'fr-FR' }]);
  });

  it('ends with an error when an expression names a missing prompt', async () => {
    const call = await played('{ audio: "${ \'nothing.wav\' }" }');
    expect(call.outcomes()).toEqual(['first:error', 'broken:done']);
    const left = call.journal().find((entry) => entry.kind === 'left');
    expect(left).toMatchObject({ fault: { code: 'prompt_missing', message: expect.stringContaining('nothing') } });
  });

  it('is done at once when the prompt is empty', async () => {
    const call = await played('"${ \' \' }"');
    expect(call.outcomes()).toEqual(['first:done', 'bye:done']);
    expect(heard(call)).toEqual([]);
  });

  it.each([
    ['with a reason', { code: 'tts_down', message: 'no voice', retryable: true }],
    ['without one', undefined],
  ])('ends with an error when the engine cannot play, %s', async (_name, fault) => {
    const call = await played('welcome');
    const { playId } = call.lastPlay();
    await call.tell({ type: 'play_ended', playId, reason: 'failed', playedMs: 0, ...(fault ? { fault } : {}) });
    expect(call.outcomes()).toEqual(['first:error', 'broken:done']);
    expect(call.journal().find((entry) => entry.kind === 'left')).toMatchObject({ fault: fault ?? {} });
  });

  it('plays as often as repeat says', async () => {
    const call = await played('{ prompt: welcome, repeat: 3 }');
    for (let round = 1; round <= 3; round++) {
      expect(heard(call)).toHaveLength(round);
      expect(call.outcomes()).toEqual([]);
      await call.finishPlay();
    }
    expect(call.outcomes()).toEqual(['first:done', 'bye:done']);
  });

  it('repeats a prompt in its short form', async () => {
    const call = await played('{ text: Hi, repeat: 2 }');
    await call.finishPlay();
    expect(heard(call)).toEqual(['Hi', 'Hi']);
  });

  it('ignores the end of other prompts', async () => {
    const call = await played('welcome');
    await call.tell({ type: 'play_ended', playId: 'play-99', reason: 'finished', playedMs: 10 });
    expect(call.outcomes()).toEqual([]);
  });

  it('ends when the caller hangs up, and sends no more commands', async () => {
    const call = await played('welcome');
    await call.hangUp();
    expect(call.outcomes()).toEqual(['first:hangup']);
    expect(call.commands.map(({ type }) => type)).toEqual(['answer', 'play']);
  });
});

describe('play with barge-in', () => {
  const steps = (args: string) => `
  first: { play: ${args}, exits: { done: ask, interrupted: ask } }
  ask: { menu: { prompt: "One or two?", choices: { one: { dtmf: "1" }, two: { dtmf: "2" } }, attempts: 1 }, exits: { one: bye, two: bye, exhausted: broken } }`;

  it.each(['{ prompt: "Long story", barge_in: true }', '{ text: Story, barge_in: true }'])(
    '%s is stopped by a digit, which is consumed',
    async (args) => {
      const call = await startSteps(steps(args));
      const { playId } = call.lastPlay();
      await call.press('2');
      expect(call.outcomes()).toEqual(['first:interrupted']);
      expect(call.commands).toContainEqual({ type: 'stop_play', playId });
      expect(heard(call)).toHaveLength(2);
      await call.press('1');
      expect(call.outcomes()).toEqual(['first:interrupted', 'ask:one', 'bye:done']);
    },
  );

  it('does not continue with the next round', async () => {
    const call = await startSteps(steps('{ text: Story, barge_in: true, repeat: 5 }'));
    await call.finishPlay();
    await call.press('1');
    expect(heard(call)).toEqual(['Story', 'Story', 'One or two?']);
  });

  it('goes where done goes when interrupted is not routed', async () => {
    const call = await startSteps('  first: { play: { text: Story, barge_in: true }, next: bye }');
    await call.press('1');
    expect(call.outcomes()).toEqual(['first:interrupted', 'bye:done']);
  });

  it('is off unless asked for; the digit is kept for the next step', async () => {
    const call = await startSteps(steps('{ text: Story }').replace('interrupted: ask', ''));
    await call.press('2');
    expect(call.outcomes()).toEqual([]);
    await call.finishPlay();
    expect(call.outcomes()).toEqual(['first:done', 'ask:two', 'bye:done']);
  });
});

describe('play before the answer', () => {
  it('answers the call first', async () => {
    const call = await startSteps('  first: { play: "Hello there", next: bye }', { answer: false });
    expect(call.commands.map(({ type }) => type)).toEqual(['answer']);
    await call.tell({ type: 'answered' });
    expect(call.commands.map(({ type }) => type)).toEqual(['answer', 'play']);
  });

  it.each(['{ prompt: "Hello there", early: true }', '{ text: Hello, early: true }'])(
    '%s is heard as early media',
    async (args) => {
      const call = await startSteps(`  first: { play: ${args}, next: last }\n  last: { reject: busy }`);
      expect(call.commands.map(({ type }) => type)).toEqual(['progress', 'play']);
      await call.finishPlay();
      expect(call.commands.at(-1)).toEqual({ type: 'reject', sipStatus: 486 });
      expect(lastLeft(call)).toMatchObject({ step: 'last' });
    },
  );

  it('ignores early once the call is answered', async () => {
    const call = await startSteps(
      '  first: { answer: {}, next: then }\n  then: { play: { text: Hi, early: true }, next: bye }',
    );
    expect(call.commands.map(({ type }) => type)).toEqual(['answer', 'play']);
  });
});
