/**
 * The projects of an installation: those of the configuration, which live in memory because the configuration is where
 * they are kept, and those of the store: made at the first start, where the configuration has none, or by the admin API.
 *
 * Invariants
 *  - the keys of all projects are hashed in one way, so that the time of a check does not tell which there are;
 *  - what the configuration says is changed there alone.
 */

import { createHmac } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { Ids } from '../core/ids.ts';
import { defined, type MayLackMembers } from '../core/json.ts';
import { CallError, configuredError } from './call-error.ts';
import { fingerprint, hashKey, isCostly, keyMatches, newProjectKey, newWebhookSecret } from './project-key.ts';
import type { CliPolicy, Project, ProjectStore, WebhookFormat } from './project-store.ts';

export interface ConfiguredProject {
  projectId: string;
  name: string;
  key: string;
  webhookSecret?: string;
  /** What was valid before, and how long it still is. */
  previous?: { key?: string; webhookSecret?: string; untilMs: number };
  /** Default `plain`. */
  webhookFormat?: WebhookFormat;
  /** Default true. */
  strictBridgeState?: boolean;
  /** Default `own`. */
  cliPolicy?: CliPolicy;
  videoWebhook?: string;
  maxCalls?: number;
  callsPerSecond?: number;
}

export type Projects = Awaited<ReturnType<typeof openProjects>>;

export type ProjectChanges = Partial<
  Pick<
    Project,
    'name' | 'webhookFormat' | 'strictBridgeState' | 'cliPolicy' | 'videoWebhook' | 'maxCalls' | 'callsPerSecond'
  >
>;

/** Without an id one is made. */
export type ProjectOrder = ProjectChanges & { name: string; projectId?: string };

/** Secrets that are shown once: those that were made. */
export interface CreatedProject {
  appId: string;
  appKey: string;
  webhookSecret: string;
}

const DEFAULTS = { webhookFormat: 'plain', strictBridgeState: true, cliPolicy: 'own' } as const;

/** Projects of a configuration, with what is kept of their keys. */
export interface PreparedProjects {
  readonly fixed: ReadonlyMap<string, Project>;
  readonly isSlow: boolean;
  /** The hash of an unused key, as costly to check as those of the projects. */
  readonly decoyHash: string;
  /** Owns what names no project; absent: there would be no project at all. */
  readonly firstId?: string;
}

const hashOf = async (key: string, isSlow: boolean): Promise<string> => (isSlow ? hashKey(key) : fingerprint(key));

/** A key that has not changed keeps its hash: what it has opened goes on. */
async function hashAsBefore(key: string, isSlow: boolean, before: Project | undefined): Promise<string> {
  for (const hash of before ? [before.keyHash, ...(before.previousKey ? [before.previousKey.hash] : [])] : []) {
    if (isCostly(hash) === isSlow && (await keyMatches(key, hash))) return hash;
  }
  return hashOf(key, isSlow);
}

async function prepareProjects(
  configured: readonly ConfiguredProject[],
  { store, clock, now }: { store: Pick<ProjectStore, 'list'>; clock: Clock; now?: ReadonlyMap<string, Project> },
): Promise<PreparedProjects> {
  // One of the store may be left of times when the configuration had none: its hash cannot be made anew.
  const isSlow = configured.length === 0 || store.list().some(({ keyHash }) => isCostly(keyHash));
  const fixed = new Map<string, Project>();
  for (const { projectId, name, key, webhookSecret, previous, ...settings } of configured) {
    const { key: oldKey, untilMs = 0 } = previous ?? {};
    const before = now?.get(projectId);
    // One that is made of the key ends with it.
    const oldSecret = previous?.webhookSecret ?? (oldKey && !webhookSecret ? secretOf(oldKey) : undefined);
    const made = defined<Project>({
      ...DEFAULTS,
      ...settings,
      projectId,
      name,
      keyHash: await hashAsBefore(key, isSlow, before),
      webhookSecret: webhookSecret ?? secretOf(key),
      previousKey: oldKey === undefined ? undefined : { hash: await hashAsBefore(oldKey, isSlow, before), untilMs },
      previousWebhookSecret: oldSecret === undefined ? undefined : { secret: oldSecret, untilMs },
      createdMs: clock.now(),
    });
    fixed.set(projectId, made);
  }
  const firstId = configured[0]?.projectId ?? store.list()[0]?.projectId;
  return defined<PreparedProjects>({ fixed, isSlow, decoyHash: await hashOf(newProjectKey(), isSlow), firstId });
}

export async function openProjects(
  configured: readonly ConfiguredProject[],
  { store, clock, ids }: { store: ProjectStore; clock: Clock; ids: Ids },
) {
  let { fixed, isSlow, decoyHash } = await prepareProjects(configured, { store, clock });
  const isConfigured = (projectId: string): boolean => fixed.has(projectId);
  const find = (projectId: string): Project | undefined => fixed.get(projectId) ?? store.find(projectId);
  /** Those of the configuration first. */
  const list = (): Project[] => [...fixed.values(), ...store.list().filter(({ projectId }) => !fixed.has(projectId))];

  const make = async ({ projectId = ids.next('project'), ...order }: ProjectOrder): Promise<[Project, string]> => {
    const appKey = newProjectKey();
    const made: Project = {
      ...DEFAULTS,
      ...order,
      projectId,
      keyHash: await hashOf(appKey, isSlow),
      webhookSecret: newWebhookSecret(),
      createdMs: clock.now(),
    };
    return [made, appKey];
  };
  /** Throws `in_use`. */
  const create = async (order: ProjectOrder): Promise<CreatedProject> => {
    const { projectId } = order;
    if (projectId !== undefined && find(projectId)) throw new CallError('in_use', `there is a project ${projectId}`);
    const [made, appKey] = await make(order);
    // Another may have come in between.
    if (find(made.projectId)) throw new CallError('in_use', `there is a project ${made.projectId}`);
    await store.create(made);
    return credentialsOf(made, appKey);
  };
  /** Undefined: there is one, maybe made by another node in the same moment. */
  const createFirst = async (): Promise<CreatedProject | undefined> => {
    if (list().length > 0) return undefined;
    const [made, appKey] = await make({ name: 'default' });
    return (await store.createFirst(made)) ? credentialsOf(made, appKey) : undefined;
  };
  const credentialsOf = ({ projectId, webhookSecret }: Project, appKey: string): CreatedProject => ({
    appId: projectId,
    appKey,
    webhookSecret,
  });

  /** Throws `unknown_setting` and `configured`. */
  const changeable = (projectId: string): Project => {
    if (isConfigured(projectId)) throw configuredError('project');
    const project = store.find(projectId);
    if (!project) throw new CallError('unknown_setting', 'there is no such project');
    return project;
  };
  const change = async (projectId: string, changes: MayLackMembers<Partial<Project>>): Promise<Project> => {
    const changed = defined<Project>({ ...changeable(projectId), ...changes });
    if (!(await store.update(changed))) throw new CallError('unknown_setting', 'there is no such project');
    return changed;
  };

  const created = await createFirst();
  return {
    find,
    list,
    isConfigured,
    /** Whether it is that of a key that is valid now. */
    isKeyHash: (project: Project, hash: string): boolean => validHashes(project, clock.now()).includes(hash),
    /** The hashes of the keys that are valid now: as many for each id, so that guessing does not tell which projects there are. */
    keyHashesOf(projectId: string): readonly string[] {
      const hashes = validHashes(find(projectId), clock.now());
      const most = Math.max(1, ...list().map((project) => validHashes(project, clock.now()).length));
      return [...hashes, ...Array.from({ length: most - hashes.length }, () => decoyHash)];
    },
    /** The secrets that sign now, the present one first; none: there is no such project. */
    webhookSecretsOf(projectId: string): readonly string[] {
      const { webhookSecret, previousWebhookSecret: previous } = find(projectId) ?? {};
      if (webhookSecret === undefined) return [];
      return isValid(previous, clock.now()) ? [webhookSecret, previous.secret] : [webhookSecret];
    },
    /** Owns numbers that name no project. */
    get first(): Project {
      return list()[0]!;
    },
    /** Made just now: the only time that its key is known. */
    created,
    create,
    change: (projectId: string, changes: ProjectChanges): Promise<Project> => change(projectId, changes),
    /** The old one stays valid for so long, beside the new one. */
    async renewKey(projectId: string, oldValidMs = 0): Promise<CreatedProject> {
      changeable(projectId);
      const appKey = newProjectKey();
      const keyHash = await hashOf(appKey, isSlow);
      const { keyHash: hash } = changeable(projectId);
      const previousKey = oldValidMs > 0 ? { hash, untilMs: clock.now() + oldValidMs } : undefined;
      return credentialsOf(await change(projectId, { keyHash, previousKey }), appKey);
    },
    async renewWebhookSecret(projectId: string, oldValidMs = 0): Promise<CreatedProject> {
      const { webhookSecret: secret } = changeable(projectId);
      const previousWebhookSecret = oldValidMs > 0 ? { secret, untilMs: clock.now() + oldValidMs } : undefined;
      const changed = await change(projectId, { webhookSecret: newWebhookSecret(), previousWebhookSecret });
      return credentialsOf(changed, '');
    },
    /** What was valid before is not valid any more. */
    endPrevious: (projectId: string): Promise<Project> =>
      change(projectId, { previousKey: undefined, previousWebhookSecret: undefined }),
    /** Other projects of the configuration: nothing changes before they are used. */
    prepare: (next: readonly ConfiguredProject[]): Promise<PreparedProjects> =>
      prepareProjects(next, { store, clock, now: fixed }),
    use(prepared: PreparedProjects): void {
      // Those that were there stay as old as they are.
      const aged = [...prepared.fixed].map(
        ([id, project]) => [id, { ...project, createdMs: fixed.get(id)?.createdMs ?? project.createdMs }] as const,
      );
      ({ isSlow, decoyHash } = prepared);
      fixed = new Map(aged);
    },
    async remove(projectId: string): Promise<void> {
      changeable(projectId);
      await store.remove(projectId);
    },
  };
}

export const isValid = <Previous extends { untilMs: number }>(
  previous: Previous | undefined,
  nowMs: number,
): previous is Previous => previous !== undefined && previous.untilMs > nowMs;

const validHashes = (project: Project | undefined, nowMs: number): string[] => {
  if (!project) return [];
  const { keyHash, previousKey } = project;
  return isValid(previousKey, nowMs) ? [keyHash, previousKey.hash] : [keyHash];
};

/** The same at every start, and changed together with the key. */
const secretOf = (key: string): string =>
  `whsec_${createHmac('sha256', key).update('callweave webhook secret').digest('base64')}`;
