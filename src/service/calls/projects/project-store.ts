/**
 * Port: projects, which own all data. Implemented in `store/`; the contract suite is
 * `test/contracts/store/project-store.ts`.
 */
export interface Project {
  /** User name of the project's Basic credentials (`app_id`). */
  projectId: string;
  name: string;
  /** scrypt hash of the key (`app_key`), which is shown once and not stored. See `project-key.ts`. */
  keyHash: string;
  /** `whsec_…`: signs the project's webhooks. Stored in plain text, because signing needs it. */
  webhookSecret: string;
  /** The previous key, valid for a while so that clients can change over. */
  previousKey?: { hash: string; untilMs: number };
  /** The previous webhook secret: events carry the signatures of both. */
  previousWebhookSecret?: { secret: string; untilMs: number };
  webhookFormat: WebhookFormat;
  /** True if recordings, streams and transfers are allowed only while the call is bridged, as documented. */
  strictBridgeState: boolean;
  cliPolicy: CliPolicy;
  /** URL for the events of video rooms. */
  videoWebhook?: string;
  /** Maximum concurrent calls on each node, in both directions; default: see `capacity.ts`. */
  maxCalls?: number;
  /** Maximum calls placed per second on each node; default: unlimited. */
  callsPerSecond?: number;
  createdMs: number;
}

/** `encrypted`: for old receivers; see `service/observers/webhooks/encrypted-body.ts`. */
export type WebhookFormat = 'plain' | 'encrypted';

/** Caller IDs that the project's calls may present: its own numbers, or any. */
export type CliPolicy = 'own' | 'any';

export interface ProjectStore {
  /**
   * Rejects if the id exists. When it resolves, the write is durable and visible to reads; this holds for all writes
   * below.
   */
  create(project: Project): Promise<void>;
  /** Creates the project if there is none at all. False if there is one. */
  createFirst(project: Project): Promise<boolean>;
  /** False if the project does not exist. */
  update(project: Project): Promise<boolean>;
  /** Data of the project is retained until it expires. False if the project does not exist. */
  remove(projectId: string): Promise<boolean>;
  /** Reads are from memory if the data is shared with other nodes. */
  find(projectId: string): Project | undefined;
  /** All projects, oldest first. */
  list(): Project[];
}
