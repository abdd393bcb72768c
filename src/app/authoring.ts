/** Room 2b: the files of flows, and the thread in which they are checked and tried. */
import { resolve } from 'node:path';
import { createFlowFiles } from '../calls/flow-files/flow-files.ts';
import { languageOf } from '../flow/language.ts';
import { verbs } from '../steps/index.ts';
import { createWorkbench } from '../workbench/workbench.ts';
import type { Base } from './base.ts';
import { flowSettings } from './load-flows.ts';
import type { Provisioning } from './provisioning.ts';

export type Authoring = ReturnType<typeof createAuthoring>;

export function createAuthoring({ config, clock, state }: Base, provisioning: Provisioning) {
  const { flows, schedules, promptDirectory } = provisioning;
  const settings = flowSettings(config, promptDirectory);
  const workbench = createWorkbench({ clock, flows, settings, schedules });
  state.closers.push(() => workbench.stop());
  const flowFiles = createFlowFiles({
    directory: resolve(config.flowsDirectory),
    flows,
    checkFlow: (job, options) => workbench.run('check', job, options),
  });
  return { flowFiles, workbench, language: languageOf(verbs) };
}
