/** Verb `collect` with a date, a time, an amount or a code: keys, speech, the value and its confirmation. */
import { describe, expect, it } from 'vitest';
import { heard, lastLeft, startSteps } from './scripted-call.ts';
import { startLegs } from './scripted-legs.ts';

const TIMES = 'start_timeout: 6s, inter_digit_timeout: 3s';

const asking = (args: string, locale = 'en-GB') =>
  startSteps(
    `
  first:
    collect: { prompt: { text: What? }, ${TIMES}, ${args.includes('attempts') ? args : `attempts: 1, ${args}`} }
    exits: { collected: next, exhausted: next }
  next: { pause: 1h, next: bye }`,
    { head: `defaults: { locale: ${locale}, timezone: Europe/Paris, exits: { error: broken } }` },
  );

/** Times of the virtual clock begin on 2026-03-02. */
describe('collect: typed keys', () => {
  it.each([
    ['date: {}', '24122026', { date: '2026-12-24', spoken: 'the twenty-fourth of December, twenty twenty-six' }],
    ['date: { order: mdy }', '12242026', { date: '2026-12-24' }],
    ['date: {}', '2412#', { date: '2026-12-24' }],
    ['date: { range: past }', '150685#', { date: '1985-06-15' }],
    ['time: {}', '1430', { time: '14:30' }],
    ['time: {}', '9#', { time: '09:00' }],
    ['amount: { currency: EUR }', '12*50', { amount: 12.5, spoken: 'twelve euros and fifty cents' }],
    ['amount: { currency: EUR }', '12#', { amount: 12 }],
    ['amount: {}', '12*5#', { amount: 12.5, spoken: 'twelve point five' }],
    ['code: { length: 4 }', '*21*2212', { code: 'AB12', spoken: 'A, B, one, two' }],
    ['code: { one_of: [ab12, AC13] }', '2213', { code: 'AC13' }],
    ['code: { min: 2, max: 6, pattern: "[A-Z]\\\\d+" }', '*231#', { code: 'C1' }],
  ])('%s takes %s at once', async (args, pressed, result) => {
    const call = await asking(args);
    await call.press(pressed.slice(0, -1));
    expect(call.outcomes()).toEqual([]);
    await call.press(pressed.slice(-1));
    expect(lastLeft(call)).toMatchObject({ step: 'first', outcome: 'collected', result });
  });

  it.each([
    ['date: {}', '2412', { date: '2026-12-24' }],
    ['time: {}', '930', { time: '09:30' }],
    ['amount: {}', '5', { amount: 5 }],
  ])('%s takes %s after the silence between keys', async (args, pressed, result) => {
    const call = await asking(args);
    await call.press(pressed);
    await call.clock.advance(2_999);
    expect(call.outcomes()).toEqual([]);
    await call.clock.advance(1);
    expect(lastLeft(call)).toMatchObject({ outcome: 'collected', result });
  });

  it.each([
    ['date: {}', '30022026'],
    ['date: { range: past }', '24122026'],
    ['date: { range: future }', '01032026'],
    ['date: { latest: "2026-12-23" }', '24122026'],
    ['date: {}', '12#'],
    ['time: {}', '2460'],
    ['time: { latest: "18:00" }', '1801'],
    ['amount: { currency: JPY }', '5*0#'],
    ['amount: { max: 10 }', '11#'],
    ['code: { length: 4 }', '*28'],
    ['code: { one_of: [AB12] }', '9'],
  ])('%s does not match %s', async (args, pressed) => {
    const call = await asking(args);
    await call.press(pressed);
    expect(call.outcomes()).toEqual(['first:exhausted.no_match']);
  });
});

describe('collect: typed speech', () => {
  const speaking = (args: string, locale: string) =>
    startLegs(
      `
  first:
    collect: { prompt: { text: What? }, attempts: 1, ${TIMES}, speech: {}, ${args} }
    exits: { collected: next, exhausted: next }
  next: { pause: 1h, next: bye }`,
      { outbound: true, head: `defaults: { locale: ${locale}, exits: { error: broken } }` },
    );

  it.each([
    ['date: {}', 'en-GB', 'the twenty fourth of December', 'date', '2026-12-24'],
    ['date: {}', 'de-DE', 'am vierundzwanzigsten Dezember', 'date', '2026-12-24'],
    ['time: {}', 'fr-FR', 'quatorze heures trente', 'time', '14:30'],
    ['amount: { currency: EUR }', 'es-ES', 'doce euros con cincuenta', 'amount', 12.5],
    ['code: { length: 4 }', 'it-IT', 'Ancona Bologna uno due', 'code', 'AB12'],
  ])('%s understands in %s: %s', async (args, locale, text, type, value) => {
    const legs = await speaking(args, locale);
    const { listenId, ...listen } = legs.caller.last('listen');
    expect(listen).toMatchObject({ language: locale, grammar: type });
    await legs.caller.emit({ type: 'speech_started', listenId });
    await legs.caller.emit({ type: 'listen_ended', listenId, reason: 'recognized', text, confidence: 0.9 });
    expect(lastLeft(legs.call)).toMatchObject({ outcome: 'collected', result: { [type]: value, speech: text } });
  });

  it('does not match words that are not a date', async () => {
    const legs = await speaking('date: {}', 'en-GB');
    const { listenId } = legs.caller.last('listen');
    const text = 'the thirtieth of February';
    await legs.caller.emit({ type: 'listen_ended', listenId, reason: 'recognized', text, confidence: 0.9 });
    expect(legs.call.outcomes()).toEqual(['first:exhausted.no_match']);
  });
});

describe('collect: confirmation of a type', () => {
  it.each([
    ['en-US', '12242026', 'December twenty-fourth, twenty twenty-six. Is that right? Press 1 for yes'],
    ['de-DE', '24122026', 'vierundzwanzigster Dezember zweitausendsechsundzwanzig. Stimmt das?'],
    ['fr-FR', '24122026', 'vingt-quatre décembre deux mille vingt-six. Est-ce exact ?'],
    ['es-ES', '24122026', 'veinticuatro de diciembre de dos mil veintiséis. ¿Es correcto?'],
    ['it-IT', '24122026', 'ventiquattro dicembre duemilaventisei. È corretto?'],
  ])('is asked in %s', async (locale, pressed, question) => {
    const call = await asking('date: {}, confirm: {}', locale);
    await call.press(pressed);
    expect(heard(call).at(-1)).toContain(question);
    await call.press('1');
    expect(lastLeft(call)).toMatchObject({ outcome: 'collected', result: { date: '2026-12-24' } });
  });

  it('asks again after a no', async () => {
    const call = await asking('date: {}, confirm: { prompt: "${ result.spoken }?" }, attempts: 2');
    await call.press('24122026');
    expect(heard(call).at(-1)).toContain('the twenty-fourth of December');
    await call.press('2');
    await call.press('25122026');
    await call.press('1');
    expect(lastLeft(call)).toMatchObject({ outcome: 'collected', result: { date: '2026-12-25' } });
  });
});
