/**
 * Keeps sensitive values out of the journal: results of sensitive steps and values of sensitive variables are replaced
 * wherever they occur. Digits, results and credentials are masked where their entries are created; this is a second
 * line of defence.
 */
import { isObject, type Json, type JsonObject, mapValues } from '../../base/core/json.ts';
import type { LegCommand, LegEvent } from '../../base/core/leg.ts';
import { maskUrl, maskUrls } from '../../base/core/mask-url.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { VariableSpec } from '../../language/flow/declared-values.ts';
import { flowSeenFrom } from '../../language/flow/local-flows.ts';
import { secretPlacesOf } from '../../language/flow/verb-facts.ts';
import { ANY_FLOW, type StepDefinition } from '../../language/steps/step.ts';
import { type CallCommand, type CallInput, type JournalEntry, MASK } from './journal.ts';

/** Shorter values would blank out much of the journal; they are replaced only as whole values. */
const MIN_PART_LENGTH = 3;
const MIN_NUMBER_LENGTH = 4;
/**
 * Every text of the journal is searched for every value: further values of a large response are masked only where
 * entries are created.
 */
const MAX_VALUES = 2_000;

export class Mask {
  /** Undefined until the first value, because most calls have none. */
  #values: Set<string> | undefined;
  /** Values that are also replaced within texts, longest first once sorted, because one may contain another. */
  #parts: string[] = [];
  #sorted = true;

  /** Learns every text and number inside `value`. */
  learn(value: Json | undefined, options: { shortNumbers?: boolean } = {}): void {
    if (typeof value === 'string') this.#learnText(value, value.length >= MIN_PART_LENGTH);
    else if (typeof value === 'number') {
      const text = String(value);
      const long = text.length >= MIN_NUMBER_LENGTH;
      if (long || options.shortNumbers !== false) this.#learnText(text, long);
    } else if (value !== null && typeof value === 'object') {
      for (const inner of Object.values(value)) this.learn(inner, options);
    }
  }

  #learnText(text: string, isPart: boolean): void {
    this.#values ??= new Set();
    if (text === '' || text.includes(MASK) || this.#values.has(text) || this.#values.size >= MAX_VALUES) return;
    this.#values.add(text);
    if (!isPart) return;
    this.#parts.push(text);
    // In its URL-encoded form.
    const encoded = encodeURIComponent(text.toWellFormed());
    if (encoded !== text) this.#parts.push(encoded);
    this.#sorted = false;
  }

  /** Learns the values of variables that are declared sensitive. */
  learnVariables(values: JsonObject, specs: Readonly<Record<string, VariableSpec>>): void {
    for (const name in values) if (isSensitive(name, specs)) this.learn(values[name]);
  }

  /** True if no value was learnt. */
  get isEmpty(): boolean {
    return this.#values === undefined || this.#values.size === 0;
  }

  /** `value` with every learnt text replaced; the same object if there is nothing to replace. */
  apply<T>(value: T): T {
    if (this.isEmpty) return value;
    if (!this.#sorted) this.#parts.sort((one, other) => other.length - one.length);
    this.#sorted = true;
    return this.#masked(value as Json) as T;
  }

  #masked(value: Json): Json {
    if (typeof value === 'string') {
      if (this.#values?.has(value)) return MASK;
      let text = value;
      for (const part of this.#parts) if (text.includes(part)) text = text.replaceAll(part, MASK);
      return text;
    }
    if (typeof value === 'number') return this.#values?.has(String(value)) ? MASK : value;
    if (Array.isArray(value)) return value.map((inner) => this.#masked(inner));
    if (isObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#masked(inner)]));
    }
    return value;
  }
}

/** The entry with learnt values and URLs masked in its content; internal ids, names and numbers are unchanged. */
export function maskEntry(entry: JournalEntry, mask: Mask): JournalEntry {
  return maskEntryUrls(maskValues(entry, mask));
}

/** Masks the credentials and the query of URLs; also used for journals recorded before URLs were masked. */
export function maskEntryUrls(entry: JournalEntry): JournalEntry {
  switch (entry.kind) {
    case 'started':
      return { ...entry, env: maskUrls(entry.env) };
    case 'rendered':
      return { ...entry, input: maskUrls(entry.input) };
    case 'request':
      return { ...entry, url: maskUrl(entry.url) };
    case 'command': {
      const { command } = entry;
      return command.type === 'stream' ? { ...entry, command: { ...command, url: maskUrl(command.url) } } : entry;
    }
    case 'in': {
      const { input } = entry;
      return input.type === 'command' ? { ...entry, input: { ...input, command: maskUrlsOf(input.command) } } : entry;
    }
    default:
      return entry;
  }
}

function maskUrlsOf(command: CallCommand): CallCommand {
  if (command.type === 'flow') return { ...command, flow: maskUrls(command.flow) };
  if (command.type === 'stream' && command.action === 'start') return { ...command, url: maskUrl(command.url) };
  return command;
}

type FieldsOf<Message, Key extends keyof Message> = Partial<Record<Message[Key] & string, readonly string[]>>;

/** Fields of entries, commands and events with content from callers, applications and servers. */
const ENTRY_FIELDS: FieldsOf<JournalEntry, 'kind'> = {
  started: ['input', 'headers'],
  dialled: ['headers'],
  rendered: ['input'],
  transcript: ['text'],
  venue: ['name', 'data'],
  unjoined: ['name'],
  request: ['url', 'body'],
  left: ['result'],
  vars: ['set'],
  notified: ['body'],
  log: ['message', 'fields'],
  diagnostic: ['message'],
  ended: ['output'],
};
const LEG_COMMAND_FIELDS: FieldsOf<LegCommand, 'type'> = {
  play: ['audio'],
  hold: ['music'],
  send_digits: ['digits'],
  listen: ['hints'],
  stream: ['url'],
  assistant: ['agent', 'tools'],
  answer_assistant: ['answer'],
  key_assistant: ['digit'],
  answer: ['headers'],
  reject: ['headers'],
  hangup: ['headers'],
  refer: ['headers'],
};
const CALL_COMMAND_FIELDS: FieldsOf<CallCommand, 'type'> = {
  play: ['args'],
  hangup: ['headers'],
  bridge: ['args'],
  transfer: ['args'],
  conference: ['args'],
  join_room: ['args'],
  hold: ['music'],
  stream: ['url'],
  event: ['data'],
  flow: ['input'],
  outcome: ['set'],
};
const LEG_EVENT_FIELDS: FieldsOf<LegEvent, 'type'> = {
  utterance: ['text'],
  listen_ended: ['text'],
  assistant_said: ['text'],
  assistant_called: ['arguments'],
  ringing: ['headers'],
  answered: ['headers'],
  referred: ['headers'],
  ended: ['headers'],
};
const REPLY_FIELDS = ['headers', 'body', 'message'];

function maskValues(entry: JournalEntry, mask: Mask): JournalEntry {
  if (mask.isEmpty) return entry;
  const masked = maskFields(entry, ENTRY_FIELDS[entry.kind], mask);
  switch (masked.kind) {
    case 'in':
      return { ...masked, input: maskInput(masked.input, mask) };
    case 'command':
      return { ...masked, command: maskFields(masked.command, LEG_COMMAND_FIELDS[masked.command.type], mask) };
    case 'left':
    case 'ended':
      return masked.fault ? { ...masked, fault: maskFields(masked.fault, ['message'], mask) } : masked;
    default:
      return masked;
  }
}

function maskInput(input: CallInput, mask: Mask): CallInput {
  switch (input.type) {
    case 'command':
      return { ...input, command: maskFields(input.command, CALL_COMMAND_FIELDS[input.command.type], mask) };
    case 'venue':
      return maskFields(input, ['data'], mask);
    case 'leg':
      return { ...input, event: maskFields(input.event, LEG_EVENT_FIELDS[input.event.type], mask) };
    case 'http':
      return { ...input, reply: maskFields(input.reply, REPLY_FIELDS, mask) };
    default:
      return input;
  }
}

function maskFields<Message extends object>(
  message: Message,
  fields: readonly string[] | undefined,
  mask: Mask,
): Message {
  if (!fields) return message;
  const masked = { ...message } as Record<string, unknown>;
  for (const field of fields) if (masked[field] !== undefined) masked[field] = mask.apply(masked[field]);
  return masked as Message;
}

/** Masks the answer to a sensitive step: from a server, by keys or by voice. */
export function maskAnswer(input: CallInput): CallInput {
  if (input.type === 'http') {
    return input.reply.ok ? { ...input, reply: { ...input.reply, headers: {}, body: MASK } } : input;
  }
  return input.type === 'leg' ? { ...input, event: maskCallerInput(input.event) } : input;
}

export function maskCallerInput(event: LegEvent): LegEvent {
  switch (event.type) {
    case 'digit':
      return { ...event, digit: MASK };
    case 'utterance':
    case 'assistant_said':
      return { ...event, text: MASK };
    case 'assistant_called':
      return { ...event, arguments: MASK };
    case 'listen_ended':
      return event.text === undefined ? event : { ...event, text: MASK };
    default:
      return event;
  }
}

/** Journal form of a conversation with an agent: without instructions and secrets. */
export function shownAssistant(command: Extract<LegCommand, { type: 'assistant' }>): LegCommand {
  const { agent } = command;
  if (typeof agent === 'string') return { ...command, instructions: MASK };
  const headers = mapValues(agent.headers, () => MASK);
  return { ...command, instructions: MASK, agent: { ...agent, url: maskUrl(agent.url), headers } };
}

/** Masks data that a sensitive step sends to an agent. */
export function withoutAnswers(command: LegCommand): LegCommand {
  if (command.type === 'answer_assistant') return { ...command, answer: MASK };
  return command.type === 'key_assistant' ? { ...command, digit: MASK } : command;
}

/** The variables, with the sensitive ones masked. */
export function maskSensitive(values: JsonObject, specs: Readonly<Record<string, VariableSpec>>): JsonObject {
  const shown = { ...values };
  for (const name in shown) if (isSensitive(name, specs)) shown[name] = MASK;
  return shown;
}

const isSensitive = (name: string, specs: Readonly<Record<string, VariableSpec>>): boolean =>
  Object.hasOwn(specs, name) && specs[name]!.sensitive;

/** The rendered arguments, with values of expressions in credentials masked. */
export function maskCredentials(verb: string, rendered: Json, written: Json): Json {
  const places = secretPlacesOf(verb);
  if (places.length === 0 || !isObject(rendered) || !isObject(written)) return rendered;
  const hidden = { ...rendered };
  // Arguments in which the step itself renders secrets are not rendered yet.
  for (const key of places.flatMap((at) => (at.lastIndexOf('/') === 0 ? [at.slice(1)] : []))) {
    const [found, source] = [rendered[key], written[key]];
    if (found !== undefined && source !== undefined) hidden[key] = withoutExpressions(found, source);
  }
  return hidden;
}

function withoutExpressions(rendered: Json, written: Json): Json {
  if (typeof written === 'string') return written.includes('${') ? MASK : rendered;
  if (!isObject(rendered) || !isObject(written)) return rendered;
  return Object.fromEntries(
    Object.entries(rendered).map(([key, value]) => [key, withoutExpressions(value, written[key] ?? null)]),
  );
}

/** Source of steps and flows by name. */
export interface FlowDirectory {
  steps: ReadonlyMap<string, StepDefinition>;
  flow(flow: string): CompiledFlow | undefined;
}

/** True if the flow, or one that it may call, has a step that takes sensitive input. */
export function collectsSensitive(flow: CompiledFlow, source: FlowDirectory, seen = new Set<CompiledFlow>()): boolean {
  if (seen.has(flow)) return false;
  seen.add(flow);
  return [...flow.steps.values()].some((step) => {
    const definition = source.steps.get(step.verb);
    if (step.sensitive || definition?.hidesKeys) return true;
    const called = definition?.calls?.(step.args) ?? [];
    return called.some((name) => {
      const inner = name === ANY_FLOW ? undefined : flowSeenFrom(flow, name, source.flow);
      return name === ANY_FLOW || (inner !== undefined && collectsSensitive(inner, source, seen));
    });
  });
}
