/** Room 2b: the files of flows, and the thread in which they are checked and tried. */
import { resolve } from 'node:path';
import { createFlowFiles } from '../calls/flow-files/flow-files.ts';
import { createFlowTrials } from '../calls/flow-files/flow-trials.ts';
import { testsBeside } from '../calls/flow-files/tests-beside.ts';
import { languageOf } from '../flow/language.ts';
import { verbs } from '../steps/index.ts';
import { createWorkbench } from '../workbench/workbench.ts';
import type { Base } from './base.ts';
import { flowSettings } from './load-flows.ts';
import type { Provisioning } from './provisioning.ts';
import type { Storage } from './storage.ts';

export type Authoring = ReturnType<typeof createAuthoring>;

export function createAuthoring(
  { config, clock, state }: Base,
  { callStore }: Storage,
  { flows, schedules, promptDirectory, projects, settings: provisioned }: Provisioning,
) {
  const settings = flowSettings(config, promptDirectory);
  const workbench = createWorkbench({ clock, flows, settings, schedules });
  state.closers.push(() => workbench.stop());
  const flowFiles = createFlowFiles({
    directory: resolve(config.flowsDirectory),
    flows,
    checkFlow: (job, options) => workbench.run('check', job, options),
  });
  const flowTrials = createFlowTrials({
    ...{ directory: resolve(config.flowsDirectory), flows, calls: callStore },
    surroundings: () => ({
      env: config.env,
      schedules: provisioned.schedulesByName(),
      secrets: Object.keys(config.secrets),
    }),
    projectIds: () => projects.list().map(({ projectId }) => projectId),
    testsOf: async (flow) => testsBeside(flow, resolve(config.flowsDirectory)),
    now: () => clock.now(),
    try: (kind, job, options) => workbench.run(kind, job, options),
  });
  return { flowFiles, flowTrials, workbench, language: languageOf(verbs) };
}
