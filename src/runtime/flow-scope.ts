/** What expressions, templates and prompts of a flow see of the call they are on. */

import type { CpuLease } from '../core/cpu-scheduler.ts';
import { type Fault, fault } from '../core/fault.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { AudioItem } from '../core/leg.ts';
import type { CompiledStep, EvaluationContext, Scope } from '../flow/compiled-flow.ts';
import { compileExpression, evaluate, isTrue } from '../flow/expression.ts';
import { resolvePrompt } from '../flow/flow-library.ts';
import { compileTemplate, renderTemplate } from '../flow/template.ts';
import type { FlowFrame } from './flow-frame.ts';
import type { CallRecord } from './journal.ts';

/** What the call gives its flows to see. */
export interface CallSight {
  readonly record: CallRecord;
  /** The time of day. */
  readonly wallMs: number;
  /** The event for which the flow was interrupted last. */
  readonly event: { name: string; data: Json } | undefined;
  random(): number;
  /** Lets others have their turn, where that is due. */
  rest(): Promise<void> | undefined;
  /** The project's share of the processor. */
  share(): CpuLease | Promise<CpuLease> | undefined;
}

export interface FlowSight {
  env: JsonObject;
  secrets: JsonObject;
  schedules: Readonly<Record<string, Json>>;
  locale: string;
}

export class FlowScope {
  readonly #call: CallSight;
  readonly #flows: FlowSight;
  /** The flow being carried out. */
  readonly #frame: () => FlowFrame | undefined;
  /** The call as it was seen last: only these two can change. */
  #known: { event: CallSight['event']; locale: string; scope: JsonObject } | undefined;

  constructor(call: CallSight, flows: FlowSight, frame: () => FlowFrame | undefined) {
    this.#call = call;
    this.#flows = flows;
    this.#frame = frame;
  }

  /** `call` in expressions; `call.event` is what an `event.NAME` interrupt came with: its `name` and `data`. */
  get callScope(): JsonObject {
    const { event, record } = this.#call;
    const locale = this.#frame()?.flow.locale ?? this.#flows.locale;
    const known = this.#known;
    if (known && known.event === event && known.locale === locale) return known.scope;
    const { callId, from, to, direction, startedMs } = record;
    const started = new Date(startedMs).toISOString();
    const scope = { id: callId, from, to, direction, locale, started, ...(event ? { event } : {}) };
    this.#known = { event, locale, scope };
    return scope;
  }

  /** `secrets` are seen only where the language allows it: in what is rendered on entry. */
  variables(result?: Json, options: { withSecrets?: boolean } = {}): Scope {
    const frame = this.#frame();
    return {
      input: frame?.input ?? {},
      call: this.callScope,
      vars: frame?.vars ?? {},
      steps: frame?.results ?? {},
      env: this.#flows.env,
      ...(result === undefined ? {} : { result }),
      ...(options.withSecrets ? { secrets: this.#flows.secrets } : {}),
    };
  }

  get evaluation(): EvaluationContext {
    const call = this.#call;
    return {
      nowMs: call.wallMs,
      random: () => call.random(),
      yieldTurn: () => call.rest(),
      acquireCpu: () => call.share(),
    };
  }

  locale(step: CompiledStep | undefined): string {
    return step?.locale ?? this.#frame()?.flow.locale ?? this.#flows.locale;
  }

  prompt(written: Json, step?: CompiledStep): AudioItem[] {
    const locale = this.locale(step);
    const found = resolvePrompt(this.#frame()!.flow, written, locale);
    if ('missing' in found) throw new MissingPrompt(found.missing, locale);
    return found.items;
  }

  render(written: Json, result: Json | undefined): Promise<Json> {
    return renderTemplate(compileTemplate(written), this.variables(result), this.evaluation);
  }

  async test(source: string, result: Json | undefined): Promise<boolean> {
    const expression = compileExpression(source);
    if ('error' in expression) throw new Error(`an unchecked expression reached the call: ${expression.error.message}`);
    return isTrue(await evaluate(expression, this.variables(result), this.evaluation));
  }

  schedule(name: string): Json | undefined {
    return this.#frame()?.flow.schedules[name] ?? this.#flows.schedules[name];
  }
}

class MissingPrompt extends Error {
  readonly fault: Fault;
  constructor(key: string, locale: string) {
    super(`prompt ${key} has no audio or text for ${locale}`);
    this.fault = fault('prompt_missing', this.message);
  }
}
