/**
 * Search in the steps and texts of all flows that calls use. The entries of a flow are made once for each version of
 * it, and scanned for each search; a long scan lets live calls have their turns.
 */
import { createEventLoopYield } from '../../../base/core/event-loop-yield.ts';
import { isObject, type Json } from '../../../base/core/json.ts';
import type { CompiledFlow } from '../../../language/flow/compiled-flow.ts';

export interface FlowHit {
  flow: string;
  /** Absent for a prompt of the flow. */
  step?: string;
  /** `step`: the name or the title matches; `text`: a text of the step; `prompt`: a named prompt of the flow. */
  kind: 'step' | 'text' | 'prompt';
  /** The matched text, cut to `MAX_SHOWN` characters around the match. */
  text: string;
}

export interface FlowSearch {
  /** Hits with all words, best first; at most `limit`. */
  search(wanted: string, limit: number): Promise<{ hits: FlowHit[]; hasMore: boolean }>;
}

interface Entry extends FlowHit {
  lower: string;
}

const MAX_SHOWN = 120;
/** Characters before the match that are shown. */
const SHOWN_BEFORE = 30;
/** Longer texts are searched up to this length. */
const MAX_TEXT = 4000;
/** A scan stops after so many hits; they are ordered, and the best are returned. */
const MAX_SCANNED_HITS = 1000;

export function createFlowSearch(flows: {
  names(): readonly string[];
  get(name: string): CompiledFlow | undefined;
}): FlowSearch {
  const known = new WeakMap<CompiledFlow, readonly Entry[]>();
  const entriesOf = (flow: CompiledFlow): readonly Entry[] => {
    const found = known.get(flow) ?? indexed(flow);
    known.set(flow, found);
    return found;
  };
  return {
    async search(wanted, limit) {
      const words = wanted.trim().toLowerCase().split(/\s+/);
      const hits: { entry: Entry; rank: number }[] = [];
      const rest = createEventLoopYield();
      for (const name of flows.names()) {
        const flow = flows.get(name);
        for (const entry of flow ? entriesOf(flow) : [])
          if (words.every((word) => entry.lower.includes(word))) hits.push({ entry, rank: rankOf(entry, words[0]!) });
        if (hits.length >= MAX_SCANNED_HITS) break;
        await rest();
      }
      hits.sort((one, other) => one.rank - other.rank);
      return {
        hits: hits.slice(0, limit).map(({ entry }) => shown(entry, words[0]!)),
        hasMore: hits.length > limit,
      };
    },
  };
}

/** Names of steps come before texts, and the beginning of a text before its middle. */
const rankOf = ({ kind, lower }: Entry, word: string): number =>
  (kind === 'step' ? 0 : 2) + (lower.startsWith(word) ? 0 : 1);

function indexed(flow: CompiledFlow): Entry[] {
  // A local flow, `MAIN/NAME`, is in the file of its main flow.
  const name = flow.name.split('/')[0]!;
  const entries: Entry[] = [];
  const add = (hit: Omit<FlowHit, 'flow'>): void =>
    void entries.push({ flow: name, ...hit, lower: hit.text.slice(0, MAX_TEXT).toLowerCase() });
  for (const step of flow.steps.values()) {
    const at = { step: step.name };
    add({ ...at, kind: 'step', text: step.label === undefined ? step.name : `${step.name}: ${step.label}` });
    for (const text of textsIn(step.args)) add({ ...at, kind: 'text', text });
  }
  for (const [prompt, entry] of Object.entries(flow.prompts.entries))
    for (const text of textsIn(entry as unknown as Json)) add({ kind: 'prompt', text: `${prompt}: ${text}` });
  return entries;
}

/** Strings with a letter or a digit, at any depth. */
function textsIn(value: Json): string[] {
  if (typeof value === 'string') return /[\p{L}\p{N}]/u.test(value) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

function shown({ lower, ...hit }: Entry, word: string): FlowHit {
  const from = Math.max(0, lower.indexOf(word) - SHOWN_BEFORE);
  const part = hit.text.slice(from, from + MAX_SHOWN).replace(/\s+/g, ' ');
  return { ...hit, text: `${from > 0 ? '…' : ''}${part}${from + MAX_SHOWN < hit.text.length ? '…' : ''}` };
}
