/**
 * Entry point of the workbench thread: lowers its priority below that of calls before it loads other modules.
 * `worker.ts` handles the jobs.
 */
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadData } from './jobs.ts';

// On Linux this sets the priority of the thread; on other systems it would change that of the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const { serveJobs } = await import('./worker.ts');
serveJobs(parentPort!, workerData as ThreadData);
