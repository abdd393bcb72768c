/** A thread that answers a job named `good`, and hangs on others. */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', ({ job }: { job: { file: string } }) => {
  if (job.file === 'good') parentPort?.postMessage({ result: { diagnostics: [] } });
  if (job.file === 'bad') throw new Error('broken by the job');
  if (job.file === 'endless') for (;;);
});
