/** Room 2: what the configuration and the administrator provide: flows, projects, numbers, prompts, allowed targets. */

import { join, resolve } from 'node:path';
import { removeParts } from '../calls/flow-files/part-files.ts';
import { openProjects } from '../calls/projects.ts';
import { createPromptFiles } from '../calls/settings/prompt-files.ts';
import { createSettings } from '../calls/settings/settings.ts';
import { createTargetPolicy } from '../http/target-policy.ts';
import { importAudio } from '../speech/import-audio.ts';
import type { Base } from './base.ts';
import { takeEarlierFlows } from './earlier-flows.ts';
import { loadFlows } from './load-flows.ts';
import type { Storage } from './storage.ts';

export type Provisioning = Awaited<ReturnType<typeof provision>>;

export async function provision({ config, clock, ids, log, directory }: Base, { store }: Storage) {
  const promptDirectory = join(directory, 'prompts');
  const schedules = [...Object.keys(config.schedules), ...store.settings.list('schedule').map(({ key }) => key)];
  const files = await removeParts(resolve(config.flowsDirectory));
  if (files.length > 0) log.info('flows.leftovers_removed', { files });
  // Before a first project is made: its key is shown once, and a start that fails would not show it.
  const flows = loadFlows(config, {
    ...{ schedules, promptDirectory },
    mend(library) {
      for (const earlier of takeEarlierFlows(library, store.flowVersions))
        log.warn('flow.earlier_version', { ...earlier });
    },
  });
  const projects = await openProjects(config.projects, { store: store.projects, clock, ids });
  const { projectId: defaultProject } = projects.first;
  const settings = createSettings(store.settings, {
    numbers: config.numbers.map((number) => ({ ...number, projectId: number.projectId ?? defaultProject })),
    prompts: config.prompts,
    schedules: config.schedules,
    users: config.sip.users,
    routes: config.sip.routes,
  });
  settings.schedules.watch(() => schedules.splice(0, schedules.length, ...settings.schedules.keys()));
  const promptFiles = createPromptFiles(promptDirectory, (bytes) => importAudio(bytes, { clock }));
  promptFiles.sweep(settings.prompts.values().flatMap(({ file }) => file ?? []));
  const rooms = config.rooms.map((room) => ({ ...room, projectId: room.projectId ?? defaultProject }));
  const targets = createTargetPolicy(config, { clock, hasCarriers: () => settings.routes.values().length > 0 });
  return { flows, schedules, promptDirectory, projects, settings, promptFiles, rooms, targets };
}
