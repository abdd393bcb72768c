/**
 * Keeps sensitive values out of the journal: what a sensitive step collected, and the values of sensitive variables,
 * are replaced wherever they turn up. Structural masking (digits, results, credentials) happens where entries are made;
 * this is the net below it.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { LegCommand, LegEvent } from '../core/leg.ts';
import { maskUrl, maskUrls } from '../core/mask-url.ts';
import type { CompiledFlow, VariableSpec } from '../flow/compiled-flow.ts';
import { ANY_FLOW, type StepDefinition } from '../steps/step.ts';
import type { CallCommand, CallInput, JournalEntry } from './journal.ts';
import { MASK } from './journal.ts';

/** Shorter values would blank out half the journal; they are replaced only where they stand alone. */
const MIN_PART_LENGTH = 3;
const MIN_NUMBER_LENGTH = 4;
/** Every text of the journal is searched for every value: what a large answer holds beyond this is masked by structure only. */
const MAX_VALUES = 2_000;

export class Mask {
  /** Most calls have none. */
  #values: Set<string> | undefined;
  /** Values that are replaced inside of texts too, the longest first once sorted: one may be a part of another. */
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
    this.#sorted = false;
  }

  /** Learns the values of those variables that are declared sensitive. */
  learnVariables(values: JsonObject, specs: Readonly<Record<string, VariableSpec>>): void {
    for (const name in values) if (isSensitive(name, specs)) this.learn(values[name]);
  }

  /** `value` with every learnt text replaced; the same object when there is nothing to replace. */
  apply<T>(value: T): T {
    if (!this.#values || this.#values.size === 0) return value;
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

/** The entry with learnt values and URLs masked in its content; ids, names and numbers of our own stay as they are. */
export function maskEntry(entry: JournalEntry, mask: Mask): JournalEntry {
  return maskEntryUrls(maskValues(entry, mask));
}

/** What is secret in a URL masked: credentials, values of the query; also in entries of journals from before that was so. */
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

function maskValues(entry: JournalEntry, mask: Mask): JournalEntry {
  switch (entry.kind) {
    case 'started':
      return { ...entry, input: mask.apply(entry.input) };
    case 'in':
      return { ...entry, input: maskInput(entry.input, mask) };
    case 'rendered':
      return { ...entry, input: mask.apply(entry.input) };
    case 'command':
      return { ...entry, command: maskLegCommand(entry.command, mask) };
    case 'transcript':
      return { ...entry, text: mask.apply(entry.text) };
    case 'venue':
      return { ...entry, name: mask.apply(entry.name), data: mask.apply(entry.data) };
    case 'unjoined':
      return { ...entry, name: mask.apply(entry.name) };
    case 'request':
      return {
        ...entry,
        url: mask.apply(entry.url),
        ...(entry.body === undefined ? {} : { body: mask.apply(entry.body) }),
      };
    case 'left':
      return {
        ...entry,
        ...(entry.result === undefined ? {} : { result: mask.apply(entry.result) }),
        ...(entry.fault ? { fault: maskFault(entry.fault, mask) } : {}),
      };
    case 'vars':
      return { ...entry, set: mask.apply(entry.set) };
    case 'notified':
      return { ...entry, body: mask.apply(entry.body) };
    case 'log':
      return { ...entry, message: mask.apply(entry.message), fields: mask.apply(entry.fields) };
    case 'diagnostic':
      return { ...entry, message: mask.apply(entry.message) };
    case 'ended':
      return {
        ...entry,
        ...(entry.output === undefined ? {} : { output: mask.apply(entry.output) }),
        ...(entry.fault ? { fault: maskFault(entry.fault, mask) } : {}),
      };
    default:
      return entry;
  }
}

function maskLegCommand(command: LegCommand, mask: Mask): LegCommand {
  switch (command.type) {
    case 'play':
      return { ...command, audio: mask.apply(command.audio) };
    case 'hold':
      return { ...command, music: mask.apply(command.music) };
    case 'send_digits':
      return { ...command, digits: mask.apply(command.digits) };
    case 'listen':
      return { ...command, hints: mask.apply(command.hints) };
    case 'stream':
      return { ...command, url: mask.apply(command.url) };
    default:
      return command;
  }
}

function maskFault<F extends { message: string }>(fault: F, mask: Mask): F {
  return { ...fault, message: mask.apply(fault.message) };
}

function maskInput(input: CallInput, mask: Mask): CallInput {
  switch (input.type) {
    case 'command':
      return { ...input, command: maskCommand(input.command, mask) };
    case 'venue':
      return { ...input, data: mask.apply(input.data) };
    case 'leg':
      return { ...input, event: maskSpeech(input.event, mask) };
    case 'http': {
      const { reply } = input;
      return reply.ok
        ? { ...input, reply: { ...reply, headers: mask.apply(reply.headers), body: mask.apply(reply.body) } }
        : { ...input, reply: { ...reply, message: mask.apply(reply.message) } };
    }
    default:
      return input;
  }
}

/** What somebody said, as it was understood. */
function maskSpeech(event: LegEvent, mask: Mask): LegEvent {
  if (event.type === 'utterance') return { ...event, text: mask.apply(event.text) };
  if (event.type !== 'listen_ended' || event.text === undefined) return event;
  return { ...event, text: mask.apply(event.text) };
}

function maskCommand(command: CallCommand, mask: Mask): CallCommand {
  switch (command.type) {
    case 'play':
    case 'bridge':
    case 'transfer':
    case 'conference':
    case 'join_room':
      return { ...command, args: mask.apply(command.args) };
    case 'hold':
      return command.music === undefined ? command : { ...command, music: mask.apply(command.music) };
    case 'stream':
      return command.action === 'start' ? { ...command, url: mask.apply(command.url) } : command;
    case 'event':
      return { ...command, data: mask.apply(command.data) };
    case 'flow':
      return { ...command, input: mask.apply(command.input) };
    case 'outcome':
      return { ...command, set: mask.apply(command.set) };
    default:
      return command;
  }
}

/** What a sensitive step was answered, by a server, by keys or by voice, is nobody's business. */
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
      return { ...event, text: MASK };
    case 'listen_ended':
      return event.text === undefined ? event : { ...event, text: MASK };
    default:
      return event;
  }
}

/** The variables with those that are declared sensitive masked. */
export function maskSensitive(values: JsonObject, specs: Readonly<Record<string, VariableSpec>>): JsonObject {
  const shown = { ...values };
  for (const name in shown) if (isSensitive(name, specs)) shown[name] = MASK;
  return shown;
}

const isSensitive = (name: string, specs: Readonly<Record<string, VariableSpec>>): boolean =>
  Object.hasOwn(specs, name) && specs[name]!.sensitive;

/** Arguments in which expressions may use secrets: whatever these made of them must not be seen. */
const CREDENTIALS = ['headers', 'auth'];

/** The rendered arguments without what expressions put into the credentials. */
export function maskCredentials(rendered: Json, written: Json): Json {
  if (!isObject(rendered) || !isObject(written)) return rendered;
  const hidden = { ...rendered };
  for (const key of CREDENTIALS) {
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

export interface FlowSource {
  steps: ReadonlyMap<string, StepDefinition>;
  flow(flow: string | JsonObject): CompiledFlow | undefined;
}

/** Whether the flow, or one that it may call, has a step that takes sensitive input. */
export function collectsSensitive(flow: CompiledFlow, source: FlowSource, seen = new Set<CompiledFlow>()): boolean {
  if (seen.has(flow)) return false;
  seen.add(flow);
  return [...flow.steps.values()].some((step) => {
    if (step.sensitive) return true;
    const called = source.steps.get(step.verb)?.calls?.(step.args) ?? [];
    return called.some((name) => {
      const inner = name === ANY_FLOW ? undefined : source.flow(name);
      return name === ANY_FLOW || (inner !== undefined && collectsSensitive(inner, source, seen));
    });
  });
}
