/** Port: the projects, which own everything. Implemented in `store/`; the contract suite is `contracts/store/project-store.ts`. */
export interface Project {
  /** The user name of the project's Basic credentials (`app_id`). */
  projectId: string;
  name: string;
  /** scrypt of the key (`app_key`); the key itself is shown once and kept nowhere. See `project-key.ts`. */
  keyHash: string;
  /** `whsec_…`: signs the project's webhooks. Kept as it is, because signing needs it. */
  webhookSecret: string;
  /** The key before this one, valid beside it for a while: clients change over meanwhile. */
  previousKey?: { hash: string; untilMs: number };
  /** The same of the webhook secret: events have the signatures of both. */
  previousWebhookSecret?: { secret: string; untilMs: number };
  webhookFormat: WebhookFormat;
  /** Recordings, streams and transfers only while the call is bridged, as documented. */
  strictBridgeState: boolean;
  cliPolicy: CliPolicy;
  /** Where events of video rooms go. */
  videoWebhook?: string;
  /** Calls at once on each node, in both directions; default: see `capacity.ts`. */
  maxCalls?: number;
  /** Calls that it may place in a second, on each node; default: any number. */
  callsPerSecond?: number;
  createdMs: number;
}

/** `encrypted`: for old receivers; see `observers/webhooks/encrypted-body.ts`. */
export type WebhookFormat = 'plain' | 'encrypted';

/** Which numbers the project's calls may show: its own, or whichever it asks for. */
export type CliPolicy = 'own' | 'any';

export interface ProjectStore {
  /** Rejects when there is a project with this id. Durable when it resolves, and seen by the reads then. */
  create(project: Project): Promise<void>;
  /** The same, where there is no project at all; false: there is one. */
  createFirst(project: Project): Promise<boolean>;
  /** False: there is no such project. The same. */
  update(project: Project): Promise<boolean>;
  /** The same. What the project owned is kept until it is too old. */
  remove(projectId: string): Promise<boolean>;
  /** Reads are from memory where the data are shared with other nodes. */
  find(projectId: string): Project | undefined;
  /** Oldest first. */
  list(): Project[];
}
