/**
 * What can be wrong with a request: one table from code to HTTP status and `result`, and the bodies in which each
 * family of routes says it. `result` is the documented code where there is one, else the HTTP status again.
 */
import type { CallErrorCode } from '../calls/call-error.ts';
import { CallError } from '../calls/call-error.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import type { JsonObject } from '../core/json.ts';

export type ProblemCode =
  | CallErrorCode
  | 'bad_json'
  | 'bad_request'
  | 'unauthorized'
  | 'unknown_route'
  | 'method_not_allowed'
  | 'too_large'
  | 'range_refused'
  | 'unsupported_encoding'
  | 'too_many_requests'
  | 'internal';

interface ProblemRow {
  status: number;
  result: number;
}

const row = (status: number, result: number = status): ProblemRow => ({ status, result });

const PROBLEMS: Readonly<Record<ProblemCode, ProblemRow>> = {
  bad_json: row(400),
  bad_request: row(400),
  media_failed: row(400),
  unknown_prompt: row(400),
  text_too_long: row(400),
  speech_option_invalid: row(400),
  target_refused: row(400),
  address_invalid: row(400),
  cli_not_assigned: row(400, 6118),
  unauthorized: row(401),
  unknown_call: row(404),
  unknown_recording: row(404),
  unknown_conference: row(404),
  unknown_room: row(404),
  no_service: row(404, 6110),
  number_not_found: row(404, 6118),
  unknown_flow: row(404, 6110),
  unknown_route: row(404),
  method_not_allowed: row(405),
  bridged: row(405, 6112),
  voice_not_supported: row(406, 6117),
  play_pending: row(408, 6114),
  already_recording: row(408),
  not_bridged: row(409),
  not_recording: row(409),
  recording_name_taken: row(409),
  already_streaming: row(409),
  not_streaming: row(409),
  unknown_outcome: row(409),
  conference_over: row(409),
  not_accepted_here: row(409),
  already_answered: row(409),
  ended: row(409),
  too_large: row(413),
  unsupported_encoding: row(415),
  range_refused: row(416),
  flow_invalid: row(422),
  input_invalid: row(422),
  too_many_requests: row(429),
  internal: row(500),
  recording_failed: row(500, 6119),
  not_available: row(501),
  overloaded: row(503),
  speech_failed: row(503, 6107),
};

export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly result: number;
  /** What the client can do about it. */
  readonly hint: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    message: string,
    more: { hint?: string; diagnostics?: readonly Diagnostic[]; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.code = code;
    this.status = PROBLEMS[code].status;
    this.result = PROBLEMS[code].result;
    this.hint = more.hint;
    this.diagnostics = more.diagnostics ?? [];
    this.headers = more.headers ?? {};
  }
}

/** Whatever was thrown, as a problem; what is not the client's doing says nothing of our insides. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof CallError) return new Problem(error.code, error.message, { diagnostics: error.diagnostics });
  return parserProblem(error) ?? new Problem('internal', 'internal server error');
}

/** The body parser marks its errors with a `type`; a path that cannot be decoded has status 400. */
function parserProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const { type, status, limit } = error as { type?: unknown; status?: unknown; limit?: unknown };
  switch (type) {
    case 'entity.parse.failed':
      return new Problem('bad_json', 'the body is not JSON', { hint: `${error.message}; strings and keys take "…"` });
    case 'entity.too.large':
      return new Problem('too_large', `the body is larger than ${String(limit)} bytes`);
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new Problem('unsupported_encoding', error.message);
    default:
      return status === 400 ? new Problem('bad_request', 'the request is malformed') : undefined;
  }
}

export type Family = 'voice' | 'broadcast';

/** What the request is about, as far as it is known when it fails. */
export interface ProblemContext {
  family: Family;
  timestamp: string;
  voiceId?: string;
  from?: string;
  to?: string;
  /** Of a broadcast. */
  application?: JsonObject;
  /** The route answers with `playstate`. */
  play?: boolean;
}

export function problemBody(problem: Problem, context: ProblemContext): JsonObject {
  const more: JsonObject = {
    ...(problem.hint === undefined ? {} : { hint: problem.hint }),
    ...(problem.diagnostics.length === 0 ? {} : { diagnostics: problem.diagnostics.map((one) => ({ ...one })) }),
  };
  if (context.family === 'broadcast') {
    return {
      ...context.application,
      state: 'failed',
      error_description: problem.message,
      result: problem.result,
      ...more,
      timestamp: context.timestamp,
    };
  }
  return {
    result: problem.result,
    msg: problem.message,
    state: 'failed',
    ...(context.play ? { playstate: 'failed' } : {}),
    status: 'failed',
    voice_id: context.voiceId ?? '',
    from: context.from ?? '',
    to: context.to ?? '',
    ...more,
    timestamp: context.timestamp,
  };
}
