/**
 * One running flow of a call: its input, variables and results, its routes, and the scope of its expressions and
 * prompts.
 */
import { type Fault, FaultError, fault } from '../../base/core/fault.ts';
import { defined, type Json, type JsonObject, mapValues } from '../../base/core/json.ts';
import type { AudioItem } from '../../base/core/leg.ts';
import { withLists } from '../../language/flow/argument-places.ts';
import {
  type CompiledFlow,
  type CompiledStep,
  END,
  type EvaluationContext,
  type ItemNames,
  type Scope,
  type TemplatePlaces,
  type VoiceSettings,
} from '../../language/flow/compiled-flow.ts';
import { defaultsOf } from '../../language/flow/declared-values.ts';
import { compileExpression, evaluate, isTrue } from '../../language/flow/expression.ts';
import { resolvePrompt } from '../../language/flow/flow-library.ts';
import { flowSeenFrom } from '../../language/flow/local-flows.ts';
import { compileTemplate, renderTemplate } from '../../language/flow/template.ts';
import type { StepResult } from '../../language/steps/step.ts';
import type { CallContext } from './call-context.ts';
import { MASK } from './journal.ts';
import { MAX_FRAMES } from './limits.ts';
import type { FlowRequest, StepRun } from './step-run.ts';

/** `secrets`: pointers, below the written value, at which secrets may be used. */
interface RenderOptions {
  names?: ItemNames | undefined;
  secrets?: readonly string[] | undefined;
  places: TemplatePlaces;
  locale: string;
}

export class FlowFrame {
  readonly flow: CompiledFlow;
  readonly input: JsonObject;
  readonly vars: JsonObject;
  /** Last results by step. */
  readonly results: JsonObject = {};
  /** Count of entries by step; an object, because a map takes room for several at once. */
  readonly #counts: Record<string, number> = {};
  /** True once it has entered a step. */
  hasBegun = false;
  stepRun: StepRun | undefined;
  /** Steps of this flow, and of those that it calls and starts, for its limit. */
  stepCount = 0;
  /** True if the flow has handled the hang-up, or began after it. */
  isHangupRouted = false;
  readonly #call: CallContext;
  /** Language and voice of the flow at its latest step, without changes by `set`. */
  ownVoiceSettings: VoiceSettings;
  /** Cached `call` scope, with the values on which it depends. */
  #callData: { changing: readonly unknown[]; data: JsonObject } | undefined;

  constructor(call: CallContext, { flow, input, voiceSettings }: FlowRequest) {
    this.#call = call;
    this.flow = flow;
    this.input = { ...defaultsOf(flow.input), ...input };
    this.vars = defaultsOf(flow.vars);
    this.ownVoiceSettings = voiceSettings ?? { locale: flow.locale, voice: flow.voice };
  }

  /** `call` in expressions; `call.event` is the `name` and `data` of the latest `event.NAME` interrupt. */
  get callData(): JsonObject {
    const { event, headers, record } = this.#call;
    const { locale, voice } = this.voiceSettings;
    const changing = [event, headers, locale, voice];
    const last = this.#callData;
    if (last?.changing.every((value, index) => value === changing[index])) return last.data;
    const { callId, from, to, direction, startedMs } = record;
    const started = new Date(startedMs).toISOString();
    const more = { ...(headers ? { headers: { ...headers } } : {}), ...(event ? { event } : {}) };
    const data = { id: callId, from, to, direction, locale, voice, started, ...more };
    this.#callData = { changing, data };
    return data;
  }

  /** Scope of expressions. `withSecrets` only where the language allows it: in arguments rendered on entry. */
  scope(result?: Json, options: { withSecrets?: boolean } = {}): Scope {
    const { env, secrets } = this.#call.spec;
    const { queue } = this.#call.memberships;
    return {
      input: this.input,
      call: this.callData,
      vars: this.vars,
      steps: this.results,
      env,
      ...(queue ? { queue } : {}),
      ...(result === undefined ? {} : { result }),
      ...(options.withSecrets ? { secrets } : {}),
    };
  }

  get timezone(): string | undefined {
    return this.flow.timezone ?? this.#call.spec.timezone;
  }

  get evaluation(): EvaluationContext {
    const call = this.#call;
    return {
      nowMs: call.clock.wallMs,
      timezone: this.timezone,
      locale: String(this.callData['locale']),
      random: () => call.random(),
      yieldTurn: () => call.ports.yieldTurn?.(),
      acquireCpu: () => call.ports.cpuScheduler?.acquire(call.record.projectId),
    };
  }

  /** Default language and voice of steps. */
  get voiceSettings(): VoiceSettings {
    return { ...this.ownVoiceSettings, ...this.#call.voiceSettings };
  }

  prompt(written: Json, { locale, voice }: VoiceSettings): AudioItem[] {
    const { prompts, file, locale: usual } = this.flow;
    const found = resolvePrompt({ prompts, file, locale: usual, voice }, written, locale);
    if ('missing' in found) {
      throw new FaultError(fault('prompt_missing', `prompt ${found.missing} has no audio or text for ${locale}`));
    }
    const { items, otherwise } = found;
    if (otherwise) {
      const message = `the prompt ${otherwise.key} is not there in ${locale}, and is heard in ${otherwise.locale}`;
      this.#call.diagnoseOnce('prompt_language', message);
    }
    return items;
  }

  render(written: Json, result: Json | undefined, { names, secrets, places, locale }: RenderOptions): Promise<Json> {
    const template = compileTemplate(written, defined({ secrets, places }));
    const scope = { ...this.scope(result, { withSecrets: secrets !== undefined }), ...names };
    return renderTemplate(template, scope, { ...this.evaluation, locale });
  }

  async test(source: string, result: Json | undefined): Promise<boolean> {
    const expression = compileExpression(source);
    if ('error' in expression) throw new Error(`an unchecked expression reached the call: ${expression.error.message}`);
    return isTrue(await evaluate(expression, this.scope(result), this.evaluation));
  }

  /** Counts one more entry of the step, and returns the count. */
  countEntry(step: string): number {
    const count = (Object.hasOwn(this.#counts, step) ? this.#counts[step]! : 0) + 1;
    this.#counts[step] = count;
    this.hasBegun = true;
    return count;
  }

  // Routing

  routes(step: CompiledStep, outcome: string): boolean {
    return this.flow.machine.next(step.name, outcome) !== undefined;
  }

  /** Reason why the flow cannot follow this result, which comes from an application or another flow. */
  unroutable(step: CompiledStep, { outcome, goto, ends }: StepResult): Fault | undefined {
    if (goto !== undefined) {
      const isKnown = goto === END || this.flow.steps.has(goto);
      return isKnown ? undefined : fault('unknown_step', `there is no step ${goto.slice(0, 64)} to go to`);
    }
    if (ends || outcome === 'error' || this.routes(step, outcome)) return undefined;
    return fault('unrouted_outcome', `nothing routes the outcome ${outcome} of ${step.name}`);
  }

  /** The next step, or `$end`. A hang-up is routed once in each flow: by its step, else by the flow's interrupt. */
  targetOf(step: CompiledStep, { outcome, goto }: StepResult): string {
    if (goto !== undefined) return goto;
    const target = this.flow.machine.next(step.name, outcome) ?? END;
    if (outcome !== 'hangup') return target;
    if (this.isHangupRouted) return END;
    const chosen = target === END ? (this.flow.events['hangup'] ?? END) : target;
    this.isHangupRouted = chosen !== END;
    return chosen;
  }
}

/** Resolves the flow that a step requests. Returns a fault if it cannot be run with this input. */
export function requestFlow(
  call: CallContext,
  {
    by,
    named,
    input,
    voiceSettings,
  }: { by: CompiledFlow; named: string | JsonObject; input: JsonObject; voiceSettings: VoiceSettings },
): FlowRequest | { fault: Fault } {
  const flow = typeof named === 'string' ? flowSeenFrom(by, named, call.ports.flow) : call.ports.flow(named);
  if (!flow) {
    return { fault: fault('unknown_flow', `there is no flow ${typeof named === 'string' ? named : 'as given'}`) };
  }
  if (call.openFlows >= MAX_FRAMES) {
    return { fault: fault('too_deep', `more than ${MAX_FRAMES} flows call each other`) };
  }
  const given = mapValues(input, (value, name) =>
    Object.hasOwn(flow.input, name) ? withLists(flow.input[name]!.schema, value)! : value,
  );
  const wrong = inputFault(flow, given);
  if (wrong) return { fault: wrong };
  call.mask.learnVariables(given, flow.input);
  return { flow, input: given, voiceSettings };
}

function inputFault(flow: CompiledFlow, input: JsonObject): Fault | undefined {
  for (const [name, value] of Object.entries(input)) {
    // In a replay a sensitive value is its mask, which matches no schema.
    if (Object.hasOwn(flow.input, name) && JSON.stringify(value).includes(MASK)) continue;
    const wrong = flow.checkInput(name, value);
    if (wrong !== undefined) return fault('invalid_input', `input ${name.slice(0, 64)} of ${flow.name}: ${wrong}`);
  }
  return undefined;
}
