/**
 * Structured log: one wide line per event (`call.ended`, `step.left`, `delivery.attempted`), with a static message and
 * all variable data in fields. The only module that imports pino.
 * Invariants
 *  - digits and speech of callers, credentials and secrets never reach the stream: this module redacts them by key at
 *    any depth, so that no call site has to;
 *  - telephone numbers keep their last digits only, unless the installation disables that;
 *  - logging never throws, and its cost is bounded: depth, list length and text length are limited. If the output
 *    accepts no more lines (a closed terminal, a full disk), they are dropped and the service continues.
 */
import { destination, type Level, pino } from 'pino';
import { systemClock } from './clock.ts';
import { escapedCharacter } from './control-characters.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Returns a log that adds `fields` to each of its lines. */
  child(fields: LogFields): Log;
}

export interface LogOptions {
  level: LogLevel;
  /** True for human-readable lines instead of JSON. */
  pretty?: boolean;
  /** Destination of the lines; default: standard output. */
  stream?: { write(line: string): void };
  /** True to log whole telephone numbers instead of their last digits. */
  logNumbers?: boolean;
}

export const REDACTED = '[redacted]';

/** Matches any word of a key: `authToken`, `x-webhook-secret`, `collected_digits`. */
const SECRET_WORDS = new Set(
  (
    'authorization cookie cookies credential credentials digit digits dtmf password passwd passphrase pin secret ' +
    'secrets signature token transcript transcripts utterance'
  ).split(' '),
);
/** Matches two adjacent words of a key. */
const SECRET_PAIRS = new Set(['api key', 'app key', 'private key', 'secret key', 'signing key', 'typed ahead']);
/** Matches a whole key only: `text` is speech of a call, `contextId` is not. */
const SECRET_KEYS = new Set(['text', 'texts', 'say']);
/** Measures of a secret value are not secret: `digitCount`, `textLength`, `digitTimeoutMs`. */
const MEASURES = new Set(['count', 'length', 'ms', 'timeout', 'max', 'min']);
const NUMBER_KEYS = new Set('from to number numbers phone caller callee cli contact remoteparty'.split(' '));

const MAX_DEPTH = 8;
const MAX_ITEMS = 50;
const MAX_TEXT = 2000;
const MAX_CACHED_KEYS = 1000;
/** Limit of lines that wait for free disk space. */
const MAX_UNWRITTEN_BYTES = 8 * 1024 * 1024;

export function createLog(options: LogOptions): Log {
  const stream = options.stream ?? standardOutput();
  const out = options.pretty ? { write: (line: string) => stream.write(formatForPeople(line)) } : stream;
  const base = pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${new Date(systemClock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
    },
    out,
  );
  const redactor = { logNumbers: options.logNumbers ?? false };

  const logOf = (bound: LogFields): Log => {
    const write = (level: Level, message: string, fields: LogFields) => {
      if (!base.isLevelEnabled(level)) return;
      base[level]({ ...bound, ...redact(fields, redactor) }, message.slice(0, MAX_TEXT));
    };
    return {
      debug: (message, fields = {}) => write('debug', message, fields),
      info: (message, fields = {}) => write('info', message, fields),
      warn: (message, fields = {}) => write('warn', message, fields),
      error: (message, fields = {}) => write('error', message, fields),
      child: (fields) => logOf({ ...bound, ...redact(fields, redactor) }),
    };
  };
  return logOf({});
}

/** On a busy service, lines are collected for this time; after a pause, a line is written at once. */
const GATHER_MS = 50;

/** Writes many lines at once, because a write costs more than its contents. */
function standardOutput(): { write(line: string): void } {
  const out = destination({ dest: 1, sync: true, maxLength: MAX_UNWRITTEN_BYTES });
  let isGone = false;
  out.on('error', ({ code }: NodeJS.ErrnoException) => {
    isGone ||= code === 'EIO';
  });
  let waiting = '';
  let writtenMs = Number.NEGATIVE_INFINITY;
  const flush = (): void => {
    const lines = waiting;
    waiting = '';
    writtenMs = systemClock.monotonicMs();
    if (lines !== '' && !isGone) out.write(lines);
  };
  process.once('exit', flush);
  return {
    write(line) {
      const isFirst = waiting === '';
      waiting += line;
      if (!isFirst) return;
      const dueMs = writtenMs + GATHER_MS - systemClock.monotonicMs();
      if (dueMs > 0) systemClock.after(dueMs, flush);
      else setImmediate(flush);
    },
  };
}

/** Returns a bounded plain copy of `fields` without secrets. */
export function redact(fields: LogFields, options: { logNumbers?: boolean } = {}): Record<string, unknown> {
  const path = new Set<object>();

  const copyEntries = (entries: Iterable<[string, unknown]>, depth: number): Record<string, unknown> => {
    const copied: Record<string, unknown> = {};
    let left = MAX_ITEMS;
    for (const [key, value] of entries) {
      if (left-- === 0) {
        copied['…'] = 'more';
        break;
      }
      // A key named __proto__ would set the copy's prototype.
      if (key === '__proto__') continue;
      copied[key] = isSecretKey(key) ? hide(value) : copyOf(value, key, depth);
    }
    return copied;
  };

  const copyOf = (value: unknown, key: string, depth: number): unknown => {
    switch (typeof value) {
      case 'string':
        return textOf(value, key);
      case 'number':
        return !options.logNumbers && isNumberKey(key) ? maskNumber(String(value)) : value;
      case 'bigint':
        return String(value);
      case 'function':
      case 'symbol':
        return `[${typeof value}]`;
      case 'object':
        break;
      default:
        return value;
    }
    if (value === null) return null;
    if (path.has(value)) return '[circular]';
    if (depth >= MAX_DEPTH) return '[deep]';
    path.add(value);
    try {
      return objectOf(value, key, depth + 1);
    } catch {
      // A getter threw: the rest of the line is still logged.
      return '[unreadable]';
    } finally {
      path.delete(value);
    }
  };

  const objectOf = (value: object, key: string, depth: number): unknown => {
    if (value instanceof Error) {
      const known = { type: value.name, message: value.message, stack: value.stack };
      const cause = value.cause === undefined ? {} : { cause: value.cause };
      return copyEntries(Object.entries({ ...known, ...cause, ...value }), depth);
    }
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    if (value instanceof Map) return copyEntries(textKeys(value), depth);
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
    if (Array.isArray(value) || value instanceof Set) {
      const items = [...value];
      const kept = items.slice(0, MAX_ITEMS).map((item) => copyOf(item, key, depth));
      return items.length > MAX_ITEMS ? [...kept, `… ${items.length - MAX_ITEMS} more`] : kept;
    }
    return copyEntries(Object.entries(value), depth);
  };

  const textOf = (text: string, key: string): string => {
    const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
    const clean = withoutUrlSecrets(short);
    return !options.logNumbers && isNumberKey(key) ? maskNumber(clean) : clean;
  };

  try {
    return copyEntries(Object.entries(fields), 0);
  } catch {
    return { fields: '[unreadable]' };
  }
}

function* textKeys(map: Map<unknown, unknown>): Iterable<[string, unknown]> {
  for (const [key, value] of map) yield [String(key), value];
}

const hide = (value: unknown): unknown => (value === undefined || value === null ? value : REDACTED);

/** `webhookSecret`, `x-api-key`, `APP_KEY` → lower-case words. */
const wordsOf = (key: string): string[] =>
  key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

/**
 * Caches the decision for each key. Keys may come from outside (flow variables, JSON bodies), so the cache is bounded.
 */
function cachedPerKey(judge: (words: string[]) => boolean): (key: string) => boolean {
  const verdicts = new Map<string, boolean>();
  return (key) => {
    const known = verdicts.get(key);
    if (known !== undefined) return known;
    const verdict = judge(wordsOf(key));
    if (verdicts.size < MAX_CACHED_KEYS) verdicts.set(key, verdict);
    return verdict;
  };
}

const isSecretKey = cachedPerKey((words) => {
  const whole = words.join('');
  if (SECRET_KEYS.has(whole) || /^(appkey|apikey|privatekey|typedahead)$/.test(whole)) return true;
  if (MEASURES.has(words.at(-1) ?? '')) return false;
  return words.some((word, at) => SECRET_WORDS.has(word) || SECRET_PAIRS.has(`${word} ${words[at + 1] ?? ''}`));
});

const isNumberKey = cachedPerKey(
  (words) => NUMBER_KEYS.has(words.join('')) || words.at(-1) === 'number' || words.at(-1) === 'phone',
);

/**
 * Keeps the last digits of a number, of the user part of a SIP URI or of any other text with digits: at most three, and
 * at most half of them.
 */
export function maskNumber(text: string): string {
  const at = text.indexOf('@');
  const user = at < 0 ? text : text.slice(0, at);
  const rest = at < 0 ? '' : text.slice(at);
  const digitCount = user.replace(/\D/g, '').length;
  let hidden = digitCount - Math.min(3, Math.floor(digitCount / 2));
  return user.replace(/\d/g, (digit) => (hidden-- > 0 ? '*' : digit)) + rest;
}

/** Removes userinfo and query of URLs, which may carry credentials. */
function withoutUrlSecrets(text: string): string {
  if (!text.includes('://')) return text;
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)([^\s"'<>]*)/gi, (_, scheme: string, rest: string) => {
    const queryAt = rest.search(/[?#]/);
    const before = queryAt < 0 ? rest : rest.slice(0, queryAt);
    const slashAt = before.indexOf('/');
    const authority = slashAt < 0 ? before : before.slice(0, slashAt);
    const userEnd = authority.lastIndexOf('@');
    return scheme + (userEnd < 0 ? before : before.slice(userEnd + 1)) + (queryAt < 0 ? '' : '?…');
  });
}

/** `12:00:00.000 warn  call.ended callId=… cause=16` from a JSON line. */
function formatForPeople(line: string): string {
  const { level, time, message, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const shown = Object.entries(fields).map(([key, value]) => `${key}=${fieldText(value)}`);
  return `${[String(time).slice(11, 23), String(level).padEnd(5), message, ...shown].join(' ')}\n`;
}

function fieldText(value: unknown): string {
  const text = typeof value === 'string' && /^[^\s"=\x00-\x1f]+$/.test(value) ? value : JSON.stringify(value);
  // JSON does not escape these characters, but terminals interpret some of them.
  return text?.replace(/[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, escapedCharacter);
}
