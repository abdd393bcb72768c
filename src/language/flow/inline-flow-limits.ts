/**
 * Limits of a flow that a request or an answer contains. Such a flow is compiled while calls wait and kept while its
 * call lasts, so its limits are lower than those of a flow in the directory, which an operator installed and which is
 * read once.
 */
import { isObject } from '../../base/core/json.ts';
import { documentOf, walk } from '../../base/schema/document.ts';
import { expressionTexts } from './template.ts';

const LIMITS = {
  bytes: 65_536,
  steps: 200,
  expressions: 200,
  /**
   * Maximum sum of the squared lengths of expressions, which is proportional to parsing time: one of 2,000 characters,
   * or 40 of 300.
   */
  expressionEffort: 4_000_000,
} as const;

/** Returns a description of the limit that the flow exceeds. */
export function inlineFlowProblem(json: unknown): string | undefined {
  // The compiler reports values that are nested too deeply or are not JSON.
  const value = documentOf(json, '').document?.value;
  if (!isObject(value)) return undefined;
  if (JSON.stringify(value).length > LIMITS.bytes) return `is larger than ${LIMITS.bytes} bytes`;
  const flows = [value, ...(isObject(value['flows']) ? Object.values(value['flows']) : [])];
  const steps = flows.flatMap((flow) => (isObject(flow) && isObject(flow['steps']) ? Object.keys(flow['steps']) : []));
  if (steps.length > LIMITS.steps) return `has more than ${LIMITS.steps} steps`;
  let count = 0;
  let effort = 0;
  for (const [pointer, text] of walk(value)) {
    if (typeof text !== 'string') continue;
    for (const expression of pointer.endsWith('/when') ? [text] : expressionTexts(text)) {
      count += 1;
      effort += expression.length ** 2;
    }
  }
  if (count > LIMITS.expressions) return `has more than ${LIMITS.expressions} expressions`;
  return effort > LIMITS.expressionEffort ? 'has too long expressions' : undefined;
}
