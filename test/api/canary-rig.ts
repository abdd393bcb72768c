/** Service with an administrator, a flow `hello` that two numbers lead to, and its callers. */
import type { JsonObject } from '../../src/base/core/json.ts';
import type { FarEnd } from '../../src/media/telephony/simulated/far-end.ts';
import { type Administrator, administered } from './admin-client.ts';
import type { ApiResponse, ApiRig, ApiRigOptions } from './rig.ts';

export const flowOf = (name: string, ...steps: string[]): string =>
  `flow: ${name}\nstart: go\ndefaults: { exits: { error: $end } }\nsteps:\n${steps.map((step) => `  ${step}\n`).join('')}`;

export const OLD = flowOf('hello', 'go: { log: old, next: $end }');
export const NEW = flowOf('hello', 'go: { log: new, next: $end }');
export const CONFIG = 'numbers: [{ number: "1000", flow: hello }, { number: "1001", flow: hello }]\n';

interface Side {
  version: string;
  calls: number;
  errors: number;
  abandoned: number;
  error_rate: number;
  exits: Record<string, number>;
}

export interface ShownCanary {
  state: string;
  percent: number;
  since: string;
  ended?: { why: string; by: string };
  compared: { in_force: Side; canary: Side };
}

export interface CanaryRig {
  rig: ApiRig;
  admin: Administrator;
  /** Keeps a candidate; its version. */
  keep(text: string): Promise<string>;
  start(order: object): Promise<ApiResponse>;
  canary(): Promise<ShownCanary>;
}

export async function openCanary(options: ApiRigOptions = {}): Promise<CanaryRig> {
  const { rig, admin } = await administered({ flows: { hello: OLD }, config: CONFIG, ...options });
  return {
    rig,
    admin,
    async keep(text) {
      const answer = await admin('POST', '/flows/hello/versions', { text });
      if (answer.status !== 201) throw new Error(answer.text);
      return String(answer.body['hash']);
    },
    start: (order) => admin('PUT', '/flows/hello/canary', order),
    canary: async () => (await admin('GET', '/flows/hello/canary')).body as unknown as ShownCanary,
  };
}

export const callers = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `+3361${String(index).padStart(7, '0')}`);

/** Below `limits.calls`. */
const CALLS_AT_ONCE = 100;
const ALL = { projectId: 'shop', fromMs: 0, toMs: Number.MAX_SAFE_INTEGER - 1, limit: 5000 };

export interface Calling {
  to?: string;
  /** How long a batch of calls lasts. */
  ms?: number;
  /** Action of a caller after this time. */
  afterMs?: number;
  does?(caller: FarEnd): void;
}

/** Each of these callers calls once; the versions that they got. */
export async function callsOf(
  rig: ApiRig,
  from: readonly string[],
  { to = '1000', ms = 500, afterMs = 0, does }: Calling = {},
): Promise<Map<string, string>> {
  const before = new Set((await rig.store.calls.list(ALL)).map(({ record }) => record.callId));
  for (let first = 0; first < from.length; first += CALLS_AT_ONCE) {
    const calling = from.slice(first, first + CALLS_AT_ONCE).map((caller) => rig.call(to, caller));
    if (does) await rig.pass(afterMs);
    if (does) for (const caller of calling) does(caller);
    await rig.pass(ms);
  }
  const calls = (await rig.store.calls.list(ALL)).filter(({ record }) => !before.has(record.callId));
  return new Map(calls.map(({ record }) => [record.from, record.flowHash]));
}

export const having = (versions: ReadonlyMap<string, string>, version: string): string[] =>
  [...versions].filter(([, had]) => had === version).map(([caller]) => caller);

export const auditOf = async (admin: Administrator): Promise<JsonObject[]> =>
  (await admin('GET', '/audit')).body['changes'] as JsonObject[];
