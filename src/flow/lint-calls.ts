/**
 * What goes wrong when others are called, when flows run beside each other, and when a call is kept: a caller who talked
 * is told that nobody is there, two voices at once, a card number on a recording.
 */
import { naming } from '../core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { below, type Complaint } from './document.ts';
import type { Draft, DraftStep } from './draft.ts';
import { circle } from './lint-steps.ts';
import { wordOf } from './routes.ts';
import { didYouMean } from './suggest.ts';
import { END } from './types.ts';

export function* lintCalls(draft: Draft): Generator<Complaint> {
  for (const step of draft.steps.values()) {
    yield* saidToBoth(step, draft);
    if (step.spec.verb === 'parallel') yield* branches(step, draft);
  }
  yield* keptSecrets(draft);
}

/** The step that reaches somebody, and the outcome of those who did. */
const REACHED: Readonly<Record<string, string>> = { bridge: 'completed', transfer: 'transferred', queue: 'dequeued' };
/** Verbs that speak to the caller as if nobody had. */
const EXCUSES = ['play', 'record', 'collect', 'menu'];

function* saidToBoth({ spec, compiled, pointer }: DraftStep, { steps }: Draft): Generator<Complaint> {
  const talked = REACHED[spec.verb];
  const target = talked === undefined ? undefined : compiled.exits[talked];
  if (talked === undefined || target === undefined || target === END) return;
  if (!EXCUSES.includes(steps.get(target)?.spec.verb ?? '')) return;
  const failure = Object.entries(compiled.exits).find(
    ([outcome, exit]) => exit === target && /^(failed|timeout|full)\b/.test(outcome),
  );
  if (failure === undefined) return;
  yield {
    code: 'same-after-talk',
    message: naming`callers who talked go to ${target}, as those do who reached nobody (${failure[0]})`,
    pointer,
    atKey: true,
    severity: 'warning',
    hint: `route ${talked} to another step`,
  };
}

/** Flows that run beside each other are there, and one of them at most has the caller's ear. */
function* branches({ argsPointer, compiled }: DraftStep, draft: Draft): Generator<Complaint> {
  const { knownFlows } = draft.options;
  const written = isObject(compiled.args) ? compiled.args['branches'] : undefined;
  if (!isObject(written) || knownFlows === undefined) return;
  let heard: string | undefined;
  for (const [name, branch] of Object.entries(written)) {
    const flow = wordOf(branch, 'flow');
    if (flow === undefined) continue;
    const at = below(`${argsPointer}/branches`, name);
    const pointer = isObject(branch) ? `${at}/flow` : at;
    const summary = knownFlows.get(flow);
    if (summary === undefined && flow !== draft.flow.name) {
      const hint = didYouMean(flow, knownFlows.keys());
      const complaint: Complaint = { code: 'unknown-flow', message: naming`there is no flow ${flow}`, pointer };
      yield hint === undefined ? complaint : { ...complaint, hint };
    }
    yield* circle(flow, draft.flow.name, knownFlows, pointer);
    if (!summary?.heard) continue;
    if (heard === undefined) heard = name;
    else {
      yield {
        code: 'both-heard',
        message: naming`${heard} and ${name} both speak to the caller, at the same time`,
        pointer,
        severity: 'warning',
        hint: 'let one of them speak, and the others work',
      };
    }
  }
}

/** Verbs that keep what is said, their actions that begin it, and those that end it. */
const KEEPERS = ['recording', 'stream', 'transcribe'];
const BEGINS = ['start', 'resume'];
const ENDS = ['stop', 'pause'];

/** What is kept of a call from a step on, where it comes by a step that takes what is sensitive. */
function* keptSecrets({ steps }: Draft): Generator<Complaint> {
  for (const [name, step] of steps) {
    const { verb } = step.spec;
    if (!KEEPERS.includes(verb) || !BEGINS.includes(actionOf(step.compiled.args))) continue;
    const exposed = firstSensitive(steps, name, verb);
    if (exposed === undefined) continue;
    const hint =
      verb === 'recording'
        ? `pause it before ${exposed}: { recording: pause }`
        : `stop it before ${exposed}: { ${verb}: stop }`;
    yield {
      code: 'sensitive-kept',
      message: `the ${KEPT[verb]} goes on while ${naming`${exposed}`} takes what is sensitive`,
      pointer: step.pointer,
      atKey: true,
      severity: 'warning',
      hint,
    };
  }
}

const KEPT: Readonly<Record<string, string>> = { recording: 'recording', stream: 'stream', transcribe: 'transcript' };

const actionOf = (args: Json): string => {
  const action = isObject(args) ? (args as JsonObject)['action'] : args;
  return typeof action === 'string' ? action : '';
};

/** The first step on some way from `from` that takes what is sensitive while `verb` keeps the call. */
function firstSensitive(steps: ReadonlyMap<string, DraftStep>, from: string, verb: string): string | undefined {
  const seen = new Set([from]);
  const queue = ways(steps.get(from)!);
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const step = steps.get(name);
    if (step === undefined || seen.has(name)) continue;
    seen.add(name);
    if (step.spec.verb === verb && ENDS.includes(actionOf(step.compiled.args))) continue;
    if (step.compiled.sensitive && step.spec.media) return name;
    queue.push(...ways(step));
  }
  return undefined;
}

/** A start that failed keeps nothing. */
const ways = ({ compiled, spec }: DraftStep): string[] =>
  Object.entries(compiled.exits).flatMap(([outcome, target]) =>
    KEEPERS.includes(spec.verb) && outcome === 'failed' ? [] : [target],
  );
