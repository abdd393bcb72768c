/** Room 4b: the files of flows, what becomes of them, and the thread in which they are checked and tried. */
import { resolve } from 'node:path';
import { createFlowCandidates } from '../calls/flow-files/flow-candidates.ts';
import { createFlowFiles } from '../calls/flow-files/flow-files.ts';
import { createFlowGraphs } from '../calls/flow-files/flow-graphs.ts';
import { createFlowTrials } from '../calls/flow-files/flow-trials.ts';
import { graphLanguageOf } from '../flow/graph-language.ts';
import { languageOf } from '../flow/language.ts';
import { verbs } from '../steps/index.ts';
import { createWorkbench } from '../workbench/workbench.ts';
import type { Base } from './base.ts';
import { flowSettings } from './load-flows.ts';
import type { Provisioning } from './provisioning.ts';
import type { Storage } from './storage.ts';
import type { Versions } from './versions.ts';

export type Authoring = ReturnType<typeof createAuthoring>;

export function createAuthoring(
  { config, clock, state }: Base,
  { callStore, writeBuffer }: Storage,
  { flows, schedules, promptDirectory, projects, settings }: Provisioning,
  { flowVersions, canaries }: Versions,
) {
  const { whenWritable } = writeBuffer;
  const directory = resolve(config.flowsDirectory);
  const nowMs = (): number => clock.now();
  const workbench = createWorkbench({ clock, flows, settings: flowSettings(config, promptDirectory), schedules });
  state.closers.push(() => workbench.stop());
  const flowFiles = createFlowFiles({
    ...{ directory, flows, versions: flowVersions, whenWritable, nowMs },
    checkFlow: (job, options) => workbench.run('check', job, options),
    numbers: () => settings.numbers.values(),
    liveFlows: () => callStore.unfinished().map(({ flow }) => flow),
    changed: canaries.afterChange,
  });
  const flowTrials = createFlowTrials({
    ...{ directory, flows, calls: callStore },
    surroundings: () => ({
      env: config.env,
      schedules: settings.schedulesByName(),
      secrets: Object.keys(config.secrets),
    }),
    projectIds: () => projects.list().map(({ projectId }) => projectId),
    testsOf: ({ name, file }) => flowFiles.tests.of({ name, path: resolve(file) }),
    now: () => clock.now(),
    try: (kind, job, options) => workbench.run(kind, job, options),
  });
  const flowCandidates = createFlowCandidates({ flowFiles, versions: flowVersions, nowMs });
  const flowGraphs = createFlowGraphs({
    ...{ flows, versions: flowVersions, verbs: graphLanguageOf(verbs), calls: callStore },
    numbers: () => settings.numbers.values(),
  });
  return { flowFiles, flowTrials, flowCandidates, flowGraphs, workbench, language: languageOf(verbs) };
}
