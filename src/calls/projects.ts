/**
 * The projects of an installation: those of the configuration, which live in memory because the configuration is where
 * they are kept; without any, the one that was made at the first start, which is in the store.
 */
import { createHmac } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { Ids } from '../core/ids.ts';
import { fingerprint, hashKey, newProjectKey, newWebhookSecret } from './project-key.ts';
import type { CliPolicy, Project, ProjectStore, WebhookFormat } from './project-store.ts';

export interface ConfiguredProject {
  projectId: string;
  name: string;
  key: string;
  webhookSecret?: string;
  /** `plain` when not said. */
  webhookFormat?: WebhookFormat;
  /** True when not said. */
  strictBridgeState?: boolean;
  /** `own` when not said. */
  cliPolicy?: CliPolicy;
}

export interface Projects {
  find(projectId: string): Project | undefined;
  /** Of a key that nobody has, as costly to check as those of the projects. */
  readonly decoyHash: string;
  /** Owns numbers that name no project. */
  readonly first: Project;
  /** Made just now: the only time that its key is known. */
  readonly created?: CreatedProject;
}

export interface CreatedProject {
  appId: string;
  appKey: string;
  webhookSecret: string;
}

export interface ProjectParts {
  store: ProjectStore;
  clock: Clock;
  ids: Ids;
}

const DEFAULTS = { webhookFormat: 'plain', strictBridgeState: true, cliPolicy: 'own' } as const;

export async function openProjects(
  configured: readonly ConfiguredProject[],
  { store, clock, ids }: ProjectParts,
): Promise<Projects> {
  const known = new Map<string, Project>();
  for (const { projectId, name, key, webhookSecret, ...settings } of configured) {
    known.set(projectId, {
      ...DEFAULTS,
      ...settings,
      projectId,
      name,
      keyHash: fingerprint(key),
      webhookSecret: webhookSecret ?? secretOf(key),
      createdMs: clock.now(),
    });
  }
  const [first] = known.values();
  if (first) {
    return { first, find: (projectId) => known.get(projectId), decoyHash: fingerprint(newProjectKey()) };
  }

  const decoyHash = await hashKey(newProjectKey());
  const find = (projectId: string): Project | undefined => store.find(projectId);
  const [kept] = store.list();
  if (kept) return { first: kept, find, decoyHash };
  const appKey = newProjectKey();
  const made: Project = {
    ...DEFAULTS,
    projectId: ids.next('project'),
    name: 'default',
    keyHash: await hashKey(appKey),
    webhookSecret: newWebhookSecret(),
    createdMs: clock.now(),
  };
  store.create(made);
  return {
    first: made,
    find,
    decoyHash,
    created: { appId: made.projectId, appKey, webhookSecret: made.webhookSecret },
  };
}

/** The same at every start, and changed together with the key. */
const secretOf = (key: string): string =>
  `whsec_${createHmac('sha256', key).update('callweave webhook secret').digest('base64')}`;
