/**
 * `callweave credentials`: creates new credentials for a project whose key was lost, and shows them once. If the
 * service is running, uses its admin API; otherwise writes to the data directory and locks it meanwhile.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { systemClock } from '../base/core/clock.ts';
import { parseDuration } from '../base/core/duration.ts';
import { randomIds } from '../base/core/ids.ts';
import { isObject, type Json, type JsonObject } from '../base/core/json.ts';
import { didYouMean } from '../base/schema/suggest.ts';
import { type Config, clientEnvironment } from '../config.ts';
import { CallError } from '../service/calls/call-error.ts';
import { newProjectKey, newWebhookSecret } from '../service/calls/projects/project-key.ts';
import { openProjects } from '../service/calls/projects/projects.ts';
import { databaseFile, openDataDirectory } from '../service/store/sqlite/open-data-directory.ts';
import type { Store } from '../service/store/store.ts';
import { requireConfig } from './config-option.ts';
import { displayPath } from './find-files.ts';
import {
  administratorToken,
  createAdminService,
  printServiceError,
  RequestRefused,
  type ServiceOptions,
} from './service-client.ts';
import { credentialLines, type Secrets } from './start.ts';
import { type Terminal, UsageError } from './terminal.ts';

export interface CredentialsOptions extends ServiceOptions {
  project?: string;
  create?: boolean;
  webhookSecret?: boolean;
  /** Time for which the old credentials stay valid. */
  keepOld?: string;
  admin?: boolean;
}

interface KnownProject {
  appId: string;
  name: string;
  /** True for a project of the configuration, whose key cannot be changed here. */
  configured: boolean;
}

/** Access to projects, in the data directory or through the running service. */
interface ProjectKeys extends AsyncDisposable {
  list(): Promise<KnownProject[]>;
  create(order: { projectId: string; name: string }): Promise<Secrets>;
  /** The result may contain the other secret. */
  renewKey(appId: string, oldValidFor: string): Promise<Secrets>;
  renewWebhookSecret(appId: string, oldValidFor: string): Promise<Secrets>;
  /** Credentials of a project that was created because none existed. */
  readonly created?: Secrets | undefined;
}

const TOKEN_BYTES = 32;

export async function credentials(
  action: 'list' | 'new',
  options: CredentialsOptions,
  terminal: Terminal,
): Promise<void> {
  if (options.admin) return showToken(options, terminal);
  const config = requireConfig(options, terminal);
  await using projectKeys = await openProjectKeys(config, options);
  try {
    if (action === 'list') return showList(await projectKeys.list(), options, terminal);
    await createCredentials(projectKeys, config, options, terminal);
  } catch (error) {
    if (error instanceof RequestRefused && error.status === 401) {
      throw new UsageError(
        'the service has another `admin.token` than the configuration',
        'set its configuration with --config',
      );
    }
    if (error instanceof CallError) throw new UsageError(error.message, error.hint);
    printServiceError(error, terminal);
  }
}

async function createCredentials(
  projectKeys: ProjectKeys,
  config: Config,
  { project, create = false, webhookSecret = false, keepOld = '0s', json = false }: CredentialsOptions,
  terminal: Terminal,
): Promise<void> {
  if (parseDuration(keepOld) === undefined)
    throw new UsageError(`--keep-old ${keepOld} is not a duration`, 'such as 24h');
  const projects = await projectKeys.list();
  const wanted = project ?? projects[0]?.appId;
  if (wanted === undefined) throw new UsageError('there is no project yet', 'create one with --project NAME --create');
  const known = projects.find(({ appId }) => appId === wanted);
  const show = ({ appId, appKey, webhookSecret }: Secrets): void => {
    if (json) terminal.printJson({ app_id: appId, app_key: appKey, webhook_secret: webhookSecret });
    else for (const line of credentialLines({ appId, appKey, webhookSecret })) terminal.print(line);
  };
  if (known === undefined) {
    if (!create) {
      const near = didYouMean(
        wanted,
        projects.map(({ appId }) => appId),
      );
      throw new UsageError(`unknown project \`${wanted}\``, near ?? 'create it with --create');
    }
    return show(await projectKeys.create({ projectId: wanted, name: wanted }));
  }
  if (create)
    throw new UsageError(`the project \`${wanted}\` already exists`, 'omit --create to create a new key for it');
  if (projectKeys.created?.appId === wanted) return show(projectKeys.created);
  if (known.configured) {
    show({ appId: wanted, appKey: newProjectKey(), webhookSecret: webhookSecret ? newWebhookSecret() : undefined });
    const where = config.file === undefined ? 'the configuration' : displayPath(config.file);
    terminal.printError(`The project \`${wanted}\` is in ${where}: add the new secrets there, and reload the service.`);
    return;
  }
  const { appKey } = await projectKeys.renewKey(wanted, keepOld);
  const renewed = webhookSecret ? await projectKeys.renewWebhookSecret(wanted, keepOld) : undefined;
  show({ appId: wanted, appKey, webhookSecret: renewed?.webhookSecret });
}

function showList(projects: readonly KnownProject[], { json }: CredentialsOptions, terminal: Terminal): void {
  if (json) {
    const listed = projects.map(({ appId, name, configured }) => ({ app_id: appId, name, configured }));
    terminal.printJson({ projects: listed });
    return;
  }
  for (const { appId, name, configured } of projects) {
    terminal.print(`${appId}  ${name}, ${configured ? 'in the configuration' : 'in the data directory'}`);
  }
}

function showToken({ json }: CredentialsOptions, terminal: Terminal): void {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  if (json) {
    terminal.printJson({ admin_token: token });
    return;
  }
  terminal.print(`CALLWEAVE_ADMIN_TOKEN=${token}`);
  terminal.printError(
    'Add  admin: { token: { env: CALLWEAVE_ADMIN_TOKEN } }  to the configuration, and restart the service.',
  );
}

async function openProjectKeys(config: Config, options: CredentialsOptions): Promise<ProjectKeys> {
  if (!existsSync(databaseFile(config))) {
    const hint = 'start the service once, or set its configuration with --config';
    throw new UsageError(`there are no projects in ${displayPath(config.dataDirectory)}`, hint);
  }
  let store: Store;
  try {
    store = openDataDirectory(config, systemClock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'DATA_IN_USE') throw error;
    return remoteKeys(config, options);
  }
  return storedKeys(config, store);
}

async function storedKeys(config: Config, store: Store): Promise<ProjectKeys> {
  const parts = { store: store.projects, clock: systemClock, ids: randomIds };
  const projects = await openProjects(config.projects, parts);
  return {
    created: projects.created,
    list: async () =>
      projects.list().map(({ projectId, name }) => {
        return { appId: projectId, name, configured: projects.isConfigured(projectId) };
      }),
    create: projects.create,
    renewKey: (appId, oldValidFor) => projects.renewKey(appId, parseDuration(oldValidFor)),
    renewWebhookSecret: async (appId, oldValidFor) => projects.renewWebhookSecret(appId, parseDuration(oldValidFor)),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

function remoteKeys(config: Config, { url }: CredentialsOptions): ProjectKeys {
  const token = administratorToken(config);
  if (token === undefined) {
    throw new UsageError(
      `the service is running with ${displayPath(config.dataDirectory)}, and has no administrator token`,
      'stop the service, or add `admin.token` to the configuration and restart it',
    );
  }
  const service = createAdminService(url ?? clientEnvironment().url, config.http, token, systemClock);
  const ask = async (path: string, body?: JsonObject): Promise<Secrets> => {
    const answer = await service.request('POST', `/admin/v1/projects${path}`, body);
    const { app_id: appId, app_key: appKey, webhook_secret: webhookSecret } = answer;
    return { appId: String(appId), appKey: textIn(appKey), webhookSecret: textIn(webhookSecret) };
  };
  return {
    async list() {
      const { projects } = await service.request('GET', '/admin/v1/projects');
      return (Array.isArray(projects) ? projects : []).filter(isObject).map(({ app_id: appId, name, configured }) => {
        return { appId: String(appId), name: String(name), configured: configured === true };
      });
    },
    create: ({ projectId, name }) => ask('', { app_id: projectId, name }),
    renewKey: (appId, oldValidFor) => ask(`/${encodeURIComponent(appId)}/key`, { old_valid_for: oldValidFor }),
    renewWebhookSecret: (appId, oldValidFor) =>
      ask(`/${encodeURIComponent(appId)}/webhook-secret`, { old_valid_for: oldValidFor }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const textIn = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
