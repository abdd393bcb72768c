/**
 * Metrics of speech engines by their configured name: durations and failures. Wraps an engine transparently.
 */
import type { Clock } from '../../base/core/clock.ts';
import { Distribution, type FigureSource, type Reading, Tally } from '../../base/core/figures.ts';
import type { Transcriber } from './recognition/transcriber.ts';
import type { Synthesizer } from './synthesizer.ts';

const RESULTS = ['ok', 'failed', 'aborted'] as const;
const SECONDS = [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10];

class EngineFigures {
  readonly results = new Tally(RESULTS);
  readonly seconds = new Distribution(SECONDS);
}

export interface SpeechFigures extends FigureSource {
  synthesizer(engine: Synthesizer): Synthesizer;
  transcriber(engine: Transcriber): Transcriber;
}

export function createSpeechFigures(clock: Clock): SpeechFigures {
  const synthesis = new Map<string, EngineFigures>();
  const recognition = new Map<string, EngineFigures>();

  return {
    synthesizer(engine) {
      const figures = figuresIn(synthesis, engine.name);
      return {
        name: engine.name,
        get version() {
          return engine.version;
        },
        get capabilities() {
          return engine.capabilities;
        },
        async *synthesize(request, signal) {
          const startedMs = clock.monotonicMs();
          let isHeard = false;
          let result: (typeof RESULTS)[number] = 'aborted';
          try {
            for await (const piece of engine.synthesize(request, signal)) {
              if (!isHeard) figures.seconds.add((clock.monotonicMs() - startedMs) / 1000);
              isHeard = true;
              yield piece;
            }
            result = 'ok';
          } catch (error) {
            if (!signal.aborted) result = 'failed';
            throw error;
          } finally {
            figures.results.add(result);
          }
        },
        stop: () => engine.stop(),
      };
    },
    transcriber(engine) {
      const figures = figuresIn(recognition, engine.name);
      return {
        name: engine.name,
        languages: engine.languages,
        refusal: (projectId) => engine.refusal(projectId),
        open(request, listener) {
          let isClosed = false;
          let hasFailed = false;
          /** A failure ends all utterances of a listening and counts once. */
          const failed = (): void => {
            if (!hasFailed) figures.results.add(isClosed ? 'aborted' : 'failed');
            hasFailed = true;
          };
          const transcription = engine.open(request, {
            partial: (text) => listener.partial(text),
            taken: (samples) => listener.taken?.(samples),
            failed(fault) {
              failed();
              listener.failed(fault);
            },
          });
          return {
            write: (pcm) => transcription.write(pcm),
            end() {
              const startedMs = clock.monotonicMs();
              const understood = transcription.end();
              understood.then(() => {
                figures.results.add('ok');
                figures.seconds.add((clock.monotonicMs() - startedMs) / 1000);
              }, failed);
              return understood;
            },
            close() {
              isClosed = true;
              transcription.close();
            },
          };
        },
        stop: () => engine.stop(),
      };
    },
    figures: [
      {
        name: 'speech_synthesis_total',
        type: 'counter',
        help: 'Texts passed to speech synthesis, without cached ones',
        labels: ['engine', 'result'],
        read: () => resultsOf(synthesis),
      },
      {
        name: 'speech_synthesis_seconds',
        type: 'histogram',
        help: 'Time of a speech engine until the first audio of a text',
        labels: ['engine'],
        read: () => secondsOf(synthesis),
      },
      {
        name: 'speech_recognition_total',
        type: 'counter',
        help: 'Utterances passed to a recogniser',
        labels: ['engine', 'result'],
        read: () => resultsOf(recognition),
      },
      {
        name: 'speech_recognition_seconds',
        type: 'histogram',
        help: 'Time of a recogniser from the end of an utterance to its result',
        labels: ['engine'],
        read: () => secondsOf(recognition),
      },
    ],
  };
}

/** Engines with the same name share their metrics. */
function figuresIn(all: Map<string, EngineFigures>, engine: string): EngineFigures {
  const figures = all.get(engine) ?? new EngineFigures();
  all.set(engine, figures);
  return figures;
}

const resultsOf = (all: ReadonlyMap<string, EngineFigures>): Reading[] =>
  [...all].flatMap(([engine, { results }]) => results.readings('result', { engine }));

const secondsOf = (all: ReadonlyMap<string, EngineFigures>): Reading[] =>
  [...all].map(([engine, { seconds }]) => ({ labels: { engine }, value: seconds }));
