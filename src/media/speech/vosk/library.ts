/**
 * C API of Vosk (vosk_api.h 0.3.39), called without a compiler. Any number of recognisers in any threads can use a
 * model; a recogniser must be used by one thread at a time. Handles are addresses, valid in all threads.
 */
import koffi from 'koffi';

/** An address. 0 if the engine could not create the object. */
export type Handle = bigint;

export type VoskLibrary = ReturnType<typeof openVosk>;

export const UNKNOWN = '[unk]';
/** Sample rate of the model. */
const MODEL_RATE_HZ = 16_000;
const SILENT = -1;

export function openVosk(libraryFile: string) {
  const library = koffi.load(libraryFile);
  const setLogLevel = library.func('void vosk_set_log_level(int)');
  const modelNew = library.func('void *vosk_model_new(str)');
  const modelFree = library.func('void vosk_model_free(void *)');
  const findWord = library.func('int vosk_model_find_word(void *, str)');
  const recognizerNew = library.func('void *vosk_recognizer_new(void *, float)');
  const recognizerNewGrammar = library.func('void *vosk_recognizer_new_grm(void *, float, str)');
  const setWords = library.func('void vosk_recognizer_set_words(void *, int)');
  const acceptWaveform = library.func('int vosk_recognizer_accept_waveform_f(void *, const float *, int)');
  const result = library.func('str vosk_recognizer_result(void *)');
  const partialResult = library.func('str vosk_recognizer_partial_result(void *)');
  const finalResult = library.func('str vosk_recognizer_final_result(void *)');
  const recognizerFree = library.func('void vosk_recognizer_free(void *)');
  setLogLevel(SILENT);
  return {
    loadModel: (directory: string) =>
      new Promise<Handle>((resolve, reject) => {
        modelNew.async(directory, (error: unknown, model: Handle | null) =>
          error ? reject(error) : resolve(model ?? 0n),
        );
      }),
    freeModel: (model: Handle) => void modelFree(model),
    knowsWord: (model: Handle, word: string): boolean => findWord(model, word) >= 0,
    /**
     * With `phrases`, only these are recognised, and other audio is `[unk]`. Undefined: the whole vocabulary of the
     * model.
     */
    makeRecognizer(model: Handle, phrases: readonly string[] | undefined): Handle {
      const made: Handle | null = phrases
        ? recognizerNewGrammar(model, MODEL_RATE_HZ, JSON.stringify([...phrases, UNKNOWN]))
        : recognizerNew(model, MODEL_RATE_HZ);
      if (made) setWords(made, 1);
      return made ?? 0n;
    },
    /** True if the engine has completed a segment: `result` must be read. */
    accept: (recognizer: Handle, pcm: Float32Array): boolean => acceptWaveform(recognizer, pcm, pcm.length) === 1,
    result: (recognizer: Handle): string => result(recognizer),
    partialResult: (recognizer: Handle): string => partialResult(recognizer),
    /** Also resets the recogniser. */
    finalResult: (recognizer: Handle): string => finalResult(recognizer),
    freeRecognizer: (recognizer: Handle) => void recognizerFree(recognizer),
  };
}
