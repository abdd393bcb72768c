/**
 * The verb `assistant`: an AI agent talks to the caller and can end the step only by calling a declared tool.
 * `tools.ts` checks and answers its tool calls; `media/telephony/media/agents` connects the agent to the leg.
 *
 * Invariants
 *  - a tool becomes the outcome only if its arguments match their schemas;
 *  - text of the agent is data and is never rendered as a template;
 *  - invalid calls and lookups are limited in number; `limits` bounds the duration, silence and turns.
 */
import type { AssistantOptions, InlineAgent } from '../../base/core/assistant.ts';
import { FaultError, fault } from '../../base/core/fault.ts';
import type { Json, JsonObject } from '../../base/core/json.ts';
import { durationMs } from '../../language/steps/arguments.ts';
import { requestHeaders } from '../../language/steps/http-request.ts';
import { ensureAnswered } from '../../language/steps/playback.ts';
import {
  defineStep,
  namedOutcome,
  type ResultOf,
  type StepContext,
  type StepEvent,
  type Wait,
  type Waiting,
} from '../../language/steps/step.ts';
import type { AssistantArgs, AssistantOutcome } from '../../language/steps/verb-types.ts';
import { until } from '../../language/steps/waiting.ts';
import { AgentCalls, toolsOf } from './tools.ts';

/** Maximum time for which the agent may finish its current utterance after it called a tool. */
const LAST_WORDS_MS = 15_000;

type Context = StepContext<AssistantArgs>;
type Result = ResultOf<AssistantOutcome>;

export const step = defineStep<AssistantArgs, AssistantOutcome>({
  verb: 'assistant',
  async *run(context) {
    yield* ensureAnswered(context);
    return yield* new AssistantDialogue(context).run();
  },
});

class AssistantDialogue {
  readonly #context: Context;
  readonly #id: string;
  readonly #startMs: number;
  readonly #calls: AgentCalls;
  readonly #speaks = { agent: false, caller: false };
  /** Start of the current silence of caller and agent. */
  #quietMs: number;
  #lastSpoke: 'agent' | 'caller' | undefined;
  #turns = 0;
  #lines = 0;
  /** Result of the tool that ends the step, returned once the agent has finished its utterance. */
  #leaving: { result: Result; dueMs: number } | undefined;

  constructor(context: Context) {
    this.#context = context;
    this.#id = context.leg.request({ type: 'assistant', ...optionsOf(context) });
    this.#startMs = context.now();
    this.#quietMs = this.#startMs;
    this.#calls = new AgentCalls(context, this.#id);
  }

  async *run(): Waiting<Result> {
    for (;;) {
      const result = this.#overdue() ?? (await this.#onEvent(yield this.#wait()));
      if (result) return result;
    }
  }

  #wait(): Wait {
    const keys: Wait = this.#context.input.keys ? { digits: { claims: '' } } : {};
    return { ...until(this.#context, this.#dueMs()), ...keys };
  }

  #dueMs(): number {
    const { duration } = this.#context.input.limits;
    const silentMs = this.#silentUntilMs() ?? Number.POSITIVE_INFINITY;
    const leavingMs = this.#leaving?.dueMs ?? Number.POSITIVE_INFINITY;
    return Math.min(this.#startMs + durationMs(duration), silentMs, leavingMs);
  }

  /** Deadline of `limits.silence`. Undefined while caller or agent speaks, or the agent waits for a lookup. */
  #silentUntilMs(): number | undefined {
    if (this.#speaks.agent || this.#speaks.caller || this.#calls.isAnswering || this.#leaving) return undefined;
    return this.#quietMs + durationMs(this.#context.input.limits.silence);
  }

  #overdue(): Result | undefined {
    const nowMs = this.#context.now();
    if (this.#leaving && (!this.#speaks.agent || nowMs >= this.#leaving.dueMs)) return this.#leaving.result;
    if (nowMs >= this.#startMs + durationMs(this.#context.input.limits.duration)) return this.#ended('limit.duration');
    if (nowMs >= (this.#silentUntilMs() ?? Number.POSITIVE_INFINITY)) return this.#ended('limit.silence');
    return undefined;
  }

  async #onEvent(event: StepEvent): Promise<Result | undefined> {
    const { leg } = this.#context;
    switch (event.type) {
      case 'assistant_started':
        this.#quietMs = this.#context.now();
        return undefined;
      case 'assistant_turn':
        return this.#turn(event.who, event.speaks);
      case 'assistant_said':
        this.#lines++;
        return undefined;
      case 'assistant_called':
        return this.#called(event.callId, event.tool, event.arguments);
      case 'assistant_ended':
        if (event.reason === 'far') return this.#leaving?.result ?? this.#ended('done');
        // The call has ended: a `hangup` event follows.
        if (event.reason !== 'failed') return undefined;
        throw new FaultError(event.fault ?? fault('agent_failed', 'the agent broke off'));
      case 'digit':
        leg.send({ type: 'key_assistant', assistantId: this.#id, digit: event.digit });
        return undefined;
      case 'http':
        this.#calls.replied(event.requestId, event.reply);
        this.#quietMs = this.#context.now();
        return undefined;
      default:
        return undefined;
    }
  }

  #turn(who: 'agent' | 'caller', speaks: boolean): Result | undefined {
    this.#speaks[who] = speaks;
    this.#quietMs = this.#context.now();
    if (!speaks) return undefined;
    const isNew = this.#lastSpoke !== who;
    this.#lastSpoke = who;
    if (who !== 'caller' || !isNew || this.#leaving) return undefined;
    return ++this.#turns > this.#context.input.limits.turns ? this.#ended('limit.turns') : undefined;
  }

  async #called(callId: string, tool: string, given: Json): Promise<Result | undefined> {
    this.#quietMs = this.#context.now();
    if (this.#leaving) {
      this.#calls.refuse(callId, 'the conversation is over', { isMistake: false });
      return undefined;
    }
    const taken = await this.#calls.take(callId, tool, given);
    if (!taken) return undefined;
    const result = this.#ended(namedOutcome(tool), { tool, arguments: taken, tools: { [tool]: taken } });
    this.#leaving = { result, dueMs: this.#context.now() + LAST_WORDS_MS };
    return undefined;
  }

  #ended(outcome: AssistantOutcome, more: JsonObject = {}): Result {
    const duration = Math.round((this.#context.now() - this.#startMs) / 100) / 10;
    const turns = Math.min(this.#turns, this.#context.input.limits.turns);
    return { outcome, result: { ...more, turns, lines: this.#lines, duration } };
  }
}

function optionsOf({ input, step, locale, call }: Context): AssistantOptions {
  const { agent = '', instructions, barge_in: bargeIn, speaks_first: speaksFirst, tools, lookups } = input;
  const inline = (written: Exclude<typeof agent, string>): InlineAgent => ({
    ...written,
    headers: requestHeaders(input),
  });
  return {
    agent: typeof agent === 'string' ? agent : inline(agent),
    step,
    instructions,
    language: locale,
    tools: [...toolsOf(tools), ...toolsOf(lookups)],
    speaksFirst,
    bargeIn,
    start: { voice_id: call['id']!, from: call['from']!, to: call['to']! },
  };
}
