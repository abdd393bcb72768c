/**
 * Parses JSON bodies. An empty body counts as absent, whatever its content type.
 *
 * Invariants
 * J1 no object of a body has a key `__proto__`: it would change the prototype of a copy;
 * J2 the number of bytes and of lists and objects is limited, because the latter cost more than their bytes;
 * - requests that change something must be `application/json`, which forms of other sites cannot send.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import type { Json } from '../../base/core/json.ts';
import { ApiError, badJson } from './api-error.ts';
import { checkForwarded } from './forwarded-body.ts';
import { digestBody } from './idempotency.ts';

export const MAX_BODY_BYTES = 1_048_576;
/** Four for each number of the largest broadcast. Parsing a body of only brackets would take seconds. */
const MAX_BRACKETS = 400_000;
const BRACKETS = [0x5b, 0x7b];

export function jsonBody(maxBytes: number, type: (req: Request) => boolean = () => true): RequestHandler {
  const readAny = express.json({
    type: (req) => type(req as Request),
    limit: maxBytes,
    strict: false,
    verify: (req, _res, bytes) => inspect(req, bytes),
  });
  return (req, res, next) => {
    const isMeant = type(req);
    if (req.method !== 'GET' && isMeant) refuseOtherTypes(req.headers);
    const read = isMeant && isPlain(req.headers, maxBytes) ? readPlain : readAny;
    read(req, res, (error?: unknown) => {
      if (error === undefined && !Buffer.isBuffer(req.body)) removeProtoKeys(req.body);
      next(error);
    });
  };
}

function inspect(req: IncomingMessage, bytes: Buffer): void {
  limitBrackets(bytes);
  digestBody(req, bytes);
  checkForwarded(req, bytes);
}

const PLAIN_TYPE = /^application\/json(?: *; *charset="?utf-8"?)?$/i;
const BYTE_ORDER_MARK = 0xfeff;

/** True for most bodies. Express's handling of the others costs as much as a small handler. */
function isPlain(headers: IncomingHttpHeaders, maxBytes: number): boolean {
  const length = Number(headers['content-length'] ?? 0);
  const isKnown = length > 0 && length <= maxBytes && headers['content-encoding'] === undefined;
  return isKnown && PLAIN_TYPE.test(headers['content-type'] ?? '');
}

/** Node's HTTP parser guarantees the length of the body. */
const readPlain: RequestHandler = (req, _res, next) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.once('end', () => {
    try {
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      inspect(req, bytes);
      req.body = parsed(bytes.toString());
    } catch (error) {
      return next(error);
    }
    next();
  });
  req.once('close', () => {
    if (!req.complete) next(new ApiError('bad_request', 'the request is malformed'));
  });
};

function parsed(text: string): Json {
  try {
    return JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text) as Json;
  } catch (error) {
    throw badJson((error as Error).message);
  }
}

export const mediaType = (headers: IncomingHttpHeaders): string =>
  (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();

function refuseOtherTypes(headers: IncomingHttpHeaders): void {
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  if (isEmpty || mediaType(headers) === 'application/json') return;
  throw new ApiError('unsupported_type', 'the body must be sent as JSON', {
    hint: 'send the header Content-Type: application/json',
  });
}

/** J2, also for JSON inside a text: brackets written as `\u005b` were not counted in the body. */
export function limitBrackets(bytes: Buffer): void {
  let count = 0;
  for (const bracket of BRACKETS) {
    for (let at = bytes.indexOf(bracket); at >= 0; at = bytes.indexOf(bracket, at + 1)) {
      if (++count > MAX_BRACKETS) throw new ApiError('bad_request', 'the body contains too many lists and objects');
    }
  }
}

/**
 * Removes keys `__proto__` from a parsed value, and returns it. Costs a tenth of a reviver, and does not overflow the
 * stack for deep data.
 */
export function removeProtoKeys<Value>(value: Value): Value {
  const waiting: object[] = isStructure(value) ? [value] : [];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (Object.hasOwn(one, '__proto__')) Reflect.deleteProperty(one, '__proto__');
    for (const inner of Array.isArray(one) ? one : Object.values(one)) if (isStructure(inner)) waiting.push(inner);
  }
  return value;
}

const isStructure = (value: unknown): value is object => typeof value === 'object' && value !== null;
