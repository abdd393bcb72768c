/**
 * Graphs of flows, in the live or in a kept version, so that an old call is drawn on the version that it ran.
 *
 * Invariant: a project sees the flows to which its numbers lead or that its calls ran, with the flows that those call.
 * Other flows are reported as unknown.
 */
import type { JsonObject } from '../../../base/core/json.ts';
import { childPointer } from '../../../base/schema/document.ts';
import { loadDocument } from '../../../base/schema/load.ts';
import type { FlowLibrary } from '../../../language/flow/flow-library.ts';
import { type FlowGraph, type GraphLanguage, graphOf } from '../../../language/flow/graph.ts';
import { partNamed } from '../../../language/flow/local-flows.ts';
import type { CallStore } from '../../runtime/call-store.ts';
import { CallError } from '../call-error.ts';
import type { ProvisionedNumber } from '../numbers/numbers.ts';
import type { FlowVersionStore } from './flow-version-store.ts';

export interface DrawOrder {
  name: string;
  /** A kept version; default: the live one. */
  version?: string;
  /** Absent for an administrator, who sees all flows. */
  projectId?: string;
}

export interface FlowGraphs {
  /** Throws `unknown_flow`. */
  draw(order: DrawOrder): Promise<FlowGraph & { hash: string }>;
}

export interface FlowGraphsParts {
  flows: Pick<FlowLibrary, 'get' | 'textOf' | 'callsOf' | 'summaries'>;
  versions: Pick<FlowVersionStore, 'find'>;
  verbs: GraphLanguage;
  numbers(): readonly Pick<ProvisionedNumber, 'flow' | 'projectId'>[];
  calls: Pick<CallStore, 'list'>;
}

/** Latest calls of a project that are searched for flows that it ran. */
const CALLS_LOOKED_AT = 500;

export function createFlowGraphs({ flows, versions, verbs, numbers, calls }: FlowGraphsParts): FlowGraphs {
  const isSeenBy = async (projectId: string, name: string): Promise<boolean> => {
    const ofNumbers = numbers().flatMap((number) => (number.projectId === projectId ? (number.flow ?? []) : []));
    const reached = new Set(ofNumbers);
    const reaches = (): boolean => {
      // A `Set` iteration also visits elements that are added during it.
      for (const one of reached) for (const called of flows.callsOf(one)) reached.add(called);
      return reached.has(name);
    };
    if (reaches()) return true;
    const latest = { projectId, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER - 1, limit: CALLS_LOOKED_AT };
    for (const { record } of await calls.list(latest)) reached.add(record.flow);
    return reaches();
  };

  return {
    async draw({ name, version, projectId }) {
      const kept = version === undefined ? undefined : versions.find(version);
      const inForce = flows.get(name);
      const text = version === undefined || version === inForce?.hash ? flows.textOf(name) : undefined;
      const drawn =
        text !== undefined && inForce ? { text, hash: inForce.hash } : kept?.name === name ? kept : undefined;
      if (!drawn || (projectId !== undefined && !(await isSeenBy(projectId, name))))
        throw new CallError(
          'unknown_flow',
          version === undefined ? 'there is no such flow' : 'there is no such version',
        );
      const whole = loadDocument(drawn.text, name).document;
      const document = whole && partNamed(whole, name);
      const steps = Object.keys(((document?.value as JsonObject | undefined)?.['steps'] ?? {}) as JsonObject);
      const lines = new Map(
        steps.map((step) => [step, document!.keyLocationOf(childPointer('/steps', step)).line] as const),
      );
      return { ...graphOf(document?.value, { verbs, lines, flows: flows.summaries() }), name, hash: drawn.hash };
    },
  };
}
