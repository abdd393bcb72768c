/**
 * Keeps sensitive values out of the journal: what a sensitive step collected, and the values of sensitive variables,
 * are replaced wherever they turn up later. Structural masking (digits, results) happens where entries are made; this
 * is the net below it.
 */
import type { Json, JsonObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/types.ts';
import type { JournalEntry, RunInput } from './journal.ts';
import { MASK } from './journal.ts';

/** Shorter values would blank out half the journal; they are masked by structure only. */
const SHORTEST_VALUE = 3;

export class Mask {
  #values = new Set<string>();

  /** Learns every string and number inside `value`. */
  learn(value: Json | undefined): void {
    if (typeof value === 'string' || typeof value === 'number') {
      const text = String(value);
      if (text.length >= SHORTEST_VALUE && text !== MASK) this.#values.add(text);
    } else if (value !== null && typeof value === 'object') {
      for (const inner of Object.values(value)) this.learn(inner);
    }
  }

  /** `value` with every learnt text replaced; the same object when there is nothing to replace. */
  apply<T>(value: T): T {
    if (this.#values.size === 0) return value;
    return this.#masked(value as Json) as T;
  }

  #masked(value: Json): Json {
    if (typeof value === 'string') {
      let text = value;
      for (const secret of this.#values) if (text.includes(secret)) text = text.replaceAll(secret, MASK);
      return text;
    }
    if (typeof value === 'number') return this.#values.has(String(value)) ? MASK : value;
    if (Array.isArray(value)) return value.map((inner) => this.#masked(inner));
    if (value !== null && typeof value === 'object') {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#masked(inner)]));
    }
    return value;
  }
}

/** The entry with learnt values masked in its content; ids, names and numbers of our own stay as they are. */
export function maskEntry(entry: JournalEntry, mask: Mask): JournalEntry {
  switch (entry.kind) {
    case 'in':
      if (entry.input.type === 'http') {
        return { ...entry, input: { ...entry.input, reply: mask.apply(entry.input.reply) } };
      }
      if (entry.input.type === 'command') {
        return { ...entry, input: { ...entry.input, command: mask.apply(entry.input.command) } };
      }
      return entry;
    case 'rendered':
      return { ...entry, input: mask.apply(entry.input) };
    case 'command':
      if (entry.command.type === 'play') {
        return { ...entry, command: { ...entry.command, audio: mask.apply(entry.command.audio) } };
      }
      if (entry.command.type === 'send_digits') {
        return { ...entry, command: { ...entry.command, digits: mask.apply(entry.command.digits) } };
      }
      return entry;
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
        ...(entry.fault ? { fault: mask.apply(entry.fault) } : {}),
      };
    case 'vars':
      return { ...entry, set: mask.apply(entry.set) };
    case 'notified':
      return { ...entry, body: mask.apply(entry.body) };
    case 'log':
      return { ...entry, message: mask.apply(entry.message), fields: mask.apply(entry.fields) };
    default:
      return entry;
  }
}

/** What a sensitive request was answered is nobody's business. */
export function hideReply(input: RunInput): RunInput {
  return input.type === 'http' && input.reply.ok ? { ...input, reply: { ...input.reply, body: MASK } } : input;
}

/** The variables with those that the flow declares sensitive masked. */
export function hideSensitive(vars: JsonObject, flow: CompiledFlow): JsonObject {
  return Object.fromEntries(
    Object.entries(vars).map(([name, value]) => [name, flow.vars[name]?.sensitive ? MASK : value]),
  );
}
