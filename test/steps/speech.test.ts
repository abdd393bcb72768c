import { describe, expect, it } from 'vitest';
import type { LegEvent } from '../../src/core/leg.ts';
import { chosenBy } from '../../src/steps/speech.ts';
import { type LineOptions, type LinesOnPaper, linesOf } from './lines-on-paper.ts';

const TIMES = 'start_timeout: 6s, inter_digit_timeout: 3s, recognizer_timeout: 1s';

const collecting = (args: string, options: LineOptions = {}) =>
  linesOf(
    `
  first:
    collect: { prompt: { text: Where to? }, ${TIMES}, ${args.includes('attempts') ? args : `attempts: 1, ${args}`} }
    exits: { collected: next, exhausted: next }
  next: { pause: 1h, next: bye }`,
    { outbound: true, ...options },
  );

const choosing = (args = '') =>
  linesOf(
    `
  first:
    menu:
      prompt: { text: Choose }
      choices: { billing: { dtmf: "1", say: [billing, "my invoice"] }, agent: { say: [agent, "a person"] } }
      attempts: 2
      ${TIMES.replaceAll(', ', '\n      ')}
      ${args}
    exits: { billing: next, agent: next, exhausted: next }
  next: { pause: 1h, next: bye }`,
    { outbound: true },
  );

const listenId = ({ caller }: LinesOnPaper) => caller.last('listen').listenId;
const speaks = (lines: LinesOnPaper) => lines.caller.tell({ type: 'speech_started', listenId: listenId(lines) });
const said = (lines: LinesOnPaper, text: string, confidence = 0.9) =>
  lines.caller.tell({ type: 'listen_ended', listenId: listenId(lines), reason: 'recognized', text, confidence });
const over = (lines: LinesOnPaper, reason: 'no_match' | 'no_input' | 'failed', more: Partial<LegEvent> = {}) =>
  lines.caller.tell({ type: 'listen_ended', listenId: listenId(lines), reason, ...more } as LegEvent);

const SPEECH = 'speech: { hints: [Paris, Lyon] }';
const BOTH = `digits: { length: 2 }, ${SPEECH}`;

describe('collect: speech', () => {
  it('is listened for while the prompt is heard, in the words of the author', async () => {
    const { caller } = await collecting('speech: { hints: [Paris, Lyon], min_confidence: 0.7, language: fr-FR }');
    expect(caller.hears).toBe('Where to?');
    expect(caller.last('listen')).toMatchObject({
      hints: ['Paris', 'Lyon'],
      minConfidence: 0.7,
      language: 'fr-FR',
      endSilenceMs: 1_000,
    });
  });

  it('is understood as the step’s language, two seconds of silence end it', async () => {
    const { caller } = await linesOf(
      '  first: { collect: { speech: {} }, exits: { collected: bye, exhausted: bye } }',
      { outbound: true, head: 'defaults: { locale: en-GB, exits: { error: broken } }' },
    );
    expect(caller.last('listen')).toMatchObject({
      language: 'en-GB',
      endSilenceMs: 2_000,
      minConfidence: 0.5,
      hints: [],
    });
  });

  it('stops the prompt with the first word, and is the result', async () => {
    const lines = await collecting(SPEECH);
    await speaks(lines);
    expect(lines.caller.hears).toBeUndefined();
    await said(lines, 'to Paris please', 0.83);
    expect(lines.call.outcomes()).toEqual(['first:collected']);
    expect(lines.result()).toEqual({ speech: 'to Paris please', confidence: 0.83 });
  });

  it('does not stop a prompt that cannot be cut short: it is listened for from its end on', async () => {
    const lines = await collecting(`${SPEECH}, barge_in: false`);
    expect(lines.caller.asked).toEqual(['play Where to?']);
    await lines.caller.finishPlay();
    expect(lines.caller.asked).toEqual(['play Where to?', 'listen']);
  });

  it('has the time to begin from the end of the prompt', async () => {
    const lines = await collecting(SPEECH);
    await lines.call.clock.advance(60_000);
    expect(lines.call.outcomes()).toEqual([]);
    await lines.caller.finishPlay();
    await lines.call.clock.advance(5_999);
    expect(lines.call.outcomes()).toEqual([]);
    await lines.call.clock.advance(1);
    expect(lines.call.outcomes()).toEqual(['first:exhausted.no_input']);
    expect(lines.caller.last('stop_listen').listenId).toBe(listenId(lines));
  });

  it('that has begun is not cut off by that time', async () => {
    const lines = await collecting(SPEECH);
    await lines.caller.finishPlay();
    await lines.call.clock.advance(5_000);
    await speaks(lines);
    await lines.call.clock.advance(20_000);
    expect(lines.call.outcomes()).toEqual([]);
    await said(lines, 'Lyon');
    expect(lines.result()).toMatchObject({ speech: 'Lyon' });
  });

  it('that never ends is no match after a minute', async () => {
    const lines = await collecting(SPEECH);
    await speaks(lines);
    await lines.call.clock.advance(60_000);
    expect(lines.call.outcomes()).toEqual(['first:exhausted.no_match']);
  });

  it('that is not understood is no match', async () => {
    const lines = await collecting(SPEECH);
    await speaks(lines);
    await over(lines, 'no_match', { text: 'mumble', confidence: 0.1 });
    expect(lines.call.outcomes()).toEqual(['first:exhausted.no_match']);
  });

  it('of which the recogniser heard nothing leaves the time to the step', async () => {
    const lines = await collecting(BOTH);
    await over(lines, 'no_input');
    expect(lines.call.outcomes()).toEqual([]);
    await lines.caller.press('4');
    await lines.caller.press('2');
    expect(lines.result()).toEqual({ digits: '42' });
  });

  it('that cannot be had breaks a step that needs it', async () => {
    const lines = await collecting(SPEECH);
    const fault = { code: 'language_not_supported', message: 'no model', retryable: false };
    await over(lines, 'failed', { fault });
    expect(lines.call.journal().find((entry) => entry.kind === 'left')).toMatchObject({ outcome: 'error', fault });
  });

  it('that cannot be had is done without where digits will do', async () => {
    const lines = await collecting(BOTH);
    await over(lines, 'failed');
    await lines.caller.press('4');
    await lines.caller.press('2');
    expect(lines.result()).toEqual({ digits: '42' });
  });

  it('is asked for again in the next attempt', async () => {
    const lines = await collecting(`${SPEECH}, attempts: 2, no_match: [{ text: Again }]`);
    const first = listenId(lines);
    await over(lines, 'no_match');
    expect(lines.caller.hears).toBe('Again');
    expect(listenId(lines)).not.toBe(first);
    // What the first listening still tells is not for this attempt.
    await lines.caller.tell({
      type: 'listen_ended',
      listenId: first,
      reason: 'recognized',
      text: 'Paris',
      confidence: 1,
    });
    expect(lines.call.outcomes()).toEqual([]);
  });
});

describe('collect: digits or speech', () => {
  it('takes the digit that comes first, and listens no more', async () => {
    const lines = await collecting(BOTH);
    await lines.caller.press('1');
    expect(lines.caller.last('stop_listen').listenId).toBe(listenId(lines));
    expect(lines.caller.hears).toBeUndefined();
    await said(lines, 'Paris');
    expect(lines.call.outcomes()).toEqual([]);
    await lines.caller.press('2');
    expect(lines.result()).toEqual({ digits: '12' });
  });

  it('takes the digit into speech that has begun', async () => {
    const lines = await collecting(BOTH);
    await speaks(lines);
    await lines.caller.press('1');
    await lines.caller.press('2');
    expect(lines.result()).toEqual({ digits: '12' });
  });

  it('takes the words that come first', async () => {
    const lines = await collecting(BOTH);
    await said(lines, 'Paris');
    expect(lines.result()).toMatchObject({ speech: 'Paris' });
    expect(lines.caller.hears).toBeUndefined();
  });

  it('leaves digits alone where only speech is asked for', async () => {
    const lines = await collecting(SPEECH);
    await lines.caller.press('1');
    expect(lines.caller.hears).toBe('Where to?');
    await said(lines, 'Paris');
    expect(lines.call.run.typedAhead.take()).toBe('1');
  });

  it('has digits that were typed before the prompt, without listening', async () => {
    const lines = await linesOf(
      `
  first: { pause: 1s, next: ask }
  ask: { collect: { prompt: { text: Q }, ${BOTH} }, exits: { collected: bye, exhausted: bye } }`,
      { outbound: true },
    );
    await lines.caller.press('1');
    await lines.caller.press('2');
    await lines.call.clock.advance(1_000);
    expect(lines.call.outcomes().slice(0, 2)).toEqual(['first:done', 'ask:collected']);
    expect(lines.caller.asked).not.toContain('listen');
  });
});

describe('collect: spoken digits', () => {
  const SPELLED = 'digits: { length: 4 }, speech: { grammar: digits }';

  it.each([
    ['1234', '1234'],
    ['1 2 3 4', '1234'],
    ['12-34', '1234'],
  ])('%s are digits', async (text, digits) => {
    const lines = await collecting(SPELLED);
    expect(lines.caller.last('listen')).toMatchObject({ grammar: 'digits' });
    await said(lines, text);
    expect(lines.result()).toEqual({ digits, speech: text, confidence: 0.9 });
  });

  it.each(['123', '12345', 'one two', ''])('%j are not what is asked for', async (text) => {
    const lines = await collecting(SPELLED);
    await said(lines, text);
    expect(lines.call.outcomes()).toEqual(['first:exhausted.no_match']);
  });
});

describe('collect: confirmed by voice', () => {
  const confirming = () => collecting(`${SPEECH}, attempts: 2, confirm: { prompt: "You said \${ result.speech }" }`);

  it('takes a yes', async () => {
    const lines = await confirming();
    await said(lines, 'Paris');
    expect(lines.caller.hears).toBe('You said Paris');
    expect(lines.caller.last('listen')).toMatchObject({ grammar: 'yes_no' });
    await said(lines, 'yes');
    expect(lines.result()).toMatchObject({ speech: 'Paris' });
  });

  it('takes a key, and asks again after a no', async () => {
    const lines = await confirming();
    await said(lines, 'Paris');
    await said(lines, 'no');
    expect(lines.caller.hears).toBe('Where to?');
    await said(lines, 'Lyon');
    await lines.caller.press('1');
    expect(lines.result()).toMatchObject({ speech: 'Lyon' });
  });
});

describe('menu: speech', () => {
  it.each([
    ['billing', 'billing'],
    ['Billing.', 'billing'],
    ["it's about my invoice", 'billing'],
    ['I want a person!', 'agent'],
  ])('%j chooses %s', async (text, choice) => {
    const lines = await choosing();
    expect(lines.caller.last('listen').hints).toEqual(['billing', 'my invoice', 'agent', 'a person']);
    await said(lines, text);
    expect(lines.call.outcomes()[0]).toBe(`first:${choice}`);
    expect(lines.result()).toEqual({ choice, speech: text, confidence: 0.9 });
  });

  it.each(['something else', 'reagent', 'billing agent'])('%j chooses nothing', async (text) => {
    const lines = await choosing();
    await said(lines, text);
    expect(lines.call.outcomes()).toEqual([]);
    expect(lines.caller.asked.filter((asked) => asked === 'listen')).toHaveLength(2);
  });

  it('takes the key as before', async () => {
    const lines = await choosing();
    await lines.caller.press('1');
    expect(lines.result()).toEqual({ choice: 'billing', digits: '1' });
  });

  it('without phrases does not listen', async () => {
    const { caller } = await linesOf(
      '  first: { menu: { prompt: { text: Q }, choices: { a: { dtmf: "1" } } }, exits: { a: bye, exhausted: bye } }',
      { outbound: true },
    );
    expect(caller.asked).toEqual(['play Q']);
  });

  it('takes keys of several digits, the longer one after a pause', async () => {
    const menu = (pressed: string) =>
      linesOf(
        `
  first:
    menu: { choices: { one: { dtmf: "1" }, twelve: { dtmf: "12" }, other: { dtmf: "345" } }, inter_digit_timeout: 2s }
    exits: { one: bye, twelve: bye, other: bye, exhausted: bye }`,
        { outbound: true },
      ).then(async (lines) => {
        for (const digit of pressed) await lines.caller.press(digit);
        return lines.call;
      });
    expect((await menu('12')).outcomes()[0]).toBe('first:twelve');
    expect((await menu('345')).outcomes()[0]).toBe('first:other');
    const one = await menu('1');
    expect(one.outcomes()).toEqual([]);
    await one.clock.advance(2_000);
    expect(one.outcomes()[0]).toBe('first:one');
  });
});

describe('phrases', () => {
  const choices = new Map([
    ['sales', ['sales', 'buy something']],
    ['agent', ['agent', 'speak to an agent']],
    ['sales_agent', ['sales agent']],
  ]);

  it.each([
    ['sales', 'sales'],
    ['the sales agent please', 'sales_agent'],
    ['may I speak to an agent', 'agent'],
    ['may I speak to an agent of sales', undefined],
    ['agent', 'agent'],
    ['agents', undefined],
    ['', undefined],
  ])('%j is %s', (text, choice) => {
    expect(chosenBy(text, choices)).toBe(choice);
  });

  it('that are as long as each other decide nothing', () => {
    expect(
      chosenBy(
        'cats and dogs',
        new Map([
          ['a', ['cats']],
          ['b', ['dogs']],
        ]),
      ),
    ).toBeUndefined();
  });
});
