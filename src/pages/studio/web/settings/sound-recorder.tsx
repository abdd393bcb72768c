/**
 * Dialog that records a prompt with the microphone: words to read, level and clock, then the cut of its beginning and
 * end, and listening before it is taken over. It also cuts a sound that exists.
 */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { Dialog } from '../shell/dialog.tsx';
import {
  type Cut,
  clockWords,
  cutOut,
  lengthOf,
  levelOf,
  moved,
  peaksOf,
  type RecordedSound,
  spokenPart,
} from './trim.ts';
import { mixed, wavOf } from './wav.ts';

const SAMPLE_RATE_HZ = 16_000;
/** A longer recording would exceed the size of an upload. */
const MAX_MS = 5 * 60_000;
const METER_MS = 100;
const LOUD = 0.95;
const QUIET = 0.3;

/** Decodes a recorded or uploaded sound. */
export async function soundOf(file: Blob): Promise<RecordedSound> {
  const context = new OfflineAudioContext(1, 1, SAMPLE_RATE_HZ);
  const decoded = await context.decodeAudioData(await file.arrayBuffer());
  const channels = Array.from({ length: decoded.numberOfChannels }, (_, index) => decoded.getChannelData(index));
  return { samples: new Float32Array(mixed(channels)), rateHz: decoded.sampleRate };
}

interface SoundRecorderProps {
  /** Words to read. */
  words: string;
  /** Sound to cut. Absent to record one. */
  sound?: Blob;
  close(): void;
  /** Called with the cut sound. */
  take(wav: Blob): void;
}

export function SoundRecorder({ words, sound: given, close, take }: SoundRecorderProps) {
  const sound = useSignal<RecordedSound | undefined>(undefined);
  const cut = useSignal<Cut>({ fromMs: 0, toMs: 0 });
  const problem = useSignal<string | undefined>(undefined);
  const edit = (file: Blob, isNew: boolean): void =>
    void soundOf(file).then(
      (decoded) => {
        cut.value = isNew ? spokenPart(decoded) : { fromMs: 0, toMs: lengthOf(decoded) };
        sound.value = decoded;
      },
      (error: Error) => {
        problem.value = t('This sound cannot be read: {reason}', { reason: error.message });
      },
    );
  useEffect(() => {
    if (given) edit(given, false);
  }, []);
  return (
    <Dialog title={given ? t('Cut the sound') : t('Record the prompt')} close={close} class="sound-recorder">
      <div class="sound-recorder-body">
        {!given && <WordsToRead words={words} />}
        {problem.value !== undefined && <p role="alert">{problem.value}</p>}
        {sound.value === undefined ? (
          !given && <Microphone recorded={(file) => edit(file, true)} fail={(text) => (problem.value = text)} />
        ) : (
          <>
            <Trim sound={sound.value} cut={cut} />
            <Listen sound={sound.value} cut={cut.value} />
            <div class="form-end">
              <button
                type="button"
                class="button primary"
                onClick={() => {
                  take(wavOf(cutOut(sound.value!, cut.value), sound.value!.rateHz));
                  close();
                }}
              >
                {t('Use this sound')}
              </button>
              {!given && (
                <button type="button" class="button" onClick={() => (sound.value = undefined)}>
                  {t('Record again')}
                </button>
              )}
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}

const WordsToRead = ({ words }: { words: string }) => (
  <div>
    <h3>{t('Words to read')}</h3>
    {words.trim() === '' ? (
      <p class="hint">{t('Write the words into the field Text first to read them here.')}</p>
    ) : (
      <blockquote>{words}</blockquote>
    )}
  </div>
);

function Microphone({ recorded, fail }: { recorded(file: Blob): void; fail(problem: string): void }) {
  const recorder = useRef<MediaRecorder | undefined>(undefined);
  const isRecording = useSignal(false);
  const ms = useSignal(0);
  const level = useSignal(0);
  const end = useRef<() => void>(() => undefined);
  useEffect(() => () => end.current(), []);

  const record = async (): Promise<void> => {
    if (recorder.current) return recorder.current.stop();
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const parts: Blob[] = [];
      const made = new MediaRecorder(stream);
      const stopMeter = measure(stream, (passed, loudness) => {
        ms.value = passed;
        level.value = loudness;
        if (passed >= MAX_MS && made.state === 'recording') made.stop();
      });
      let isWanted = true;
      const release = (): void => {
        stopMeter();
        for (const track of stream.getTracks()) track.stop();
        recorder.current = undefined;
      };
      made.ondataavailable = ({ data }) => parts.push(data);
      made.onstop = () => {
        release();
        if (!isWanted) return;
        isRecording.value = false;
        recorded(new Blob(parts));
      };
      // A closed dialog drops the recording.
      end.current = () => {
        isWanted = false;
        release();
      };
      made.start();
      recorder.current = made;
      isRecording.value = true;
    } catch (error) {
      fail(t('Nothing can be recorded here: {reason}', { reason: (error as Error).message }));
    }
  };
  return (
    <div class="microphone">
      <button
        type="button"
        class={`button ${isRecording.value ? 'danger' : 'primary'}`}
        data-first
        onClick={() => void record()}
      >
        {isRecording.value ? t('Stop recording') : t('Record')}
      </button>
      <time role="timer" aria-label={t('Length')}>
        {clockWords(ms.value)}
      </time>
      <meter aria-label={t('Level')} min={0} max={1} low={QUIET} high={LOUD} optimum={0.7} value={level.value} />
      <small>{isRecording.value && levelWords(level.value)}</small>
    </div>
  );
}

const levelWords = (level: number): string =>
  level > LOUD ? t('Too loud') : level < QUIET ? t('Very quiet') : t('Good level');

/** Reports the passed time and the level of a stream until the returned function is called. */
function measure(stream: MediaStream, report: (passedMs: number, level: number) => void): () => void {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  const startedMs = performance.now();
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples);
    report(performance.now() - startedMs, levelOf(samples));
  }, METER_MS);
  return () => {
    clearInterval(timer);
    void context.close();
  };
}

const BARS = 160;
const HEIGHT = 64;
/** Steps of the handles by keys, in ms. */
const STEP_MS = 50;
const LARGE_STEP_MS = 500;

function Trim({ sound, cut }: { sound: RecordedSound; cut: Signal<Cut> }) {
  const lengthMs = lengthOf(sound);
  const peaks = peaksOf(sound, BARS);
  const { fromMs, toMs } = cut.value;
  const isInside = (index: number): boolean => {
    const ms = ((index + 0.5) / BARS) * lengthMs;
    return ms >= fromMs && ms <= toMs;
  };
  return (
    <div class="trim">
      <svg viewBox={`0 0 ${BARS} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {peaks.map((peak, index) => (
          <rect
            key={index}
            class={isInside(index) ? '' : 'outside'}
            x={index + 0.15}
            width={0.7}
            y={(HEIGHT - Math.max(1, peak * HEIGHT)) / 2}
            height={Math.max(1, peak * HEIGHT)}
          />
        ))}
      </svg>
      <Handle end="fromMs" label={t('Start')} cut={cut} lengthMs={lengthMs} />
      <Handle end="toMs" label={t('End')} cut={cut} lengthMs={lengthMs} />
    </div>
  );
}

interface HandleProps {
  end: keyof Cut;
  label: string;
  cut: Signal<Cut>;
  lengthMs: number;
}

function Handle({ end, label, cut, lengthMs }: HandleProps) {
  const ms = cut.value[end];
  const move = (toMs: number): void => {
    cut.value = moved(cut.value, end, toMs, lengthMs);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = {
      ...{ ArrowLeft: -STEP_MS, ArrowDown: -STEP_MS, ArrowRight: STEP_MS, ArrowUp: STEP_MS },
      ...{ PageDown: -LARGE_STEP_MS, PageUp: LARGE_STEP_MS, Home: -lengthMs, End: lengthMs },
    };
    const by = steps[event.key];
    if (by === undefined) return;
    event.preventDefault();
    move(ms + by);
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      class="trim-handle"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.round(lengthMs)}
      aria-valuenow={Math.round(ms)}
      aria-valuetext={clockWords(ms)}
      style={{ left: `${(ms / lengthMs) * 100}%` }}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const box = event.currentTarget.parentElement!.getBoundingClientRect();
        move(((event.clientX - box.left) / box.width) * lengthMs);
      }}
    />
  );
}

function Listen({ sound, cut }: { sound: RecordedSound; cut: Cut }) {
  const url = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const made = URL.createObjectURL(wavOf(cutOut(sound, cut), sound.rateHz));
    url.value = made;
    return () => URL.revokeObjectURL(made);
  }, [sound, cut]);
  return (
    <div>
      <p class="hint">
        {t('{part} of {whole}. Move the handles, also with the arrow keys.', {
          part: clockWords(cut.toMs - cut.fromMs),
          whole: clockWords(lengthOf(sound)),
        })}
      </p>
      {/* biome-ignore lint/a11y/useMediaCaption: it is what the person has just said. */}
      <audio controls src={url.value} aria-label={t('The sound as it is cut')} />
    </div>
  );
}
