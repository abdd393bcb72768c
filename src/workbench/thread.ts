/**
 * Begins the thread of the workbench: it gives way to calls before anything is loaded in it. Neighbour: `worker.ts` does the
 * jobs.
 */
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadData } from './jobs.ts';

// On Linux a thread has a priority of its own; elsewhere it would be that of the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const { takeJobs } = await import('./worker.ts');
takeJobs(parentPort!, workerData as ThreadData);
