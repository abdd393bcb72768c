/** Tool calls of an AI agent: tools end its step; lookups are HTTP requests whose responses the agent receives. */
import type { AssistantTool } from '../../base/core/assistant.ts';
import { FaultError, fault, faultIn } from '../../base/core/fault.ts';
import type { HttpReply } from '../../base/core/http-exchange.ts';
import { isObject, type Json, type JsonObject, mapValues } from '../../base/core/json.ts';
import { MASK } from '../../base/core/mask-url.ts';
import { compileCheck } from '../../base/schema/compile-check.ts';
import { childPointer } from '../../base/schema/document.ts';
import { durationMs } from '../../language/steps/arguments.ts';
import { requestHeaders } from '../../language/steps/http-request.ts';
import type { StepContext } from '../../language/steps/step.ts';
import type { AssistantArgs } from '../../language/steps/verb-types.ts';
import { argumentsSchema } from './arguments-schema.ts';

/** Maximum number of invalid calls in one conversation; the step fails on the next one. */
const MAX_MISTAKES = 8;
/** Maximum number of lookups in one conversation, and at the same time. */
const MAX_LOOKUPS = 100;
const MAX_AT_ONCE = 4;
/** Maximum response of a service, in characters of JSON; the agent receives an error for a longer one. */
const MAX_ANSWER_LENGTH = 32_768;
const LOOKUP_TIMEOUT = '5s';

interface Declared {
  description: string;
  arguments?: Record<string, JsonObject>;
}
type Lookup = AssistantArgs['lookups'][string];

export const toolsOf = (declared: Record<string, Declared>): AssistantTool[] =>
  Object.entries(declared).map(([name, { description, arguments: args = {} }]) => ({
    name,
    description,
    parameters: argumentsSchema(args),
  }));

export class AgentCalls {
  readonly #context: StepContext<AssistantArgs>;
  readonly #assistantId: string;
  /** Pending requests by id, with the tool call to answer and its lookup. */
  readonly #requests = new Map<string, { callId: string; lookup: Lookup }>();
  #mistakes = 0;
  #lookups = 0;

  constructor(context: StepContext<AssistantArgs>, assistantId: string) {
    this.#context = context;
    this.#assistantId = assistantId;
  }

  /** True while a lookup is pending. */
  get isAnswering(): boolean {
    return this.#requests.size > 0;
  }

  /** Returns the checked arguments of a tool call. Lookups are started and invalid calls answered with an error. */
  async take(callId: string, name: string, given: Json): Promise<JsonObject | undefined> {
    const { tools, lookups } = this.#context.input;
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
    const lookup = Object.hasOwn(lookups, name) ? lookups[name] : undefined;
    const declared = tool ?? lookup;
    if (!declared) {
      this.refuse(callId, `there is no tool ${name.slice(0, 64)}`);
      return undefined;
    }
    const args = checkedArguments(declared, given);
    if (typeof args === 'string') this.refuse(callId, args);
    else if (tool) return args;
    else await this.#lookUp(callId, name, lookup!, args);
    return undefined;
  }

  refuse(callId: string, error: string, { isMistake = true } = {}): void {
    this.#answer(callId, { error }, true);
    if (isMistake && ++this.#mistakes > MAX_MISTAKES) {
      throw new FaultError(fault('agent_confused', `the agent called tools in wrong ways: ${error}`));
    }
  }

  /** Passes the response of a service to the agent. */
  replied(requestId: string, reply: HttpReply): void {
    const asked = this.#requests.get(requestId);
    if (!asked) return;
    this.#requests.delete(requestId);
    const answer = answerOf(asked.lookup, reply);
    this.#answer(asked.callId, answer.body, answer.isError);
  }

  async #lookUp(callId: string, name: string, lookup: Lookup, args: JsonObject): Promise<void> {
    if (++this.#lookups > MAX_LOOKUPS || this.#requests.size >= MAX_AT_ONCE) {
      return this.refuse(callId, 'too many lookups', { isMistake: false });
    }
    const { step } = this.#context;
    const request = await this.#rendered(name, lookup, args);
    if (typeof request === 'string') return this.refuse(callId, request);
    const { get, post, body, timeout = LOOKUP_TIMEOUT } = request;
    const requestId = this.#context.http({
      name: `${step}.${name}`,
      method: get === undefined ? 'POST' : 'GET',
      url: String(get ?? post),
      headers: mapValues(requestHeaders(request), String),
      timeoutMs: durationMs(timeout),
      ...(body !== undefined && { body }),
    });
    this.#requests.set(requestId, { callId, lookup });
  }

  /** Renders the request of a lookup; returns the problem of arguments that would change the path of its URL. */
  async #rendered(name: string, { request }: Lookup, args: JsonObject): Promise<Lookup['request'] | string> {
    try {
      const at = `${childPointer('/lookups', name)}/request`;
      return (await this.#context.render(request as Json, at, { arguments: args })) as Lookup['request'];
    } catch (error) {
      const carried = faultIn(error);
      if (carried?.code === 'expression-url') return carried.message;
      throw error;
    }
  }

  #answer(callId: string, answer: Json, isError: boolean): void {
    this.#context.leg.send({
      type: 'answer_assistant',
      assistantId: this.#assistantId,
      callId,
      answer,
      isError,
    });
  }
}

/** Returns the arguments with defaults, or an error message for the agent. */
function checkedArguments({ arguments: declared = {} }: Declared, given: Json): JsonObject | string {
  // Replay of a sensitive step. A live agent cannot send the mask, because its arguments are an object.
  if (given === MASK) return {};
  if (!isObject(given)) return 'the arguments are not an object';
  const defaults = Object.entries(declared).filter(([name, schema]) => {
    return schema['default'] !== undefined && given[name] === undefined;
  });
  const args = { ...Object.fromEntries(defaults.map(([name, schema]) => [name, schema['default']!])), ...given };
  const problem = compileCheck(argumentsSchema(declared))(args);
  return problem === undefined ? args : `the arguments do not fit: ${problem}`;
}

function answerOf({ returns }: Lookup, reply: HttpReply): { body: Json; isError: boolean } {
  const error = (message: string) => ({ body: { error: message }, isError: true });
  if (!reply.ok) return error(reply.reason === 'timeout' ? 'no answer in time' : 'the service cannot be reached');
  if (reply.status === 404) return error('not found');
  if (reply.status >= 300) return error(`the service answered ${reply.status}`);
  if (returns !== undefined && compileCheck(returns)(reply.body) !== undefined) return error('the answer is of no use');
  if (JSON.stringify(reply.body).length > MAX_ANSWER_LENGTH) return error('the answer is too long');
  return { body: reply.body, isError: false };
}
