/** Speech detection of an agent in noise, in echo and while it speaks: audio in, audio out, in virtual time. */
import { beforeAll, describe, expect, it } from 'vitest';
import { TurnTaking } from '../../src/media/telephony/media/agents/turn-taking.ts';
import { encodeG711 } from '../../src/media/telephony/media/g711.ts';
import { decodeTable } from '../../src/media/toolbox/audio/g711.ts';
import { quiet, sound, voice } from '../speech/recognition-sounds.ts';
import { join, key, pause, tone } from './line-sounds.ts';
import { atLevel, background, NOISES, sentences, speechAt, sum, voicesBehind } from './noises.ts';

const FRAME = 160;
const DECODED = decodeTable('PCMU');

let speech: Int16Array[];
beforeAll(async () => {
  speech = await sentences();
}, 60_000);

interface Turn {
  who: 'agent' | 'caller';
  speaks: boolean;
  atMs: number;
}

/** A call of an agent with a party, whose phone may return what it plays. */
function call(options: { bargeIn?: boolean; echo?: { dB: number; delayMs: number } } = {}) {
  const { bargeIn = true, echo } = options;
  const turns: Turn[] = [];
  const cuts: { unheardMs: number; atMs: number }[] = [];
  const marks: string[] = [];
  const pauses: number[] = [];
  let waiting = new Uint8Array(0);
  let isPaused = false;
  let nowMs = 0;
  let heardMs = 0;
  const played: Int16Array[] = [];
  const taking = new TurnTaking({
    bargeIn,
    play: (bytes) => {
      const all = new Uint8Array(waiting.length + bytes.length);
      all.set(waiting);
      all.set(bytes, waiting.length);
      waiting = all;
    },
    pause: (paused) => {
      isPaused = paused;
      if (paused) pauses.push(nowMs);
    },
    clear: () => {
      waiting = new Uint8Array(0);
    },
    turn: (who, speaks) => turns.push({ who, speaks, atMs: nowMs }),
    cut: (unheardMs) => cuts.push({ unheardMs, atMs: nowMs }),
    reached: (name) => marks.push(name),
  });
  const playFrame = (): void => {
    const bytes = waiting.subarray(0, isPaused ? 0 : FRAME);
    waiting = waiting.subarray(bytes.length);
    heardMs += bytes.length / 8;
    played.push(Int16Array.from({ length: FRAME }, (_, at) => DECODED[bytes[at] ?? 0xff]!));
  };
  const echoFrame = (): Int16Array => {
    if (!echo) return new Int16Array(FRAME);
    const source = played[played.length - 1 - Math.round(echo.delayMs / 20)];
    return (source ?? new Int16Array(FRAME)).map((sample) => sample * 10 ** (echo.dB / 20));
  };
  return {
    ...{ taking, turns, cuts, marks, pauses },
    get heardMs() {
      return heardMs;
    },
    get nowMs() {
      return nowMs;
    },
    callerTurns: () => turns.filter(({ who }) => who === 'caller'),
    say: (pcm: Int16Array) => taking.sound(encodeG711(pcm, 'PCMU')),
    /** The party's audio. `each` is called before each frame. */
    hear(pcm: Int16Array, { isAlive = true, each }: { isAlive?: boolean; each?: () => void } = {}): void {
      for (let at = 0; at + FRAME <= pcm.length; at += FRAME) {
        each?.();
        playFrame();
        taking.frame(encodeG711(sum(pcm.subarray(at, at + FRAME), echoFrame()), 'PCMU'), isAlive);
        nowMs += 20;
      }
    },
  };
}

const agentTalk = (ms: number): Int16Array => tone([440], ms, 4_600);

describe('an agent on a noisy line', () => {
  const LEVELS = [-38, -30] as const;
  it.each(NOISES.flatMap((noise) => LEVELS.map((level) => [noise, level] as const)))(
    'is heard completely over %s noise at %i dBov',
    (noise, level) => {
      const line = call();
      const pcm = background(noise, 12, level);
      line.hear(pcm.subarray(0, 8_000));
      line.say(agentTalk(10_000));
      line.hear(pcm.subarray(8_000));
      expect(line.heardMs).toBe(10_000);
      expect(line.callerTurns()).toEqual([]);
    },
  );

  it.each([-45, -41, -38])('is heard almost completely with voices behind the caller at %i dBov', (level) => {
    const line = call();
    line.hear(voicesBehind(speech, 22, level), {
      each: () => {
        if (line.nowMs >= 2_000 && line.nowMs % 200 === 0 && line.nowMs < 20_000) line.say(agentTalk(200));
      },
    });
    expect(line.heardMs).toBeGreaterThanOrEqual(0.8 * 18_000);
    expect(line.cuts.length).toBeLessThanOrEqual(1);
  });

  it('is not stopped by keys, tones and clicks', () => {
    const line = call();
    const keys = [...'159#0*'].flatMap((digit) => [key(digit, 120), pause(200)]);
    line.say(agentTalk(8_000));
    line.hear(join(pause(1_000), ...keys, tone([425], 1_000), pause(500), tone([2_100], 1_000), pause(3_000)));
    expect(line.pauses).toEqual([]);
    expect(line.heardMs).toBe(8_000);
  });
});

describe('a caller who speaks into the agent', () => {
  it.each([
    ['a quiet line', undefined, 120, 200],
    ['white noise 12 dB below', 'white', 250, 500],
    ['a car 12 dB below', 'car', 150, 300],
    ['a street 12 dB below', 'street', 150, 300],
  ] as const)('silences it at once in %s, and cuts it once it is a word', (_name, noise, medianMs, mostMs) => {
    const pausedMs: number[] = [];
    for (const sentence of speech) {
      const line = call();
      const words = join(pause(3_000), speechAt(sentence, -26), pause(1_500));
      const pcm = noise ? sum(words, background(noise, words.length / 8_000, -38)) : words;
      line.say(agentTalk(20_000));
      line.hear(pcm);
      expect(line.pauses.length).toBeGreaterThan(0);
      pausedMs.push(line.pauses[0]! - 3_000);
      expect(line.cuts).toHaveLength(1);
      expect(line.cuts[0]!.atMs - 3_000).toBeLessThanOrEqual(1_000);
      // The audio that the party heard, and the rest reported to the agent, add up to the whole.
      expect(line.heardMs + line.cuts[0]!.unheardMs).toBe(20_000);
      expect(line.callerTurns()[0]!.speaks).toBe(true);
      expect(line.callerTurns().at(-1)!.speaks).toBe(false);
    }
    // A first syllable that is short and followed by a stop is not enough.
    const sorted = pausedMs.toSorted((a, b) => a - b);
    expect(sorted[0]).toBeGreaterThanOrEqual(40);
    expect(sorted[4]).toBeLessThanOrEqual(medianMs);
    expect(sorted[6]).toBeLessThanOrEqual(mostMs);
    expect(sorted[7]).toBeLessThanOrEqual(500);
  });

  it('is detected on a phone that sends exact silence between words, from the first word on', () => {
    const line = call();
    line.say(agentTalk(20_000));
    // Packets arrive for 1.5 s before any speech.
    line.hear(join(pause(1_500), speechAt(speech[0]!, -26), pause(1_500)));
    expect(line.cuts).toHaveLength(1);
    const { speaks, atMs } = line.callerTurns()[1]!;
    expect(speaks).toBe(false);
    expect(atMs).toBeGreaterThan(1_500 + speech[0]!.length / 8);
  });

  it('adapts to the line when packets start late: the first packets are its background', () => {
    const voices = voicesBehind(speech, 10, -38).subarray(16_000);
    const line = call();
    line.hear(pause(5_000), { isAlive: false });
    line.say(agentTalk(20_000));
    line.hear(voices);
    expect(line.cuts).toEqual([]);
    expect(line.callerTurns()).toEqual([]);
    expect(line.heardMs).toBeGreaterThan(8_000 - 1_500);
    // After such a long silence, the same audio counts as speech.
    const alive = call();
    alive.hear(pause(5_000));
    alive.hear(voices);
    expect(alive.callerTurns()[0]).toMatchObject({ speaks: true });
  });

  it('resumes within 500 ms after a sound too short to interrupt', () => {
    const line = call();
    const cough = join(pause(2_000), voice(0.14, 150, 6000), pause(3_000));
    line.say(agentTalk(4_000));
    line.hear(cough);
    expect(line.pauses).toHaveLength(1);
    expect(line.cuts).toEqual([]);
    expect(line.callerTurns()).toEqual([]);
    expect(line.heardMs).toBe(4_000);
    // Silent for the pause alone.
    expect(line.turns.at(-1)).toMatchObject({ who: 'agent', speaks: false });
    expect(line.turns.at(-1)!.atMs).toBeLessThanOrEqual(4_000 + 250 + 500);
  });

  it('continues without barge_in, but announces the speech', () => {
    const line = call({ bargeIn: false });
    line.say(agentTalk(6_000));
    line.hear(join(pause(2_000), speechAt(speech[0]!, -26), pause(3_000)));
    expect(line.heardMs).toBe(6_000);
    expect(line.pauses).toEqual([]);
    expect(line.callerTurns().map(({ speaks }) => speaks)).toEqual([true, false]);
  });

  it('is confirmed by an agent that detects the voice too', () => {
    const line = call();
    line.say(agentTalk(10_000));
    line.hear(join(pause(2_000), speechAt(speech[0]!, -26).subarray(0, 1_280)));
    expect(line.pauses).toHaveLength(1);
    expect(line.cuts).toEqual([]);
    line.taking.confirm();
    expect(line.cuts).toHaveLength(1);
    // Without audible agent audio, detected speech cuts nothing.
    const other = call();
    other.say(agentTalk(1_000));
    other.taking.confirm();
    expect(other.cuts).toEqual([]);
  });

  it('reaches marks when the audio before them was heard, delayed by a pause, or cut', () => {
    const line = call();
    line.say(agentTalk(3_000));
    line.taking.mark('a');
    line.say(agentTalk(3_000));
    line.taking.mark('b');
    line.hear(join(pause(2_000), voice(0.14, 150, 6000)));
    line.hear(pause(1_000 - 140));
    expect(line.marks).toEqual([]);
    line.hear(pause(600));
    expect(line.marks).toEqual(['a']);
    line.hear(speechAt(speech[0]!, -26));
    expect(line.marks).toEqual(['a', 'b']);
    line.taking.mark('c');
    expect(line.marks).toEqual(['a', 'b', 'c']);
  });
});

describe('muting of an agent by a voice', () => {
  /** A talker without pauses. */
  const talk = (seconds: number, level: number): Int16Array => {
    const all = join(...Array.from({ length: 20 }, (_, index) => speech[index % speech.length]!));
    return speechAt(all, level).subarray(0, seconds * 8_000);
  };

  it("drops the agent's audio for 3 s at most", () => {
    const line = call();
    line.hear(join(pause(2_000), talk(1, -26)));
    expect(line.callerTurns()).toHaveLength(1);
    const pcm = talk(6, -26);
    line.hear(pcm, {
      each: () => {
        if (line.nowMs % 200 === 0) line.say(agentTalk(200));
      },
    });
    expect(line.callerTurns()).toHaveLength(1);
    expect(line.heardMs).toBeGreaterThanOrEqual(2_700);
    expect(line.heardMs).toBeLessThanOrEqual(3_100);
  });

  it('ends after 8 s of voice without a recognised word', () => {
    const line = call();
    line.hear(join(pause(2_000), talk(12, -26), pause(1_000)));
    const [begins, ends] = line.callerTurns();
    expect(ends!.speaks).toBe(false);
    expect(ends!.atMs - begins!.atMs).toBeGreaterThanOrEqual(8_000 - 40);
    expect(ends!.atMs - begins!.atMs).toBeLessThanOrEqual(8_000 + 40);
    // Speech after a pause counts again.
    line.hear(join(pause(1_000), talk(2, -26)));
    expect(line.callerTurns().at(-1)!.speaks).toBe(true);
  });

  it('lasts with the voice where words were recognised', () => {
    const line = call();
    line.hear(join(pause(2_000), talk(4, -26)));
    line.taking.trust();
    line.hear(join(talk(9, -26)));
    expect(line.callerTurns().map(({ speaks }) => speaks)).toEqual([true]);
  });

  it('ends after 1.2 s of a voice that is present when the line opens', () => {
    const line = call();
    line.hear(join(pause(300), talk(5, -26)));
    const [begins, ends] = line.callerTurns();
    expect(ends!.atMs - begins!.atMs).toBeLessThanOrEqual(1_240);
    line.say(agentTalk(1_000));
    line.hear(talk(1, -26));
    expect(line.heardMs).toBe(1_000);
    // Unless it contained words: then it was a caller who spoke at once.
    line.taking.trust();
    line.hear(talk(1, -26));
    expect(line.callerTurns().at(-1)!.speaks).toBe(true);
  });

  it('ends at once for continuous music, which becomes background', () => {
    const chord = (at: number): number => {
      const root = [110, 147, 131, 165][Math.floor(at * 2) % 4]!;
      let all = 0;
      for (let line = 1; line < 14; line++) all += Math.sin(2 * Math.PI * root * line * at) / line;
      return 2_000 * all;
    };
    const line = call();
    const music = atLevel(sound(30, chord), -36);
    line.hear(quiet(0.1));
    line.hear(music.subarray(0, 16_000));
    line.say(agentTalk(20_000));
    line.hear(music.subarray(16_000, 16_000 + 160_000));
    expect(line.heardMs).toBeGreaterThan(19_000);
  });
});

describe('an agent on a speakerphone', () => {
  const conversation = (dB: number, delayMs: number, seconds: number, caller?: Int16Array) => {
    const line = call({ echo: { dB, delayMs } });
    const pcm = sum(background('pink', seconds, -55), caller ?? pause(20));
    let next = 0;
    line.hear(pcm, {
      each: () => {
        // As agents do: a sentence, and the next one when it is over.
        if (line.turns.at(-1)?.speaks !== true && line.nowMs >= 1_000) line.say(speech[next++ % speech.length]!);
      },
    });
    return line;
  };

  it.each([
    [-40, 0],
    [-24, 0],
    [-18, 0],
    [-12, 1],
  ])('is cut at most %i times a minute, with an echo %i dB below it', (dB, most) => {
    expect(conversation(dB, 120, 60).cuts.length).toBeLessThanOrEqual(most);
  });

  it.each([-40, -24, -18, -12])('stops within 450 ms for a caller who speaks into an echo %i dB below', (dB) => {
    const spokenAtMs = 12_000;
    for (const sentence of speech.slice(0, 4)) {
      const caller = join(pause(spokenAtMs), speechAt(sentence, -26));
      const { pauses, cuts } = conversation(dB, 120, 16, caller);
      const paused = pauses.find((atMs) => atMs >= spokenAtMs);
      expect(paused! - spokenAtMs).toBeLessThanOrEqual(450);
      expect(cuts.some(({ atMs }) => atMs >= spokenAtMs)).toBe(true);
    }
  });
});
