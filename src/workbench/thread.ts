/**
 * Begins the thread of the workbench: it gives way to calls before anything is loaded in it. Neighbour: `worker.ts` does the
 * jobs.
 */
import { constants, setPriority } from 'node:os';

// On Linux a thread has a priority of its own; elsewhere it would be that of the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
await import('./worker.ts');
