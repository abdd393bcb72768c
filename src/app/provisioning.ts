/**
 * Stage 2 of the composition: the objects that the configuration and the administrator define: flows, projects,
 * numbers, prompts, allowed targets.
 */
import { join, resolve } from 'node:path';
import { hasErrors } from '../base/core/diagnostic.ts';
import { createTargetPolicy } from '../base/http/target-policy.ts';
import type { Config } from '../config.ts';
import type { FlowLibrary } from '../language/flow/flow-library.ts';
import { importAudio } from '../media/speech/import-audio.ts';
import { openProjects, type PreparedProjects } from '../service/calls/projects/projects.ts';
import { createAdministrators } from '../service/calls/settings/administrators.ts';
import { createPromptFiles, soundsByName } from '../service/calls/settings/prompt-files.ts';
import { type ConfiguredSettings, createSettings } from '../service/calls/settings/settings.ts';
import type { Base } from './base.ts';
import { compileEarlierFlows } from './earlier-flows.ts';
import { finishFlowWrites } from './finish-flow-writes.ts';
import { flowNames, loadFlows } from './load-flows.ts';
import type { Storage } from './storage.ts';

export type Provisioning = Awaited<ReturnType<typeof provision>>;

export async function provision(
  { config, clock, ids, log, directory, isQuarantined, state }: Base,
  { store }: Storage,
) {
  const promptDirectory = join(directory, 'prompts');
  const namesIn = (of: Config, kept: readonly string[]) => flowNames(of, { promptDirectory, kept });
  const names = namesIn(
    config,
    store.settings.list('schedule').map(({ key }) => key),
  );
  // In quarantine, the files may be those of a running service.
  if (!isQuarantined) await finishFlowWrites(resolve(config.flowsDirectory), log);
  /** Files that were saved with errors on purpose (drafts), by path: calls use earlier versions. */
  const drafts = new Map<string, string>();
  // Before the first project is created: its key is shown once, and a start that fails would not show it.
  const flows = await loadFlows(config, {
    names,
    clock,
    mend(library) {
      for (const { file, text, diagnostics } of library.sources()) if (hasErrors(diagnostics)) drafts.set(file, text);
      for (const earlier of compileEarlierFlows(library, store.flowVersions))
        log.warn('flow.earlier_version', { ...earlier });
    },
  });
  const projects = await openProjects(config.projects, { store: store.projects, clock, ids });
  const settings = createSettings(
    soundsByName(store.settings, promptDirectory),
    settingsIn(config, projects.first.projectId),
  );
  settings.schedules.watch(() => replaceAll(names.schedules, settings.schedules.keys()));
  const promptFiles = createPromptFiles(promptDirectory, (bytes) => importAudio(bytes, { clock, log }));
  if (!isQuarantined) promptFiles.sweep(settings.prompts.values().flatMap(({ file }) => file ?? []));
  const rooms = () => roomsIn(state.config, projects.first.projectId);
  const administrators = createAdministrators(config.admin.tokens, {
    ...{ store: store.settings, used: store.usedTokens, clock, isReadOnly: isQuarantined },
  });
  const targets = createTargetPolicy(config, { clock, hasCarriers: () => settings.routes.values().length > 0 });
  return {
    ...{ flows, names, drafts, projects, settings, promptFiles, rooms, targets, administrators },
    /** Names that flows may use with another configuration. */
    namesIn: (next: Config) => namesIn(next, settings.schedules.keptKeys()),
    /** Applies another configuration, with the flows that were loaded for it. */
    use(next: Config, loaded: FlowLibrary, prepared: PreparedProjects): void {
      projects.use(prepared);
      flows.become(loaded);
      const found = namesIn(next, settings.schedules.keptKeys());
      replaceAll(names.env, found.env);
      replaceAll(names.headers, found.headers);
      replaceAll(names.promptRoots, found.promptRoots);
      settings.configure(settingsIn(next, projects.first.projectId));
      administrators.configure(next.admin.tokens);
    },
  };
}

/** The rooms of a configuration. */
export const roomsIn = ({ rooms }: Config, defaultProject: string) =>
  rooms.map((room) => ({ ...room, projectId: room.projectId ?? defaultProject }));

/** The settings of a configuration, by kind. */
const settingsIn = ({ numbers, prompts, schedules, sip }: Config, defaultProject: string): ConfiguredSettings => ({
  numbers: numbers.map((number) => ({ ...number, projectId: number.projectId ?? defaultProject })),
  ...{ prompts, schedules, users: sip.users, routes: sip.routes },
});

const replaceAll = (list: string[], by: readonly string[]): void => void list.splice(0, list.length, ...by);
