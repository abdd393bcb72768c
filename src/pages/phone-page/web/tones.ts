/** Tones of keys as in a phone (ITU-T Q.23), and the ringback tone. */
const ROWS = [697, 770, 852, 941];
const COLUMNS = [1209, 1336, 1477];
const KEYS = '123456789*0#';
export const TONE_MS = 120;
const QUIET = 0.06;
const RING_HZ = 425;
/** One second of tone, four of silence. */
const RING_EVERY_MS = 5000;
const RING_MS = 1000;

let context: AudioContext | undefined;

export function playKey(key: string): void {
  const at = KEYS.indexOf(key);
  if (at >= 0) play([ROWS[Math.floor(at / 3)]!, COLUMNS[at % 3]!], TONE_MS);
}

/** Returns a function that stops it. */
export function ring(): () => void {
  let stop = play([RING_HZ], RING_MS);
  const timer = setInterval(() => {
    stop = play([RING_HZ], RING_MS);
  }, RING_EVERY_MS);
  return () => {
    clearInterval(timer);
    stop();
  };
}

function play(frequencies: readonly number[], durationMs: number): () => void {
  context ??= new AudioContext();
  const { destination, currentTime } = context;
  const gain = new GainNode(context, { gain: QUIET });
  gain.connect(destination);
  const oscillators = frequencies.map((frequency) => new OscillatorNode(context!, { frequency }));
  for (const oscillator of oscillators) {
    oscillator.connect(gain);
    oscillator.start();
    oscillator.stop(currentTime + durationMs / 1000);
  }
  return () => gain.disconnect();
}
