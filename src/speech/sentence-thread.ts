/** The thread of an embedded voice: a job in, the sound of its sentence out, as a telephone carries it. */
import { parentPort } from 'node:worker_threads';
import type { SentenceReply } from './embedded-voice.ts';
import type { SoundBlock } from './resample.ts';
import { telephoneSpeech } from './speech-level.ts';

/** `failed` is called after an error: what is left of the engine may be broken. */
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
