import { beforeAll, describe, expect, it } from 'vitest';
import { type AnsweredBy, MachineDetector } from '../../src/media/telephony/media/machine-detector.ts';
import { join, noisy, overTheLine, pause, spoken, tone } from './line-sounds.ts';

const OPTIONS = { timeoutMs: 5000, awaitBeepMs: 0 };

function judged(pcm: Int16Array, options = OPTIONS): { result: AnsweredBy; afterMs: number } | undefined {
  const results: { result: AnsweredBy; afterMs: number }[] = [];
  const detector = new MachineDetector(options, (result, afterMs) => results.push({ result, afterMs }));
  for (let at = 0; at < pcm.length; at += 160) detector.frame(pcm.subarray(at, at + 160));
  expect(results.length).toBeLessThanOrEqual(1);
  return results[0];
}

describe('machine detection', () => {
  const said: Record<string, Int16Array> = {};
  beforeAll(async () => {
    said['hello'] = await spoken('Hello?');
    said['name'] = await spoken('Smith and sons, hello?', 'male');
    said['greeting'] = await spoken(
      'Hello, you have reached the home of the Miller family. We cannot come to the phone right now. ' +
        'Please leave a message after the beep.',
    );
  }, 30_000);
  const line = (...parts: Int16Array[]): Int16Array => overTheLine(noisy(join(...parts), 40));

  it.each(['hello', 'name'])('recognises a human who says a word and waits: %s', (word) => {
    const sound = line(pause(600), said[word]!, pause(1500));
    const judgement = judged(sound);
    expect(judgement?.result).toBe('human');
    // Within a second of the last word.
    expect(judgement!.afterMs).toBeLessThan(600 + said[word]!.length / 8 + 1000);
  });

  it('recognises a machine that keeps talking', () => {
    const judgement = judged(line(pause(500), said['greeting']!, pause(1000)));
    expect(judgement?.result).toBe('machine');
    expect(judgement!.afterMs).toBeLessThan(5000);
  });

  it('reports the end of the beep when asked to wait for it', () => {
    const greeting = said['greeting']!;
    const judgement = judged(line(pause(500), greeting, pause(400), tone([1000], 400), pause(1000)), {
      ...OPTIONS,
      awaitBeepMs: 30_000,
    });
    expect(judgement?.result).toBe('beep');
    const beepOverMs = 500 + greeting.length / 8 + 400 + 400;
    expect(judgement!.afterMs).toBeGreaterThanOrEqual(beepOverMs);
    expect(judgement!.afterMs).toBeLessThan(beepOverMs + 60);
  });

  it('reports a machine without a beep at the end of the wait', () => {
    const judgement = judged(line(pause(500), said['greeting']!, pause(8000)), { ...OPTIONS, awaitBeepMs: 3000 });
    expect(judgement?.result).toBe('machine');
  });

  it('recognises a machine by a beep without a word', () => {
    expect(judged(line(pause(300), tone([850], 300), pause(500)))?.result).toBe('machine');
  });

  it.each([
    ['calling', 1100, 600],
    ['answering', 2100, 2000],
  ])('recognises a fax that is %s', (_what, hz, ms) => {
    expect(judged(line(pause(300), tone([hz], ms), pause(500)))?.result).toBe('fax');
  });

  it.each([
    ['silence', pause(6000)],
    ['a quiet line', noisy(pause(6000), 120)],
    ['clicks', join(...Array.from({ length: 6 }, () => join(pause(900), tone([400, 900, 1900], 20))), pause(600))],
  ])('is undecided for %s', (_what, sound) => {
    expect(judged(overTheLine(sound))).toMatchObject({ result: 'unknown', afterMs: 5000 });
  });

  it('takes a party who still talks at the timeout for a machine', () => {
    const judgement = judged(line(pause(200), said['greeting']!), { timeoutMs: 1200, awaitBeepMs: 0 });
    expect(judgement).toMatchObject({ result: 'machine', afterMs: 1200 });
  });

  it('reports nothing while it is undecided', () => {
    expect(judged(line(pause(400), said['hello']!))).toBeUndefined();
  });
});
