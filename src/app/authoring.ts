/**
 * Stage 4b of the composition: flow files, their versions and candidates, and the threads in which flows are checked
 * and tested.
 */
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { HttpRequest } from '../base/core/http-exchange.ts';
import { defined } from '../base/core/json.ts';
import { programFile } from '../base/core/program-files.ts';
import { createFlowHttpClient } from '../base/http/flow-http-client.ts';
import { createHttpClient } from '../base/http/http-client.ts';
import { TEMPLATE_FLOWS } from '../language/flow/flow-library.ts';
import { graphLanguageOf } from '../language/flow/graph-language.ts';
import { languageOf } from '../language/flow/language.ts';
import { outcomeOf } from '../language/steps/request-exchange.ts';
import { createWorkbench, type StartThread } from '../proof/workbench/workbench.ts';
import type { SentLanguage } from '../service/api/admin/admin-route.ts';
import { createRehearsals } from '../service/calls/broadcast/rehearsals.ts';
import { CallError } from '../service/calls/call-error.ts';
import { projectShare } from '../service/calls/capacity.ts';
import { etagOf } from '../service/calls/flow-files/atomic-write.ts';
import { readExamples, readTemplates } from '../service/calls/flow-files/examples.ts';
import { createFlowCandidates } from '../service/calls/flow-files/flow-candidates.ts';
import type { WorkOptions } from '../service/calls/flow-files/flow-check.ts';
import { createFlowFiles } from '../service/calls/flow-files/flow-files.ts';
import { createFlowGraphs } from '../service/calls/flow-files/flow-graphs.ts';
import type { ImportFlows, ImportJob } from '../service/calls/flow-files/flow-import.ts';
import { createFlowTrials } from '../service/calls/flow-files/flow-trials.ts';
import { verbs } from '../verbs/steps.ts';
import type { Base } from './base.ts';
import type { Provisioning } from './provisioning.ts';
import type { Storage } from './storage.ts';
import type { Versions } from './versions.ts';

const EXAMPLES = programFile('examples');

export type Authoring = ReturnType<typeof createAuthoring>;

interface AuthoringParts {
  base: Base;
  storage: Storage;
  provisioning: Provisioning;
  versions: Versions;
  startThread: StartThread | undefined;
}

export function createAuthoring({ base, storage, provisioning, versions, startThread }: AuthoringParts) {
  const { config, clock, ids, state } = base;
  const { callStore } = storage;
  const { flows, names, drafts, projects, rooms, settings } = provisioning;
  const { flowVersions, canaries } = versions;
  const { whenWritable } = storage.writeBuffer;
  const directory = resolve(config.flowsDirectory);
  const nowMs = (): number => clock.now();
  const newWorkbench = () => {
    const made = createWorkbench({ clock, flows, names, ...(startThread && { startThread }) });
    state.closers.push(() => made.stop());
    return made;
  };
  const workbench = newWorkbench();
  // A rehearsal takes long, so that checks in the same thread would wait.
  const stage = newWorkbench();
  const flowFiles = createFlowFiles({
    ...{ directory, flows, drafts, versions: flowVersions, whenWritable, nowMs },
    checkFlow: (job, options) => workbench.run('check', job, options),
    numbers: () => settings.numbers.values(),
    liveFlows: async () => (await callStore.unfinished()).map(({ flow }) => flow),
    changed: canaries.afterChange,
  });
  const flowTrials = createFlowTrials({
    ...{ directory, flows, calls: callStore },
    surroundings: () => ({
      env: state.config.env,
      timezone: state.config.timezone,
      schedules: settings.schedulesByName(),
      secrets: Object.keys(state.config.secrets),
    }),
    projectIds: () => projects.list().map(({ projectId }) => projectId),
    testsOf: ({ name, file }) => flowFiles.tests.of({ name, path: resolve(file) }),
    now: () => clock.now(),
    try: (kind, job, options) => workbench.run(kind, job, options),
    requests: { clock, outcomeOf, send: trialClient(base, provisioning), secrets: () => state.config.secrets },
  });
  const flowCandidates = createFlowCandidates({ flowFiles, versions: flowVersions, nowMs });
  const flowGraphs = createFlowGraphs({
    ...{ flows, versions: flowVersions, verbs: graphLanguageOf(verbs), calls: callStore },
    numbers: () => settings.numbers.values(),
  });
  const rehearsals = createRehearsals({
    rehearse: (job, options) => stage.run('rehearse', job, options),
    nextId: () => ids.next('rehearsal'),
    nowMs,
    house(wanted = projects.first.projectId) {
      const project = projects.find(wanted);
      if (!project) throw new CallError('unknown_setting', `there is no project ${wanted}`);
      const { projectId, name, webhookFormat, strictBridgeState, cliPolicy, callsPerSecond } = project;
      const { limits } = state.config;
      const maxCalls = projectShare(project, limits, () => projects.list().length > 1);
      return {
        project: defined({ projectId, name, webhookFormat, strictBridgeState, cliPolicy, callsPerSecond, maxCalls }),
        ...{ numbers: settings.numbers.values(), rooms: rooms(), prompts: settings.namedPrompts() },
        ...{ schedules: settings.schedulesByName(), env: state.config.env, timezone: state.config.timezone },
        secrets: Object.fromEntries(Object.keys(state.config.secrets).map((each) => [each, `the secret ${each}`])),
        ...{ limits: config.broadcasts, maxCalls: limits.calls, inboundReservePercent: limits.inboundReservePercent },
      };
    },
  });
  const importFlows: ImportFlows = (job, options) => workbench.run('import', job, options);
  const examples = () => readExamples(EXAMPLES);
  const templates = () => readTemplates(TEMPLATE_FLOWS);
  let language: SentLanguage | undefined;
  return {
    flowFiles,
    flowTrials,
    flowCandidates,
    flowGraphs,
    workbench,
    examples,
    templates,
    importFlows: (job: Omit<ImportJob, 'directory'>, options?: WorkOptions) =>
      importFlows({ ...job, directory }, options),
    rehearsals,
    // Created on demand: it is large, and only the studio requests it.
    language() {
      if (language === undefined) {
        const body = languageOf(verbs);
        const text = JSON.stringify(body);
        const compressed: { br?: Promise<Buffer>; gzip?: Promise<Buffer> } = {};
        language = { body, etag: etagOf(text), compressed: (as) => (compressed[as] ??= COMPRESS[as](text)) };
      }
      return language;
    },
  };
}

const BROTLI_QUALITY = 9;
const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);
const COMPRESS = {
  // The maximum takes a second, for which the first visitor would wait.
  br: (text: string): Promise<Buffer> =>
    compressBrotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (text: string): Promise<Buffer> => compressGzip(text, { level: constants.Z_BEST_COMPRESSION }),
};

/** Sends trials of requests to the targets that requests of calls may have. It signs nothing. */
function trialClient({ clock, state }: Base, { targets }: Provisioning) {
  const client = createHttpClient({ clock, policy: targets, connections: 1 });
  state.closers.push(() => client.close());
  const send = createFlowHttpClient({ client, sign: () => undefined });
  return (request: HttpRequest, signal: AbortSignal) => send(request, '', signal);
}
