import { countingIds } from '../../src/core/ids.ts';
import { AudioError } from '../../src/telephony/audio.ts';
import { SimulatedEngine } from '../../src/telephony/simulated/engine.ts';
import type { CalleePlan, FarEnd } from '../../src/telephony/simulated/far-end.ts';
import { silentAudio } from '../../src/testkit/audio.ts';
import { runEngineContract } from '../../src/testkit/engine-contract.ts';
import { VirtualClock } from '../../src/testkit/virtual-clock.ts';

const MISSING = '/nowhere/missing.wav';

runEngineContract(async () => {
  const clock = new VirtualClock();
  const audio = silentAudio();
  const plans = new Map<string, CalleePlan>();
  const parties = new Map<string, FarEnd>();
  const engine = new SimulatedEngine({
    clock,
    ids: countingIds(),
    audio: {
      durationMs(item) {
        if (item.type !== 'file' || item.file !== MISSING) return audio.durationMs(item);
        throw new AudioError({ code: 'audio_missing', message: 'there is no such file', retryable: false });
      },
    },
    callee: ({ to }) => plans.get(to) ?? { does: 'unreachable' },
    dialled: (farEnd, { to }) => parties.set(to, farEnd),
  });
  return {
    engine,
    elapse: (ms) => clock.advance(ms),
    callIn: async () => engine.call({ from: '+33612345678', to: '+33199001122' }),
    async callee(plan) {
      const to = `+331000000${plans.size}`;
      plans.set(to, plan);
      return { to, party: () => parties.get(to)! };
    },
    missingFile: MISSING,
    toleranceMs: 0,
    close: async () => undefined,
  };
});
