/** Audio of speakers for captions, in virtual time. */
import { describe, expect, it } from 'vitest';
import { SpeechTaps } from '../../../src/media/rooms/embedded/speech-taps.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';
import { browser, countedOpus } from './sounding-browsers.ts';

const FRAME_MS = 20;

function tapRig() {
  const clock = new VirtualClock();
  const { opus, count } = countedOpus();
  const heard: { owner: string; samples: Int16Array }[] = [];
  const taps = new SpeechTaps({
    ...{ clock, opus, warn: () => undefined },
    heard(owner, pcm) {
      const bytes = new Uint8Array(Buffer.from(pcm, 'base64'));
      heard.push({ owner, samples: new Int16Array(bytes.buffer) });
    },
  });
  return {
    ...{ clock, count, taps },
    browser: (owner: string) => browser(clock, owner),
    async run(ms: number, each: () => void = () => undefined) {
      for (let atMs = 0; atMs < ms; atMs += FRAME_MS) {
        each();
        await clock.advance(FRAME_MS);
      }
    },
    /** Seconds of audio of an owner, and the values in it in order. */
    of(owner: string) {
      const samples = heard.filter((one) => one.owner === owner).flatMap((one) => [...one.samples]);
      return { seconds: samples.length / 8000, values: [...new Set(samples)] };
    },
  };
}

describe('audio for captions', () => {
  it('begins up to a second before a speaker is listened to, and has no gaps', async () => {
    const rig = tapRig();
    const [ada, ben] = [rig.browser('ada'), rig.browser('ben')];
    rig.taps.setSources([ada.source, ben.source]);
    await rig.clock.advance(0);
    const talk = (): void => {
      ada.say(100);
      ben.say(7);
    };
    await rig.run(3000, talk);
    expect(rig.of('ada').seconds).toBe(0);
    rig.taps.listen(['ada']);
    await rig.run(1000, talk);
    await rig.run(1000);
    expect(rig.of('ada').seconds).toBeCloseTo(3, 0);
    expect(rig.of('ada').values).toEqual([100, 0]);
    expect(rig.of('ben').seconds).toBe(0);
  });

  it('ends with the source, whose decoder is freed', async () => {
    const rig = tapRig();
    const ada = rig.browser('ada');
    rig.taps.listen(['ada']);
    rig.taps.setSources([ada.source]);
    await rig.run(500, () => ada.say(5));
    expect([rig.count.decoders, rig.taps.decoders]).toEqual([1, 1]);
    rig.taps.close();
    const { seconds } = rig.of('ada');
    await rig.run(500, () => ada.say(5));
    expect([rig.count.decoders, rig.of('ada').seconds]).toEqual([0, seconds]);
    expect(rig.clock.pendingTimers).toBe(0);
  });
});
