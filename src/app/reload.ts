/**
 * Reload without interruption of calls: the configuration and all files that it names are read as a whole, checked, and
 * applied at once or not at all. Neighbours: `provisioning.ts` has the current state, `changed-keys.ts` determines
 * which keys need a restart.
 * Invariants
 *  R1 any error leaves everything unchanged;
 *  R2 live calls keep the versions with which they began: flows with their subflows, `env`, `secrets`, schedules;
 *  R3 a flow that a number of the file or of the admin API uses is not removed;
 *  - one reload runs at a time, and no flow is saved during it.
 */
import { type Diagnostic, hasErrors, quoting } from '../base/core/diagnostic.ts';
import { createEventLoopYield } from '../base/core/event-loop-yield.ts';
import { reasonOf } from '../base/core/reason-of.ts';
import { type Config, type ConfigResult, readConfig } from '../config.ts';
import type { FlowLibrary } from '../language/flow/flow-library.ts';
import { CallError } from '../service/calls/call-error.ts';
import { inputProblem } from '../service/calls/flow-files/flow-input.ts';
import type { PreparedProjects } from '../service/calls/projects/projects.ts';
import { serialQueue } from '../service/calls/serial-queue.ts';
import type { ReloadReport } from '../service/calls/settings/operation.ts';
import type { Authoring } from './authoring.ts';
import type { Base } from './base.ts';
import { changedKeys } from './changed-keys.ts';
import { compileEarlierFlows } from './earlier-flows.ts';
import { ConfigurationError } from './errors.ts';
import { loadFlows } from './load-flows.ts';
import { type Provisioning, roomsIn } from './provisioning.ts';
import type { Storage } from './storage.ts';
import type { Telephony } from './telephony.ts';
import type { Versions } from './versions.ts';
import type { Video } from './video.ts';

/** Throws a `ConfigurationError`. */
export type Reload = () => Promise<ReloadReport>;

interface Parts {
  base: Base;
  storage: Storage;
  provisioning: Provisioning;
  telephony: Telephony;
  versions: Versions;
  video: Video;
  authoring: Authoring;
  /** Reads the configuration; default: from its file. */
  readAgain?: (() => ConfigResult) | undefined;
}

/** A checked configuration with all that it names, not applied yet. */
interface Loaded {
  config: Config;
  flows: FlowLibrary;
  projects: PreparedProjects;
  certificates: ReturnType<NonNullable<Telephony['prepareCertificates']>>;
  diagnostics: readonly Diagnostic[];
}

export function createReload(parts: Parts): Reload {
  const { base, authoring } = parts;
  const inTurn = serialQueue();
  return async () => {
    if (!base.state.isOpen || base.state.drain === 'stopping')
      throw new CallError('overloaded', 'the service is about to stop');
    try {
      const report = await inTurn(() => authoring.flowFiles.reread(async () => putInForce(await load(parts), parts)));
      const { changed, needsRestart } = report;
      base.log.info('service.reloaded', { changed, needsRestart });
      return report;
    } catch (error) {
      const problems = error instanceof ConfigurationError ? error.diagnostics.filter((one) => hasErrors([one])) : [];
      base.log.warn('service.reload_failed', { why: reasonOf(error), problems: problems.map(lineOf) });
      throw error;
    }
  };
}

async function load(parts: Parts): Promise<Loaded> {
  const { base, storage, provisioning } = parts;
  const { config, diagnostics } = readAgain(parts);
  if (!config) throw new ConfigurationError(diagnostics);
  const certificates = certificatesOf(config, parts.telephony);
  const projects = await provisioning.projects.prepare(config.projects);
  const { flowsDirectory, flowsOptional } = base.config;
  const flows = await loadFlows(
    { ...config, flowsDirectory, flowsOptional },
    {
      names: provisioning.namesIn(config),
      clock: base.clock,
      yieldTurn: createEventLoopYield(),
      mend(library) {
        refuseNewErrors(library, provisioning);
        compileEarlierFlows(library, storage.store.flowVersions);
      },
    },
  );
  const problems = [
    ...numberProblems(config, flows, provisioning),
    ...(await projectProblems(config, projects, parts)),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return { config, flows, projects, certificates, diagnostics: [...diagnostics, ...flows.diagnostics()] };
}

/** The demo has no configuration file: only its flows are read again. */
function readAgain({ base, readAgain }: Parts): ConfigResult {
  if (readAgain) return readAgain();
  const { file } = base.config;
  return file === undefined ? { config: base.state.config, diagnostics: [] } : readConfig({ file });
}

/** The operation that may fail comes first; the rest happens in one turn of the event loop. */
function putInForce(loaded: Loaded, { base, provisioning, versions, video }: Parts): ReloadReport {
  const { config, flows, projects, certificates, diagnostics } = loaded;
  const { state } = base;
  video.configure(roomsIn(config, projects.firstId!));
  certificates.use();
  const [hashes, { reloaded }] = [versions.hashes(), changedKeys(state.config, config)];
  state.config = config;
  provisioning.use(config, flows, projects);
  const changedFlows = versions.flowsChanged(hashes).map((name) => `flow ${name}`);
  return {
    changed: [...changedFlows, ...reloaded, ...(certificates.isChanged ? ['certificates'] : [])],
    needsRestart: changedKeys(base.config, config).needsRestart,
    diagnostics,
  };
}

function certificatesOf({ sip, locationOf }: Config, { prepareCertificates }: Telephony): Loaded['certificates'] {
  try {
    return prepareCertificates?.(sip) ?? { isChanged: false, use: () => undefined };
  } catch (error) {
    const message = `the certificates cannot be used: ${reasonOf(error)}`;
    const hint = 'cert and key have to belong together, in PEM; the current ones stay in use';
    throw new ConfigurationError([problem('unusable-certificate', message, hint, locationOf('/sip/tls'))]);
  }
}

/** A file whose errors existed before, or that was saved as a draft, changes nothing: calls use an earlier version. */
function refuseNewErrors(library: FlowLibrary, { flows, drafts }: Provisioning): void {
  const texts = new Map(library.sources().map(({ file, text }) => [file, text]));
  const known = new Set(flows.diagnostics().map(({ file, code }) => `${file} ${code}`));
  const isKnown = ({ file, code }: Diagnostic): boolean => {
    const draft = drafts.get(file);
    return draft === undefined ? known.has(`${file} ${code}`) : draft === texts.get(file);
  };
  const errors = library.diagnostics().filter((one) => hasErrors([one]) && !isKnown(one));
  if (errors.length > 0) throw new ConfigurationError(errors);
}

/** R3 */
function numberProblems(config: Config, flows: FlowLibrary, { flows: now, settings }: Provisioning): Diagnostic[] {
  const kept = settings.numbers.list().filter(({ isConfigured }) => !isConfigured);
  return kept.flatMap(({ value: { number, flow: name, input } }) => {
    if (name === undefined || !now.get(name)) return [];
    const flow = flows.get(name);
    const wrong = flow && inputProblem(flow, input ?? {});
    if (flow && wrong === undefined) return [];
    const message = quoting`the number ${number} of the admin API leads to the flow ${name}`;
    const why = wrong === undefined ? 'which is gone' : `which does not take its input: ${wrong}`;
    const hint = 'change the number first, or leave the flow as it is';
    return [problem('number-in-use', `${message}, ${why}`, hint, config.locationOf('/flows_directory'))];
  });
}

/** A project of the file can be removed if nothing but history belongs to it. */
async function projectProblems(
  config: Config,
  { fixed, firstId }: PreparedProjects,
  { provisioning, storage, video }: Parts,
): Promise<Diagnostic[]> {
  const { projects, settings } = provisioning;
  const at = config.locationOf('/projects');
  if (firstId === undefined) {
    return [problem('no-projects', 'there would be no project', 'leave one in the file', at)];
  }
  const stored = new Set(projects.list().flatMap(({ projectId: id }) => (projects.isConfigured(id) ? [] : [id])));
  const live = await storage.callStore.unfinished();
  const gone = projects.list().filter(({ projectId }) => !fixed.has(projectId) && !stored.has(projectId));
  return gone.flatMap(({ projectId }) => {
    const isIts = (one: { projectId?: string }): boolean => one.projectId === projectId;
    const kept = [...settings.numbers.list(), ...settings.users.list()].filter(({ isConfigured }) => !isConfigured);
    const goesOn = live.some(isIts) || [...video.sessions.all()].some(({ room }) => isIts(room));
    const why = goesOn
      ? 'has live calls or rooms'
      : kept.some(({ value }) => isIts(value))
        ? 'has numbers or users of the admin API'
        : undefined;
    if (why === undefined) return [];
    const hint = 'remove it when they are gone';
    return [problem('project-in-use', `${quoting`the project ${projectId}`} ${why}`, hint, at)];
  });
}

const problem = (code: string, message: string, hint: string, at: ReturnType<Config['locationOf']>): Diagnostic => ({
  ...{ severity: 'error', code, message, hint },
  ...at,
});

const lineOf = ({ file, line, column, message }: Diagnostic): string => `${file}:${line}:${column}: ${message}`;
