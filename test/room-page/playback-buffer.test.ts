/** How long a client waits before it plays what it receives: `client/playback-buffer.js`. */
import { describe, expect, it } from 'vitest';
import { PlaybackBuffer } from '../../client/playback-buffer.js';

const LOOK_SAMPLES = 12_000;

function rig() {
  const buffer = new PlaybackBuffer();
  const sums = {
    totalSamplesReceived: 0,
    concealedSamples: 0,
    silentConcealedSamples: 0,
    freezeCount: 0,
    nackCount: 0,
  };
  const look = (added: Partial<typeof sums> = {}, jitter = 0.005): number => {
    sums.totalSamplesReceived += LOOK_SAMPLES;
    for (const [key, value] of Object.entries(added)) sums[key as keyof typeof sums] += value;
    return buffer.take(new Map([['1', { type: 'inbound-rtp', kind: 'audio', id: '1', jitter, ...sums }]]));
  };
  look();
  return { look, looks: (count: number) => Array.from({ length: count }, () => look()).at(-1) };
}

describe('received media', () => {
  it('is played at once on a good link, also where one packet had to be asked for', () => {
    const { look } = rig();
    expect([look(), look({ nackCount: 1 }), look({ concealedSamples: 100 })]).toEqual([0, 0, 0]);
  });

  it('waits longer, up to a limit, as long as sound is made up or pictures stand still', () => {
    const { look } = rig();
    expect([1, 2, 3, 4, 5].map(() => look({ concealedSamples: 1000 }))).toEqual([150, 250, 350, 400, 400]);
    expect(rig().look({ freezeCount: 1 })).toBe(150);
  });

  it('does not wait for audio concealed during silence', () => {
    expect(rig().look({ concealedSamples: 1000, silentConcealedSamples: 1000 })).toBe(0);
  });

  it('waits a little where packets are asked for again or come late', () => {
    expect([rig().look({ nackCount: 5 }), rig().look({}, 0.0251)]).toEqual([150, 151]);
  });

  it('waits at once as long as packets are late, up to the limit', () => {
    expect([rig().look({}, 0.05), rig().look({}, 0.2)]).toEqual([300, 400]);
  });

  it('waits less, step by step, when all was well for ten seconds', () => {
    const { look, looks } = rig();
    look({ freezeCount: 1 });
    expect([looks(39), looks(1), looks(40), looks(40), looks(40)]).toEqual([150, 100, 50, 0, 0]);
  });
});
