/**
 * Projects of an installation: those of the configuration, which are held in memory only, and those of the store,
 * created at the first start if the configuration has none, or by the admin API.
 *
 * Invariants
 *  - The keys of all projects are hashed with the same cost, so that the time of a check does not reveal which projects
 *    exist.
 *  - A configured project is changed only in the configuration.
 */
import { createHmac } from 'node:crypto';
import type { Clock } from '../../../base/core/clock.ts';
import type { Ids } from '../../../base/core/ids.ts';
import { defined } from '../../../base/core/json.ts';
import { CallError, configuredError } from '../call-error.ts';
import { fingerprint, hashKey, isCostly, keyMatches, newProjectKey, newWebhookSecret } from './project-key.ts';
import type { CliPolicy, Project, ProjectStore, WebhookFormat } from './project-store.ts';

export interface ConfiguredProject {
  projectId: string;
  name: string;
  key: string;
  webhookSecret?: string;
  /** Previous credentials, and the end of their validity. */
  previous?: { key?: string; webhookSecret?: string; untilMs: number };
  /** Default: `plain`. */
  webhookFormat?: WebhookFormat;
  /** Default: true. */
  strictBridgeState?: boolean;
  /** Default: `own`. */
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

/** Changes of some members. Null removes one that is optional. */
type MayRemove<Member extends keyof Project> = {
  [Key in Member]?: undefined extends Project[Key] ? Project[Key] | null : Project[Key];
};

/** Order to create a project. Without an id, a new one is generated. */
export type ProjectOrder = ProjectChanges & { name: string; projectId?: string };

/** Newly created secrets, which are shown once. */
export interface CreatedProject {
  appId: string;
  appKey: string;
  webhookSecret: string;
}

const DEFAULTS = { webhookFormat: 'plain', strictBridgeState: true, cliPolicy: 'own' } as const;

/** Projects of a configuration, with the hashes of their keys. */
export interface PreparedProjects {
  readonly fixed: ReadonlyMap<string, Project>;
  readonly isSlow: boolean;
  /** Hash of an unused key, as expensive to check as those of the projects. */
  readonly decoyHash: string;
  /** Project that owns numbers without a project. Absent if there would be no project at all. */
  readonly firstId?: string;
}

const hashOf = async (key: string, isSlow: boolean): Promise<string> => (isSlow ? hashKey(key) : fingerprint(key));

/** An unchanged key keeps its hash, so that sessions opened with it remain valid. */
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
  // The store may hold a project from a time without configured projects: its hash cannot be recomputed.
  const isSlow = configured.length === 0 || store.list().some(({ keyHash }) => isCostly(keyHash));
  const fixed = new Map<string, Project>();
  for (const { projectId, name, key, webhookSecret, previous, ...settings } of configured) {
    const { key: oldKey, untilMs = 0 } = previous ?? {};
    const before = now?.get(projectId);
    // A secret derived from the key expires with it.
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
  /** Configured projects first. */
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
    // Another request may have created it in the meantime.
    if (find(made.projectId)) throw new CallError('in_use', `there is a project ${made.projectId}`);
    await store.create(made);
    return credentialsOf(made, appKey);
  };
  /** Undefined if a project exists, perhaps created by another node just now. */
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
  const change = async (projectId: string, changes: MayRemove<keyof Project>): Promise<Project> => {
    const members = Object.entries({ ...changeable(projectId), ...changes }).filter(([, value]) => value !== null);
    const changed = Object.fromEntries(members) as unknown as Project;
    if (!(await store.update(changed))) throw new CallError('unknown_setting', 'there is no such project');
    return changed;
  };

  const created = await createFirst();
  return {
    find,
    list,
    isConfigured,
    /** True if the hash is that of a currently valid key. */
    isKeyHash: (project: Project, hash: string): boolean => validHashes(project, clock.now()).includes(hash),
    /**
     * Hashes of the currently valid keys: the same number for each id, so that guessing does not reveal which projects
     * exist.
     */
    keyHashesOf(projectId: string): readonly string[] {
      const hashes = validHashes(find(projectId), clock.now());
      const most = Math.max(1, ...list().map((project) => validHashes(project, clock.now()).length));
      return [...hashes, ...Array.from({ length: most - hashes.length }, () => decoyHash)];
    },
    /** Secrets that sign events now, the current one first. Empty if the project does not exist. */
    webhookSecretsOf(projectId: string): readonly string[] {
      const { webhookSecret, previousWebhookSecret: previous } = find(projectId) ?? {};
      if (webhookSecret === undefined) return [];
      return isValid(previous, clock.now()) ? [webhookSecret, previous.secret] : [webhookSecret];
    },
    /** Owner of numbers that name no project. */
    get first(): Project {
      return list()[0]!;
    },
    /** Credentials of a project created at this start: the only time that its key is available. */
    created,
    create,
    change: (projectId: string, changes: MayRemove<keyof ProjectChanges>): Promise<Project> =>
      change(projectId, changes),
    /** The old key remains valid for `oldValidMs`. */
    async renewKey(projectId: string, oldValidMs = 0): Promise<CreatedProject> {
      changeable(projectId);
      const appKey = newProjectKey();
      const keyHash = await hashOf(appKey, isSlow);
      const { keyHash: hash } = changeable(projectId);
      const previousKey = oldValidMs > 0 ? { hash, untilMs: clock.now() + oldValidMs } : null;
      return credentialsOf(await change(projectId, { keyHash, previousKey }), appKey);
    },
    async renewWebhookSecret(projectId: string, oldValidMs = 0): Promise<CreatedProject> {
      const { webhookSecret: secret } = changeable(projectId);
      const previousWebhookSecret = oldValidMs > 0 ? { secret, untilMs: clock.now() + oldValidMs } : null;
      const changed = await change(projectId, { webhookSecret: newWebhookSecret(), previousWebhookSecret });
      return credentialsOf(changed, '');
    },
    /** Ends the validity of the previous credentials. */
    endPrevious: (projectId: string): Promise<Project> =>
      change(projectId, { previousKey: null, previousWebhookSecret: null }),
    /** Prepares other configured projects; they take effect with `use`. */
    prepare: (next: readonly ConfiguredProject[]): Promise<PreparedProjects> =>
      prepareProjects(next, { store, clock, now: fixed }),
    use(prepared: PreparedProjects): void {
      // Known projects keep their creation time.
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

/** Deterministic: the same at every start, and changed together with the key. */
const secretOf = (key: string): string =>
  `whsec_${createHmac('sha256', key).update('callweave webhook secret').digest('base64')}`;
