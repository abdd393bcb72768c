/** Checks of the time for which a caller waits for a service. Shared by the verbs that send requests. */
import { parseDuration } from '../../base/core/duration.ts';
import type { JsonObject } from '../../base/core/json.ts';
import { type Issue, keyIssue } from '../../base/schema/document.ts';
import type { StepDraft } from './flow-draft.ts';

/** Callers take a longer silence for a broken line. */
const MAX_SILENCE_MS = 1000;

const DEFAULT_TIMEOUT_MS = 5000;

export function* deadAir({ argsPointer, spec }: StepDraft, args: JsonObject): Generator<Issue> {
  const timeoutMs = parseDuration(String(args['timeout'] ?? '')) ?? DEFAULT_TIMEOUT_MS;
  if (args['meanwhile'] !== undefined || timeoutMs <= MAX_SILENCE_MS) return;
  const message = `the caller may hear nothing for ${timeoutMs / 1000} s`;
  const hint = `add meanwhile: a_prompt to the ${spec.verb}`;
  yield keyIssue('no-meanwhile', argsPointer, message, hint);
}
