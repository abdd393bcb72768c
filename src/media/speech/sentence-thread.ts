/** Thread side of an embedded voice: receives a job, returns the audio of its sentence at telephone quality. */
import { parentPort } from 'node:worker_threads';
import type { SoundBlock } from '../toolbox/audio/resample.ts';
import type { SentenceReply } from './embedded-voice.ts';
import { telephoneSpeech } from './speech-level.ts';

/** `failed` is called after an error, when the state of the engine may be broken. */
export function serveSentences<Job>(
  speak: (job: Job) => SoundBlock | Promise<SoundBlock>,
  failed: () => void = () => undefined,
): void {
  parentPort?.on('message', async (job: Job) => {
    try {
      const { samples, sampleRateHz } = await speak(job);
      const pcm = telephoneSpeech(samples, sampleRateHz);
      parentPort?.postMessage({ pcm } satisfies SentenceReply, [pcm.buffer as ArrayBuffer]);
    } catch (error) {
      failed();
      const problem = error instanceof Error ? error.message : String(error);
      parentPort?.postMessage({ problem } satisfies SentenceReply);
    }
  });
}
