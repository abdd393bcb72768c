import { describe, expect, it } from 'vitest';
import type { LegEvent } from '../../src/base/core/leg.ts';
import { spokenChoice } from '../../src/language/steps/spoken-answer.ts';
import { type ScriptedLegOptions, type ScriptedLegs, startLegs } from './scripted-legs.ts';

const TIMES = 'start_timeout: 6s, inter_digit_timeout: 3s, recognizer_timeout: 1s';

const collecting = (args: string, options: ScriptedLegOptions = {}) =>
  startLegs(
    `
  first:
    collect: { prompt: { text: Where to? }, ${TIMES}, ${args.includes('attempts') ? args : `attempts: 1, ${args}`} }
    exits: { collected: next, exhausted: next }
  next: { pause: 1h, next: bye }`,
    { outbound: true, ...options },
  );

const choosing = (args = '') =>
  startLegs(
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

const listenId = ({ caller }: ScriptedLegs) => caller.last('listen').listenId;
const speaks = (legs: ScriptedLegs) => legs.caller.emit({ type: 'speech_started', listenId: listenId(legs) });
const said = (legs: ScriptedLegs, text: string, confidence = 0.9) =>
  legs.caller.emit({ type: 'listen_ended', listenId: listenId(legs), reason: 'recognized', text, confidence });
const over = (legs: ScriptedLegs, reason: 'no_match' | 'no_input' | 'failed', more: Partial<LegEvent> = {}) =>
  legs.caller.emit({ type: 'listen_ended', listenId: listenId(legs), reason, ...more } as LegEvent);

const SPEECH = 'speech: { hints: [Paris, Lyon] }';
const BOTH = `digits: { length: 2 }, ${SPEECH}`;

describe('collect: speech', () => {
  it('is listened for during the prompt, with the hints of the flow', async () => {
    const { caller } = await collecting('speech: { hints: [Paris, Lyon], min_confidence: 0.7, language: fr-FR }');
    expect(caller.hears).toBe('Where to?');
    expect(caller.last('listen')).toMatchObject({
      hints: ['Paris', 'Lyon'],
      minConfidence: 0.7,
      language: 'fr-FR',
      endSilenceMs: 1_000,
    });
  });

  it('is recognised in the step’s language, and ends after two seconds of silence', async () => {
    const { caller } = await startLegs(
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
    const legs = await collecting(SPEECH);
    await speaks(legs);
    expect(legs.caller.hears).toBeUndefined();
    await said(legs, 'to Paris please', 0.83);
    expect(legs.call.outcomes()).toEqual(['first:collected']);
    expect(legs.result()).toEqual({ speech: 'to Paris please', confidence: 0.83 });
  });

  it('is listened for from the end of a prompt without barge-in', async () => {
    const legs = await collecting(`${SPEECH}, barge_in: false`);
    expect(legs.caller.asked).toEqual(['play Where to?']);
    await legs.caller.finishPlay();
    expect(legs.caller.asked).toEqual(['play Where to?', 'listen']);
  });

  it('begins within start_timeout from the end of the prompt', async () => {
    const legs = await collecting(SPEECH);
    await legs.call.clock.advance(60_000);
    expect(legs.call.outcomes()).toEqual([]);
    await legs.caller.finishPlay();
    await legs.call.clock.advance(5_999);
    expect(legs.call.outcomes()).toEqual([]);
    await legs.call.clock.advance(1);
    expect(legs.call.outcomes()).toEqual(['first:exhausted.no_input']);
    expect(legs.caller.last('stop_listen').listenId).toBe(listenId(legs));
  });

  it('is not cut off by start_timeout once it has begun', async () => {
    const legs = await collecting(SPEECH);
    await legs.caller.finishPlay();
    await legs.call.clock.advance(5_000);
    await speaks(legs);
    await legs.call.clock.advance(20_000);
    expect(legs.call.outcomes()).toEqual([]);
    await said(legs, 'Lyon');
    expect(legs.result()).toMatchObject({ speech: 'Lyon' });
  });

  it('is a no-match after a minute without an end', async () => {
    const legs = await collecting(SPEECH);
    await speaks(legs);
    await legs.call.clock.advance(60_000);
    expect(legs.call.outcomes()).toEqual(['first:exhausted.no_match']);
  });

  it('is a no-match if it is not understood', async () => {
    const legs = await collecting(SPEECH);
    await speaks(legs);
    await over(legs, 'no_match', { text: 'mumble', confidence: 0.1 });
    expect(legs.call.outcomes()).toEqual(['first:exhausted.no_match']);
  });

  it('leaves the timeout to the step if the recogniser did not hear it', async () => {
    const legs = await collecting(BOTH);
    await over(legs, 'no_input');
    expect(legs.call.outcomes()).toEqual([]);
    await legs.caller.press('4');
    await legs.caller.press('2');
    expect(legs.result()).toEqual({ digits: '42' });
  });

  it('ends a step that needs it with an error if it is unavailable', async () => {
    const legs = await collecting(SPEECH);
    const fault = { code: 'language_not_supported', message: 'no model', retryable: false };
    await over(legs, 'failed', { fault });
    expect(legs.call.journal().find((entry) => entry.kind === 'left')).toMatchObject({ outcome: 'error', fault });
  });

  it('is ignored where digits are accepted, if it is unavailable', async () => {
    const legs = await collecting(BOTH);
    await over(legs, 'failed');
    await legs.caller.press('4');
    await legs.caller.press('2');
    expect(legs.result()).toEqual({ digits: '42' });
  });

  it('is asked for again in the next attempt', async () => {
    const legs = await collecting(`${SPEECH}, attempts: 2, no_match: [{ text: Again }]`);
    const first = listenId(legs);
    await over(legs, 'no_match');
    expect(legs.caller.hears).toBe('Again');
    expect(listenId(legs)).not.toBe(first);
    // Late events of the first listening do not apply to this attempt.
    await legs.caller.emit({
      type: 'listen_ended',
      listenId: first,
      reason: 'recognized',
      text: 'Paris',
      confidence: 1,
    });
    expect(legs.call.outcomes()).toEqual([]);
  });
});

describe('collect: digits or speech', () => {
  it('takes the digit that comes first, and stops listening', async () => {
    const legs = await collecting(BOTH);
    await legs.caller.press('1');
    expect(legs.caller.last('stop_listen').listenId).toBe(listenId(legs));
    expect(legs.caller.hears).toBeUndefined();
    await said(legs, 'Paris');
    expect(legs.call.outcomes()).toEqual([]);
    await legs.caller.press('2');
    expect(legs.result()).toEqual({ digits: '12' });
  });

  it('takes a digit while the caller speaks', async () => {
    const legs = await collecting(BOTH);
    await speaks(legs);
    await legs.caller.press('1');
    await legs.caller.press('2');
    expect(legs.result()).toEqual({ digits: '12' });
  });

  it('takes the words that come first', async () => {
    const legs = await collecting(BOTH);
    await said(legs, 'Paris');
    expect(legs.result()).toMatchObject({ speech: 'Paris' });
    expect(legs.caller.hears).toBeUndefined();
  });

  it('ignores digits where only speech is taken', async () => {
    const legs = await collecting(SPEECH);
    await legs.caller.press('1');
    expect(legs.caller.hears).toBe('Where to?');
    await said(legs, 'Paris');
    expect(legs.call.run.typedAhead.take()).toBe('1');
  });

  it('takes digits typed before the prompt without listening', async () => {
    const legs = await startLegs(
      `
  first: { pause: 1s, next: ask }
  ask: { collect: { prompt: { text: Q }, ${BOTH} }, exits: { collected: bye, exhausted: bye } }`,
      { outbound: true },
    );
    await legs.caller.press('1');
    await legs.caller.press('2');
    await legs.call.clock.advance(1_000);
    expect(legs.call.outcomes().slice(0, 2)).toEqual(['first:done', 'ask:collected']);
    expect(legs.caller.asked).not.toContain('listen');
  });
});

describe('collect: spoken digits', () => {
  const SPELLED = 'digits: { length: 4 }, speech: { grammar: digits }';

  it.each([
    ['1234', '1234'],
    ['1 2 3 4', '1234'],
    ['12-34', '1234'],
  ])('is read as digits: %s', async (text, digits) => {
    const legs = await collecting(SPELLED);
    expect(legs.caller.last('listen')).toMatchObject({ grammar: 'digits' });
    await said(legs, text);
    expect(legs.result()).toEqual({ digits, speech: text, confidence: 0.9 });
  });

  it.each(['123', '12345', 'one two', ''])('does not match the words %j', async (text) => {
    const legs = await collecting(SPELLED);
    await said(legs, text);
    expect(legs.call.outcomes()).toEqual(['first:exhausted.no_match']);
  });
});

describe('collect: confirmed by voice', () => {
  const confirming = () => collecting(`${SPEECH}, attempts: 2, confirm: { prompt: "You said \${ result.speech }" }`);

  it('takes a yes as confirmation', async () => {
    const legs = await confirming();
    await said(legs, 'Paris');
    expect(legs.caller.hears).toBe('You said Paris');
    expect(legs.caller.last('listen')).toMatchObject({ grammar: 'yes_no' });
    await said(legs, 'yes');
    expect(legs.result()).toMatchObject({ speech: 'Paris' });
  });

  it('takes a key, and asks again after a no', async () => {
    const legs = await confirming();
    await said(legs, 'Paris');
    await said(legs, 'no');
    expect(legs.caller.hears).toBe('Where to?');
    await said(legs, 'Lyon');
    await legs.caller.press('1');
    expect(legs.result()).toMatchObject({ speech: 'Lyon' });
  });
});

describe('collect: separate exits for keys and words', () => {
  const steps = (exits: string, more = '') => `
  first:
    collect: { prompt: { text: Which? }, attempts: 2, ${TIMES}, ${BOTH}${more} }
    exits: { ${exits}, exhausted: bye }
  keys: { pause: 1h, next: bye }
  words: { pause: 1h, next: bye }`;
  const begun = (exits: string, more = '') => startLegs(steps(exits, more), { outbound: true });

  it.each([
    ['digits: keys, speech: words', 'first:digits', 'first:speech'],
    ['collected: keys, speech: words', 'first:collected', 'first:speech'],
    ['digits: keys, collected: words', 'first:digits', 'first:collected'],
    ['collected: keys', 'first:collected', 'first:collected'],
  ])('has separate results with %s', async (exits, byKeys, byWords) => {
    const pressed = await begun(exits);
    await pressed.caller.press('12');
    expect(pressed.call.outcomes()).toEqual([byKeys]);
    const spoken = await begun(exits);
    await said(spoken, 'Paris');
    expect(spoken.call.outcomes()).toEqual([byWords]);
  });

  it('confirms only what was spoken, where it says so', async () => {
    const confirm = ', confirm: { prompt: "You said ${ result.speech }", only: speech }';
    const pressed = await begun('digits: keys, speech: words', confirm);
    await pressed.caller.press('12');
    expect(pressed.call.outcomes()).toEqual(['first:digits']);
    const spoken = await begun('digits: keys, speech: words', confirm);
    await said(spoken, 'Paris');
    expect(spoken.caller.hears).toBe('You said Paris');
    await said(spoken, 'yes');
    expect(spoken.call.outcomes()).toEqual(['first:speech']);
  });
});

describe('menu: speech', () => {
  it.each([
    ['billing', 'billing'],
    ['Billing.', 'billing'],
    ["it's about my invoice", 'billing'],
    ['I want a person!', 'agent'],
  ])('maps %j to the choice %s', async (text, choice) => {
    const legs = await choosing();
    expect(legs.caller.last('listen').hints).toEqual(['billing', 'my invoice', 'agent', 'a person']);
    await said(legs, text);
    expect(legs.call.outcomes()[0]).toBe(`first:${choice}`);
    expect(legs.result()).toEqual({ choice, speech: text, confidence: 0.9 });
  });

  it.each(['something else', 'reagent', 'billing agent'])('maps %j to no choice', async (text) => {
    const legs = await choosing();
    await said(legs, text);
    expect(legs.call.outcomes()).toEqual([]);
    expect(legs.caller.asked.filter((asked) => asked === 'listen')).toHaveLength(2);
  });

  it('still takes the key', async () => {
    const legs = await choosing();
    await legs.caller.press('1');
    expect(legs.result()).toEqual({ choice: 'billing', digits: '1' });
  });

  it('does not listen without phrases', async () => {
    const { caller } = await startLegs(
      '  first: { menu: { prompt: { text: Q }, choices: { a: { dtmf: "1" } } }, exits: { a: bye, exhausted: bye } }',
      { outbound: true },
    );
    expect(caller.asked).toEqual(['play Q']);
  });

  it('takes keys of several digits, the longer one after a pause', async () => {
    const menu = (pressed: string) =>
      startLegs(
        `
  first:
    menu: { choices: { one: { dtmf: "1" }, twelve: { dtmf: "12" }, other: { dtmf: "345" } }, inter_digit_timeout: 2s }
    exits: { one: bye, twelve: bye, other: bye, exhausted: bye }`,
        { outbound: true },
      ).then(async (legs) => {
        for (const digit of pressed) await legs.caller.press(digit);
        return legs.call;
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
  ])('chooses for %j the choice %s', (text, choice) => {
    expect(spokenChoice(text, choices)).toBe(choice);
  });

  it('decides nothing if they are of the same length', () => {
    expect(
      spokenChoice(
        'cats and dogs',
        new Map([
          ['a', ['cats']],
          ['b', ['dogs']],
        ]),
      ),
    ).toBeUndefined();
  });
});
