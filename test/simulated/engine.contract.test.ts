import { countingIds } from '../../src/base/core/ids.ts';
import { AudioError } from '../../src/media/telephony/audio.ts';
import { SimulatedEngine } from '../../src/media/telephony/simulated/engine.ts';
import type { CalleePlan, FarEnd, SinkPlan } from '../../src/media/telephony/simulated/far-end.ts';
import { silentAudio } from '../../src/proof/testkit/silent-audio.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { type ContractParty, runEngineContract } from '../contracts/engine/engine-contract.ts';

const MISSING = '/nowhere/missing.wav';

runEngineContract(async () => {
  const clock = new VirtualClock();
  const audio = silentAudio();
  const plans = new Map<string, CalleePlan>();
  const parties = new Map<string, ContractParty>();
  const farEnds: FarEnd[] = [];
  const sinks = new Map<string, SinkPlan>();
  const partyOf = (farEnd: FarEnd): ContractParty => {
    let spokenMs = 0;
    const referStatus: number[] = [];
    farEnds.push(farEnd);
    farEnd.observe((notice) => {
      if (notice.type === 'speech') spokenMs += notice.durationMs;
      if (notice.type === 'refer_progress' && notice.sipStatus >= 200) referStatus.push(notice.sipStatus);
    });
    return {
      press: (digits) => farEnd.press(digits),
      speak: (durationMs) => farEnd.speak(durationMs),
      say: (text) => farEnd.say(text),
      hold: (held) => farEnd.hold(held),
      refer: (to) => farEnd.refer(to, { stays: true }),
      onRefer: (plan) => farEnd.onRefer(plan),
      hangUp: (headers) => farEnd.hangUp(16, headers),
      headers: farEnd.headers,
      referStatus,
      get received() {
        return farEnd.received;
      },
      get heardMs() {
        const sounds = farEnd.heard.filter(({ item }) => item.type !== 'silence');
        return sounds.reduce((sumMs, { fromMs, toMs = clock.now() }) => sumMs + toMs - fromMs, spokenMs);
      },
    };
  };
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
    dialled: (farEnd, { to }) => parties.set(to, partyOf(farEnd)),
    sink: (url) => sinks.get(url) ?? { does: 'refuse' },
  });
  return {
    engine,
    elapse: (ms) => clock.advance(ms),
    callIn: async (headers) =>
      partyOf(engine.call({ from: '+33612345678', to: '+33199001122', ...(headers && { headers }) })),
    async callee(plan) {
      const to = `+331000000${plans.size}`;
      plans.set(to, plan);
      return { to, party: () => parties.get(to)! };
    },
    can: ['say', 'hear', 'far_hold', 'far_refer', 'on_refer', 'headers', 'sink', 'answerer', 'callee_early_media'],
    async sink(plan) {
      const url = `wss://sink.test/${sinks.size}`;
      sinks.set(url, plan);
      const frames = () => farEnds.flatMap(({ streams }) => streams).find((stream) => stream.url === url)?.frames ?? 0;
      return {
        url,
        get frames() {
          return frames();
        },
      };
    },
    missingFile: MISSING,
    toleranceMs: 0,
    close: async () => undefined,
  };
});
