/**
 * Accuracy and cost of speech recognition on a telephone line. Speaks words with two external voices (eSpeak NG;
 * Festival's kal), encodes them with G.711, clean and with white noise 20 and 10 dB below the speech, and sends them to
 * the embedded engine. Texts, voices and noise are the same each time. Run: `npm run bench -- recognition`
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/base/core/clock.ts';
import type { ListenOptions } from '../src/base/core/leg.ts';
import { createRecognizers } from '../src/media/speech/recognizers.ts';
import { missingFiles, modelsDirectory, voskFiles } from '../src/media/speech/vosk/model-files.ts';
import type { RecognitionEvent } from '../src/media/telephony/recognition.ts';
import { decodeTable, encodeSample } from '../src/media/toolbox/audio/g711.ts';
import { median, report } from './figure.ts';

type Grammar = 'hints' | 'digits' | 'yes_no';
type Ended = Extract<RecognitionEvent, { type: 'ended' }>;

interface Utterance {
  grammar: Grammar;
  said: string;
  /** Undefined if it is none of the answers. */
  means: string | undefined;
  /** Audio without noise. */
  pcm: Int16Array;
  /** End of the last sound. */
  endsMs: number;
}

interface Heard {
  end: Ended;
  untilMs: number | undefined;
}

const HINTS = [
  ...[
    'sales',
    'customer support',
    'billing',
    'technical support',
    'opening hours',
    'speak to an agent',
    'reservations',
  ],
  ...[
    'cancel my order',
    'make an appointment',
    'lost and found',
    'human resources',
    'repeat',
    'main menu',
    'delivery status',
  ],
  ...['account balance', 'report a problem', 'new customer', 'change my address', 'insurance', 'operator'],
  ...[
    'pay my bill',
    'order a taxi',
    'table for two',
    'leave a message',
    'call me back',
    'hotel',
    'departures',
    'arrivals',
  ],
  ...['library', 'emergency', 'spanish', 'english', 'marketing', 'parking', 'season ticket', 'warranty', 'returns'],
  ...['subscription', 'internet', 'roadside assistance'],
];
const DIGITS = [
  ...['one two three four', 'oh seven nine', 'double five six', 'eight zero two one', 'nine nine four', 'four', 'two'],
  ...[
    'three one six seven two',
    'triple seven',
    'six five',
    'one oh one',
    'five five five zero',
    'eight',
    'nine six',
    'seven',
  ],
  ...['two double four', 'zero zero seven', 'six one nine', 'three eight four two', 'five'],
  ...[
    'one',
    'three',
    'six',
    'nine',
    'zero',
    'one eight',
    'four oh two',
    'seven seven one',
    'five nine three',
    'double oh seven',
  ],
  ...['two four six eight', 'nine one one', 'three three five', 'eight six four', 'one nine eight four', 'two one'],
  ...['six zero three', 'four seven two five', 'nine double three', 'seven two eight'],
];
const YES = ['yes', 'yeah', 'yep', 'sure', 'yes please', 'of course', 'that is right', 'absolutely', 'okay', 'correct'];
const NO = [
  'no',
  'nope',
  'no thanks',
  'no thank you',
  'not really',
  'never',
  'no way',
  'absolutely not',
  'not at all',
  'negative',
];
const OTHER = [
  ...[
    'the weather is nice today',
    'where is my car',
    'banana split',
    'good morning everybody',
    'how much does it cost',
  ],
  ...[
    'pink elephants',
    'the train was late again',
    'what time is it',
    'my dog ate the homework',
    'turn left at the bridge',
  ],
  ...['he plays the guitar', 'strawberry ice cream', 'the window is open', 'can you hear the music', 'purple curtains'],
];
const VALUES: Readonly<Record<string, string>> = {
  ...{
    zero: '0',
    oh: '0',
    one: '1',
    two: '2',
    three: '3',
    four: '4',
    five: '5',
    six: '6',
    seven: '7',
    eight: '8',
    nine: '9',
  },
};
const DECIBELS = [undefined, 20, 10];
const END_SILENCE_MS = 700;
const MIN_CONFIDENCE = 0.5;
const RATE_HZ = 8000;
const PACED = 12;

const dataDirectory = join(import.meta.dirname, '../data');
const lacking = [
  missingFiles(voskFiles(modelsDirectory(dataDirectory)))?.message,
  ...['espeak-ng', 'text2wave', 'sox'].map((program) =>
    spawnSync('sh', ['-c', `command -v ${program}`]).status === 0 ? undefined : `${program} is not installed`,
  ),
].filter((why) => why !== undefined);
if (lacking.length > 0) {
  process.stderr.write(`this benchmark needs more: ${lacking.join('; ')}\n`);
  process.exit(1);
}

const texts: readonly Pick<Utterance, 'grammar' | 'said' | 'means'>[] = [
  ...HINTS.map((said) => ({ grammar: 'hints' as const, said, means: said })),
  ...DIGITS.map((said) => ({ grammar: 'digits' as const, said, means: digitsOf(said) })),
  ...YES.map((said) => ({ grammar: 'yes_no' as const, said, means: 'yes' })),
  ...NO.map((said) => ({ grammar: 'yes_no' as const, said, means: 'no' })),
  ...OTHER.flatMap((said) =>
    (['hints', 'digits', 'yes_no'] as const).map((grammar) => ({ grammar, said, means: undefined })),
  ),
];

const recognizer = createRecognizers({
  entries: [{ engine: 'vosk', preload: true }],
  dataDirectory,
  clock: systemClock,
});
await recognizer.start();
const utterances = say();
report('recognition.utterances', utterances.filter(({ means }) => means !== undefined).length, 'count');

for (const decibels of DECIBELS) {
  const line = decibels === undefined ? 'clean' : `${decibels}_db`;
  const cpuBefore = cpuSeconds();
  let audioSeconds = 0;
  const delaysMs: number[] = [];
  const counts = new Map<string, { right: number; all: number }>();
  const count = (name: string, right: boolean): void => {
    const so = counts.get(name) ?? { right: 0, all: 0 };
    counts.set(name, { right: so.right + (right ? 1 : 0), all: so.all + 1 });
  };
  for (const [index, utterance] of utterances.entries()) {
    const pcm = overTheLine(utterance.pcm, decibels, index + 1);
    audioSeconds += pcm.length / RATE_HZ;
    const { end, untilMs } = await hear(pcm, utterance.grammar);
    if (process.env['BENCH_ERRORS'] && (end.reason === 'recognized' ? end.text : undefined) !== utterance.means) {
      process.stderr.write(`${line} ${utterance.grammar} "${utterance.said}": ${JSON.stringify(end)}\n`);
    }
    if (utterance.means === undefined) {
      count(`${utterance.grammar}.${line}.false_accepts`, end.reason === 'recognized');
      continue;
    }
    const right = end.reason === 'recognized' && end.text === utterance.means;
    count(`${utterance.grammar}.${line}.accuracy`, right);
    count(`all.${line}.accuracy`, right);
    count(`all.${line}.wrong`, end.reason === 'recognized' && !right);
    if (untilMs !== undefined) delaysMs.push(untilMs + END_SILENCE_MS - utterance.endsMs);
  }
  for (const [name, { right, all }] of counts) report(`recognition.${name}`, right / all, 'share');
  report(`recognition.${line}.end_pointing_median`, median(delaysMs), 'ms');
  report(`recognition.${line}.rtf_cpu`, (cpuSeconds() - cpuBefore) / audioSeconds, 'cpu_s/audio_s');
}

const afterEndMs: number[] = [];
for (const { pcm, grammar, endsMs } of utterances.filter(({ means }) => means !== undefined).slice(0, PACED)) {
  afterEndMs.push(await paced(overTheLine(pcm, undefined, 1), grammar, endsMs));
}
report('recognition.paced.result_after_end_median', median(afterEndMs), 'ms');
report('recognition.paced.result_after_end_max', Math.max(...afterEndMs), 'ms');
report('recognition.rss', process.memoryUsage().rss / 2 ** 20, 'MiB');
await recognizer.stop();

function optionsOf(grammar: Grammar): ListenOptions {
  return {
    ...{ language: 'en-US', minConfidence: MIN_CONFIDENCE, endSilenceMs: END_SILENCE_MS, maxLengthMs: 20_000 },
    ...(grammar === 'hints' ? { hints: HINTS } : { hints: [], grammar }),
  };
}

function hear(pcm: Int16Array, grammar: Grammar): Promise<Heard> {
  return new Promise((resolve) => {
    let untilMs: number | undefined;
    const session = recognizer.open(optionsOf(grammar), (event) => {
      if (event.type === 'utterance') untilMs = event.toMs;
      if (event.type === 'ended') resolve({ end: event, untilMs });
    });
    session.write(pcm);
    session.finish();
  });
}

/** Sends audio in real time. Returns the delay of the result after its last sound. */
async function paced(pcm: Int16Array, grammar: Grammar, endsMs: number): Promise<number> {
  const startedMs = performance.now();
  let ended = false;
  const result = new Promise<number>((resolve) => {
    const session = recognizer.open(optionsOf(grammar), (event) => {
      if (event.type !== 'ended') return;
      ended = true;
      resolve(performance.now() - startedMs - endsMs);
    });
    let at = 0;
    const send = (): void => {
      if (ended) return;
      for (; at < ((performance.now() - startedMs) * RATE_HZ) / 1000; at += 160) {
        session.write(at < pcm.length ? pcm.subarray(at, at + 160) : new Int16Array(160));
      }
      setTimeout(send, 20);
    };
    send();
  });
  return result;
}

function say(): Utterance[] {
  const directory = mkdtempSync(join(tmpdir(), 'bench-recognition-'));
  try {
    const files: { text: (typeof texts)[number]; file: string }[] = [];
    const lisp: string[] = ['(voice_kal_diphone)'];
    for (const [index, text] of texts.entries()) {
      const espeak = join(directory, `espeak-${index}.wav`);
      const festival = join(directory, `festival-${index}.wav`);
      spawnSync('espeak-ng', ['-v', 'en-us', '-s', '150', '-w', espeak, text.said]);
      lisp.push(`(utt.save.wave (utt.synth (Utterance Text "${text.said}")) "${festival}" 'riff)`);
      files.push({ text, file: espeak }, { text, file: festival });
    }
    const script = join(directory, 'say.scm');
    writeFileSync(script, lisp.join('\n'));
    spawnSync('festival', ['-b', script]);
    return files.map(({ text, file }) => {
      const narrow = `${file}.raw`;
      spawnSync('sox', [
        ...['-D', file, '-r', `${RATE_HZ}`, '-e', 'signed', '-b', '16', '-c', '1', '-t', 'raw', narrow],
        ...['gain', '-n', '-12', 'pad', '0.5', '1.0'],
      ]);
      const bytes = readFileSync(narrow);
      const pcm = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
      const last = pcm.findLastIndex((sample) => Math.abs(sample) > 400);
      return { ...text, pcm, endsMs: (last * 1000) / RATE_HZ };
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function overTheLine(pcm: Int16Array, decibels: number | undefined, seed: number): Int16Array {
  const table = decodeTable('PCMU');
  const loud = pcm.filter((sample) => Math.abs(sample) > 300);
  const level = Math.sqrt(loud.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, loud.length));
  const noise = decibels === undefined ? 0 : level / 10 ** (decibels / 20);
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 1) / (2 ** 32 + 1);
  };
  return pcm.map((sample) => {
    const gauss = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    const sum = Math.max(-32_768, Math.min(32_767, Math.round(sample + noise * gauss)));
    return table[encodeSample(sum, 'PCMU')]!;
  });
}

function digitsOf(said: string): string {
  let times = 1;
  let digits = '';
  for (const word of said.split(' ')) {
    if (word === 'double' || word === 'triple') times = word === 'double' ? 2 : 3;
    else {
      digits += VALUES[word]!.repeat(times);
      times = 1;
    }
  }
  return digits;
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
