/**
 * Recogniser of the telephony engines: each listening uses the first configured transcriber that supports its language
 * and is available. Without a configuration, this is the embedded one.
 */
import type { Clock } from '../../base/core/clock.ts';
import { type Fault, fault } from '../../base/core/fault.ts';
import type { RecognitionRequest, Recognizer } from '../telephony/recognition.ts';
import { createHttpTranscriber } from './recognition/http-transcriber.ts';
import { createListening, type Listening } from './recognition/listening.ts';
import type { SessionShare } from './recognition/session-limit.ts';
import { DEFAULT_SESSIONS, type RecognizerConfig, type Transcriber } from './recognition/transcriber.ts';
import { modelsDirectory, voskFiles } from './vosk/model-files.ts';
import { createVosk, type Vosk } from './vosk/vosk.ts';

export interface RecognizersOptions {
  entries: readonly RecognizerConfig[];
  dataDirectory: string;
  clock: Clock;
  /** Number of sessions of an engine that one project may use. Default: all. */
  shareOf?: SessionShare;
  /** Wraps an engine to measure it. */
  measured?(engine: Transcriber): Transcriber;
}

export interface Recognizers extends Recognizer {
  /** Configured engines, with the fault of unavailable ones. */
  readonly engines: readonly { engine: string; languages: readonly string[]; missing?: Fault }[];
  /**
   * Loads engines configured for loading at start, where their files exist. Rejects with an error that has a `fault`.
   */
  start(): Promise<void>;
  /** Active listenings end with `failed`. */
  stop(): Promise<void>;
}

const THREADS = 1;

export function createRecognizers(options: RecognizersOptions): Recognizers {
  const { dataDirectory, clock, shareOf, measured = (engine) => engine } = options;
  const entries = options.entries.length === 0 ? [{ engine: 'vosk' } as const] : options.entries;
  const starting: Vosk[] = [];

  const transcriberOf = (entry: RecognizerConfig): Transcriber => {
    if (entry.engine !== 'vosk') return createHttpTranscriber(entry, clock, shareOf);
    const { model, library, languages, maxSessions = DEFAULT_SESSIONS, threads = THREADS } = entry;
    const files = voskFiles(modelsDirectory(dataDirectory), { modelDirectory: model, libraryFile: library });
    const vosk = createVosk({ files, clock, threads, maxSessions, shareOf, languages });
    if (entry.preload) starting.push(vosk);
    return vosk;
  };

  return routeByLanguage(
    entries.map((entry) => measured(transcriberOf(entry))),
    starting,
  );
}

export function routeByLanguage(transcribers: readonly Transcriber[], starting: readonly Vosk[] = []): Recognizers {
  const listenings = new Set<Listening>();

  /** The first available engine, or the fault of the first engine with the language. */
  const choose = (options: RecognitionRequest): Transcriber | Fault => {
    const speaking = transcribers.filter((one) => one.languages.some((known) => speaks(known, options.language)));
    const refusals: Fault[] = [];
    for (const transcriber of speaking) {
      const refusal = transcriber.refusal(options.projectId);
      if (!refusal) return transcriber;
      refusals.push(refusal);
    }
    const known = transcribers.flatMap(({ languages }) => languages).join(', ');
    return (
      refusals[0] ??
      fault('no_recognizer', `nothing recognises ${options.language}, only ${known}: add an engine to speech.asr`)
    );
  };

  return {
    get engines() {
      return transcribers.map((one) => {
        const missing = one.refusal();
        return { engine: one.name, languages: one.languages, ...(missing ? { missing } : {}) };
      });
    },
    refusal(options) {
      const chosen = choose(options);
      return 'code' in chosen ? chosen : undefined;
    },
    open(options, onEvent) {
      const chosen = choose(options);
      const transcriber = 'code' in chosen ? failing(chosen) : chosen;
      const listening = createListening(options, transcriber, (event) => {
        if (event.type === 'ended') listenings.delete(listening);
        onEvent(event);
      });
      listenings.add(listening);
      const { abort } = listening;
      listening.abort = () => {
        listenings.delete(listening);
        abort();
      };
      return listening;
    },
    async start() {
      const ready = starting.filter((vosk) => vosk.refusal() === undefined);
      await Promise.all(ready.map((vosk) => vosk.start()));
    },
    async stop() {
      for (const listening of [...listenings]) listening.fail(fault('recognition_failed', 'the service stops'));
      await Promise.all(transcribers.map((one) => one.stop()));
    },
  };
}

/** `en` supports en-US and en-GB; `en-US` supports en-US and requests for `en`. */
function speaks(known: string, asked: string): boolean {
  const [one, other] = [known.toLowerCase(), asked.toLowerCase()];
  return one === '*' || one === other || other.startsWith(`${one}-`) || one.startsWith(`${other}-`);
}

function failing(reason: Fault): Pick<Transcriber, 'open'> {
  return {
    open(_options, listener) {
      queueMicrotask(() => listener.failed(reason));
      const nothing = (): void => undefined;
      return { write: nothing, end: () => Promise.resolve({ words: [] }), close: nothing };
    },
  };
}
