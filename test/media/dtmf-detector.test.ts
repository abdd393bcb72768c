import { describe, expect, it } from 'vitest';
import { DtmfDetector } from '../../src/media/toolbox/dtmf/dtmf-detector.ts';
import { join, key, noisy, overTheLine, pause, spoken, tone } from './line-sounds.ts';

const KEYS = '0123456789*#ABCD';

function heard(pcm: Int16Array, pieceSamples = 160): { digit: string; durationMs: number }[] {
  const digits: { digit: string; durationMs: number }[] = [];
  const detector = new DtmfDetector((digit, durationMs) => digits.push({ digit, durationMs }));
  for (let at = 0; at < pcm.length; at += pieceSamples) detector.frame(pcm.subarray(at, at + pieceSamples));
  // A key that is still pressed ends with the audio.
  detector.frame(pause(50));
  return digits;
}

const digitsIn = (pcm: Int16Array): string =>
  heard(pcm)
    .map(({ digit }) => digit)
    .join('');

describe('in-band DTMF', () => {
  it.each([
    { toneMs: 60, gapMs: 60 },
    { toneMs: 100, gapMs: 50 },
    { toneMs: 300, gapMs: 200 },
  ])('reports every key once: %o', ({ toneMs, gapMs }) => {
    const sound = join(...[...KEYS].flatMap((digit) => [pause(gapMs), key(digit, toneMs)]), pause(gapMs));
    expect(digitsIn(overTheLine(sound))).toBe(KEYS);
    expect(digitsIn(overTheLine(noisy(sound, 300)))).toBe(KEYS);
  });

  it('reports the same key twice', () => {
    expect(digitsIn(join(key('5', 80), pause(60), key('5', 80), pause(60)))).toBe('55');
  });

  it('works for loud and faint tones', () => {
    expect(digitsIn(overTheLine(join(key('7', 80, 2), pause(80))))).toBe('7');
    expect(digitsIn(overTheLine(join(key('7', 80, 0.08), pause(80))))).toBe('7');
  });

  it('reports the approximate duration', () => {
    const [pressed] = heard(join(pause(30), key('1', 400), pause(100)));
    expect(pressed?.durationMs).toBeGreaterThan(360);
    expect(pressed?.durationMs).toBeLessThan(430);
  });

  it('reports a key that is still down when the call ends', () => {
    expect(digitsIn(key('9', 200))).toBe('9');
  });

  it('does not split a press at a gap shorter than a block', () => {
    expect(digitsIn(join(key('3', 80), pause(8), key('3', 80), pause(50)))).toBe('3');
  });

  it.each([
    ['a dial tone', tone([350, 440], 2000)],
    ['ringing', tone([440, 480], 2000)],
    ['busy', tone([480, 620], 500)],
    ['one frequency alone', tone([941], 1000)],
    ['the right ones, one much stronger', twisted()],
    ['noise', noisy(pause(2000), 9000)],
    ['nothing', pause(1000)],
    ['a key too short to be one', join(pause(40), key('5', 20), pause(40))],
  ])('does not detect a key in %s', (_what, sound) => {
    expect(digitsIn(overTheLine(sound))).toBe('');
  });

  it('does not depend on the size of the chunks', () => {
    const sound = join(pause(33), key('4', 90), pause(41), key('2', 70), pause(64));
    expect(heard(sound, 7)).toEqual(heard(sound, 160));
    expect(digitsIn(sound)).toBe('42');
  });

  it.each(['female', 'male'] as const)('does not detect a key in speech, of a %s voice', async (voice) => {
    const text =
      'Good morning, you have reached the accounts department. We are open from nine to five. ' +
      'Please leave your name, your number, and a short message after the tone, and somebody will call you back. ' +
      'One, two, three, four, five, six, seven, eight, nine, zero.';
    expect(digitsIn(overTheLine(await spoken(text, voice)))).toBe('');
  });
});

function twisted(): Int16Array {
  const low = tone([770], 300, 12_000);
  const high = tone([1336], 300, 1500);
  return low.map((sample, index) => sample + high[index]!);
}
