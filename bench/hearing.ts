/**
 * Cost of processing the caller's audio for an AI agent: CPU per second of audio, compared with the pitch detector
 * alone, which was the earlier implementation. The audio is a synthesised voice with line noise. Run: `npm run bench --
 * hearing`
 */
import { createFlite } from '../src/media/speech/flite/flite.ts';
import { TurnTaking } from '../src/media/telephony/media/agents/turn-taking.ts';
import { decodeTable, encodeSample } from '../src/media/toolbox/audio/g711.ts';
import { createNearVoice } from '../src/media/toolbox/voice/near-voice.ts';
import { createVoiceDetector, FRAME_SAMPLES } from '../src/media/toolbox/voice/voice-detector.ts';
import { median, report } from './figure.ts';

const SECONDS = 60;
const RATE_HZ = 8000;
const PACKET = 160;
const ROUNDS = 5;

const pcm = await line();
const packets = Uint8Array.from(pcm, (sample) => encodeSample(sample, 'PCMU'));

const pitchMs = cost(() => {
  const detector = createVoiceDetector();
  return (frame) => detector.frame(frame);
});
const nearMs = cost(() => {
  const voice = createNearVoice({ endMs: 600, mostMs: 8_000 });
  return (frame) => voice.frame(frame);
});
report('hearing.near_voice', nearMs, 'cpu_ms/audio_s', pitchMs);
report('hearing.agent', median(rounds(speakTurns)), 'cpu_ms/audio_s', pitchMs);

function cost(make: () => (frame: Int16Array) => unknown): number {
  return median(
    rounds(() => {
      const hear = make();
      for (let at = 0; at + FRAME_SAMPLES <= pcm.length; at += FRAME_SAMPLES)
        hear(pcm.subarray(at, at + FRAME_SAMPLES));
    }),
  );
}

/** The agent speaks all the time, so that echo detection is included. */
function speakTurns(): void {
  const nothing = (): void => undefined;
  const turns = new TurnTaking({
    ...{ bargeIn: true, play: nothing, pause: nothing, clear: nothing, turn: nothing, cut: nothing, reached: nothing },
  });
  for (let at = 0; at + PACKET <= packets.length; at += PACKET) {
    const packet = packets.subarray(at, at + PACKET);
    turns.sound(packet);
    turns.frame(packet, true);
  }
}

/** CPU of each round, in ms for a second of audio. */
function rounds(run: () => void): number[] {
  run();
  return Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / SECONDS;
  });
}

async function line(): Promise<Int16Array> {
  const flite = createFlite();
  const request = { text: 'I would like to book an appointment for next week, please.', language: 'en-US' };
  const spoken: number[] = [];
  for await (const part of flite.synthesize(
    { ...request, voice: 'female', rate: 1, pitch: 1 },
    AbortSignal.timeout(60_000),
  ))
    for (const sample of part) spoken.push(sample);
  await flite.stop();
  const decode = decodeTable('PCMU');
  let state = 1;
  return Int16Array.from({ length: SECONDS * RATE_HZ }, (_, at) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const sum = spoken[at % spoken.length]! + (state / 2 ** 31 - 1) * 300;
    return decode[encodeSample(Math.max(-32_768, Math.min(32_767, Math.round(sum))), 'PCMU')]!;
  });
}
