/** Job loop of the workbench thread, which `workbench.ts` starts through `thread.ts`. */
import type { MessagePort } from 'node:worker_threads';
import { checkFlow } from './check.ts';
import { importFlows } from './import.ts';
import type { CompiledTexts, Job, JobContext, JobKind, JobMessage, JobReply, JobResult, ThreadData } from './jobs.ts';
import { rehearseBroadcast } from './rehearse.ts';
import { requestOfStep } from './request-of-step.ts';
import { findWay, replayFlow, simulateFlow, takeOverCall, testFlow } from './trials.ts';

type Handlers = {
  [Kind in JobKind]: (job: Job<Kind>, context: JobContext) => JobResult<Kind> | Promise<JobResult<Kind>>;
};

const HANDLERS: Handlers = {
  check: checkFlow,
  simulate: simulateFlow,
  tests: testFlow,
  replay: replayFlow,
  take_over: takeOverCall,
  way: findWay,
  request: requestOfStep,
  rehearse: rehearseBroadcast,
  import: importFlows,
};

/** Handles the jobs that arrive at a port, until the port is closed. */
export function serveJobs(port: MessagePort, { overtaken }: ThreadData): void {
  const texts = new Map<string, string>();
  const compiled: CompiledTexts = new Map();
  port.on('message', async (message: JobMessage) => {
    const { number, kind, job, changed, names, nowMs, knownFlows } = message;
    for (const { file, text } of changed) {
      if (text === undefined) texts.delete(file);
      else texts.set(file, text);
    }
    const throwIfOvertaken = (): void => {
      if (Atomics.load(overtaken, 0) === number) throw new Error('a newer one took its place');
    };
    const compileOptions = { ...names, knownFlows, now: () => nowMs, throwIfOvertaken };
    const tell: JobContext['tell'] = (progress) => port.postMessage({ progress });
    const context: JobContext = { texts, compiled, compileOptions, throwIfOvertaken, tell };
    port.postMessage(await replyTo(kind, job, context));
  });
}

async function replyTo<Kind extends JobKind>(kind: Kind, job: Job<Kind>, context: JobContext): Promise<JobReply> {
  try {
    return { result: await HANDLERS[kind](job, context) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
