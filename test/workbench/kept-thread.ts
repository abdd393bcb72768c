/** A real thread of the workbench that serves one service after another, each by a port of its own. */
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { ThreadData } from '../../src/proof/workbench/jobs.ts';
import { serveJobs } from '../../src/proof/workbench/worker.ts';

parentPort?.on('message', ({ port, data }: { port: MessagePort; data: ThreadData }) => serveJobs(port, data));
