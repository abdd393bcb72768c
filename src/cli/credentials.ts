/**
 * `callweave credentials`: new ones for a project whose key is lost, shown once. While the service runs it is asked, by
 * its admin API; else the command writes to the data directory, which it holds meanwhile.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { CallError } from '../calls/call-error.ts';
import { newProjectKey, newWebhookSecret } from '../calls/project-key.ts';
import { openProjects } from '../calls/projects.ts';
import { type Config, clientEnvironment } from '../config.ts';
import { systemClock } from '../core/clock.ts';
import { randomIds } from '../core/ids.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { credentialLines } from '../main.ts';
import { didYouMean } from '../schema/suggest.ts';
import { databaseFile, openDataDirectory } from '../store/sqlite/open-data-directory.ts';
import type { Store } from '../store/store.ts';
import { requireConfig } from './config-option.ts';
import { displayPath } from './find-files.ts';
import {
  createAdminService,
  printServiceError,
  RequestRefused,
  type ServiceClient,
  ServiceUnreachable,
} from './service-client.ts';
import { type Terminal, UsageError } from './terminal.ts';

export type CredentialsAction = 'list' | 'new';

export interface CredentialsOptions {
  project?: string;
  create?: boolean;
  webhookSecret?: boolean;
  admin?: boolean;
  url?: string;
  config?: string;
  json?: boolean;
}

interface KnownProject {
  appId: string;
  name: string;
  /** In the configuration, which keeps its key. */
  configured: boolean;
}

interface Secrets {
  appId: string;
  appKey?: string;
  webhookSecret?: string;
}

/** Where projects are kept: the data directory, or a service that runs with it. */
interface ProjectKeys {
  list(): Promise<KnownProject[]>;
  create(appId: string): Promise<Secrets>;
  renewKey(appId: string): Promise<Secrets>;
  renewWebhookSecret(appId: string): Promise<Secrets>;
  /** Made because there was none. */
  readonly created?: Secrets;
  close(): Promise<void>;
}

const TOKEN_BYTES = 32;

export async function credentials(
  action: CredentialsAction,
  options: CredentialsOptions,
  terminal: Terminal,
): Promise<void> {
  if (options.admin) {
    showToken(options, terminal);
    return;
  }
  const config = requireConfig(options.config, terminal);
  if (config === undefined) return;
  const projectKeys = await openProjectKeys(config, options);
  try {
    if (action === 'list') return showList(await projectKeys.list(), options, terminal);
    await createCredentials(projectKeys, config, options, terminal);
  } catch (error) {
    if (error instanceof RequestRefused && error.status === 401) {
      throw new UsageError('the service has another `admin.token` than the configuration', 'name its own by --config');
    }
    if (error instanceof RequestRefused || error instanceof ServiceUnreachable) printServiceError(error, terminal);
    else if (error instanceof CallError) throw new UsageError(error.message, error.hint);
    else throw error;
  } finally {
    await projectKeys.close();
  }
}

async function createCredentials(
  projectKeys: ProjectKeys,
  config: Config,
  { project, create = false, webhookSecret = false, json = false }: CredentialsOptions,
  terminal: Terminal,
): Promise<void> {
  const projects = await projectKeys.list();
  const wanted = project ?? projects[0]?.appId;
  if (wanted === undefined) throw new UsageError('there is no project yet', 'make one with --project NAME --create');
  const known = projects.find(({ appId }) => appId === wanted);
  const show = (secrets: Secrets): void => {
    if (json) terminal.printJson(secretsBody(secrets));
    else for (const line of credentialLines(secrets)) terminal.print(line);
  };
  if (known === undefined) {
    if (!create) {
      const near = didYouMean(
        wanted,
        projects.map(({ appId }) => appId),
      );
      throw new UsageError(`there is no project \`${wanted}\``, near ?? 'make it with --create');
    }
    return show(await projectKeys.create(wanted));
  }
  if (create) throw new UsageError(`there is a project \`${wanted}\``, 'without --create it gets a new key');
  if (projectKeys.created?.appId === wanted) return show(projectKeys.created);
  if (known.configured) {
    const made = { appId: wanted, appKey: newProjectKey() };
    show(webhookSecret ? { ...made, webhookSecret: newWebhookSecret() } : made);
    const where = config.file === undefined ? 'the configuration' : displayPath(config.file);
    terminal.printError(`The project \`${wanted}\` is in ${where}: write them there, and start the service again.`);
    return;
  }
  const renewed = await projectKeys.renewKey(wanted);
  show(webhookSecret ? { ...renewed, ...(await projectKeys.renewWebhookSecret(wanted)) } : renewed);
}

function showList(projects: readonly KnownProject[], { json }: CredentialsOptions, terminal: Terminal): void {
  if (json) {
    terminal.printJson({
      projects: projects.map(({ appId, name, configured }) => ({ app_id: appId, name, configured })),
    });
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
    'Write  admin: { token: { env: CALLWEAVE_ADMIN_TOKEN } }  into the configuration, and start again.',
  );
}

const secretsBody = ({ appId, appKey, webhookSecret }: Secrets): JsonObject => ({
  app_id: appId,
  ...(appKey === undefined ? {} : { app_key: appKey }),
  ...(webhookSecret === undefined ? {} : { webhook_secret: webhookSecret }),
});

async function openProjectKeys(config: Config, options: CredentialsOptions): Promise<ProjectKeys> {
  if (!existsSync(databaseFile(config))) {
    const hint = 'start the service once, or name its configuration with --config';
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
  const projects = await openProjects(config.projects, {
    store: store.projects,
    clock: systemClock,
    ids: randomIds,
  });
  return {
    ...(projects.created ? { created: projects.created } : {}),
    list: async () =>
      projects.list().map(({ projectId, name }) => {
        return { appId: projectId, name, configured: projects.isConfigured(projectId) };
      }),
    create: (appId) => projects.create({ projectId: appId, name: appId }),
    async renewKey(appId) {
      const { appKey } = await projects.renewKey(appId);
      return { appId, appKey };
    },
    async renewWebhookSecret(appId) {
      const { webhookSecret } = projects.renewWebhookSecret(appId);
      return { appId, webhookSecret };
    },
    close: () => store.close(),
  };
}

function remoteKeys(config: Config, { url }: CredentialsOptions): ProjectKeys {
  if (config.admin === undefined) {
    throw new UsageError(
      `the service is running with ${displayPath(config.dataDirectory)}, and has no administrator that could be asked`,
      'stop it for a moment, or give the configuration an `admin.token` and start it again',
    );
  }
  const { token } = config.admin;
  const service: ServiceClient = createAdminService(url ?? clientEnvironment().url, config.http, token, systemClock);
  const ask = async (path: string, body?: JsonObject): Promise<Secrets> => {
    const answer = await service.request('POST', `/admin/v1/projects${path}`, body);
    const { app_id: appId, app_key: appKey, webhook_secret: webhookSecret } = answer;
    return {
      appId: String(appId),
      ...(typeof appKey === 'string' ? { appKey } : {}),
      ...(typeof webhookSecret === 'string' ? { webhookSecret } : {}),
    };
  };
  return {
    async list() {
      const { projects } = await service.request('GET', '/admin/v1/projects');
      return (Array.isArray(projects) ? projects : []).filter(isObject).map(keptOf);
    },
    create: (appId) => ask('', { app_id: appId, name: appId }),
    renewKey: (appId) => ask(`/${encodeURIComponent(appId)}/key`),
    renewWebhookSecret: (appId) => ask(`/${encodeURIComponent(appId)}/webhook-secret`),
    close: async () => undefined,
  };
}

const keptOf = ({ app_id: appId, name, configured }: Record<string, Json>): KnownProject => ({
  appId: String(appId),
  name: String(name),
  configured: configured === true,
});
