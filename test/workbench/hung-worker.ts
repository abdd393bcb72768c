/** A thread that answers the job `good`, works on `patient` until it is cancelled, and hangs on others. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadData } from '../../src/proof/workbench/jobs.ts';

const { overtaken } = workerData as ThreadData;

parentPort?.on('message', ({ number, job }: { number: number; job: { file: string } }) => {
  if (job.file === 'good') parentPort?.postMessage({ result: { diagnostics: [] } });
  if (job.file === 'patient') {
    while (Atomics.load(overtaken, 0) !== number);
    parentPort?.postMessage({ problem: 'overtaken' });
  }
  if (job.file === 'bad') throw new Error('broken by the job');
  if (job.file === 'endless') for (;;);
});
