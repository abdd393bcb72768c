/** Checks the text of a flow against the other flows, and that its name is the one under which it will be saved. */
import { quoting } from '../../base/core/diagnostic.ts';
import type { Json } from '../../base/core/json.ts';
import { toDiagnostic, valueIssue } from '../../base/schema/document.ts';
import { loadDocument } from '../../base/schema/load.ts';
import { compileLoaded } from '../../language/flow/compile.ts';
import { nameOfFlow } from '../../language/flow/flow-summary.ts';
import { summariesOf } from '../../language/flow/local-flows.ts';
import { shownIn } from '../../language/flow/properties-beside.ts';
import { otherFlow } from '../../service/calls/flow-files/find-flows.ts';
import type { CheckJob, FlowCheck } from '../../service/calls/flow-files/flow-check.ts';
import { verbs } from '../../verbs/steps.ts';
import type { JobContext } from './jobs.ts';

const summariesIn = (value: Json | undefined) => (value === undefined ? [] : summariesOf(value));

/** Maximum length of a name in messages. */
const MAX_NAME = 100;

export function checkFlow(
  { file, text, name: wanted, beside = [] }: CheckJob,
  { compileOptions, throwIfOvertaken }: JobContext,
): FlowCheck {
  const loaded = loadDocument(text, file);
  throwIfOvertaken();
  const value = loaded.document?.value;
  const name = nameOfFlow(value);
  const knownFlows = new Map(compileOptions.knownFlows);
  const values = [...beside.map((other) => loadDocument(other.text, other.file).document?.value), value];
  for (const one of values) for (const [flow, summary] of summariesIn(one)) knownFlows.set(flow, summary);
  const { flow, diagnostics: found } = compileLoaded(loaded, file, verbs, { ...compileOptions, knownFlows });
  const diagnostics = shownIn(file, found);
  if (loaded.document && name !== undefined && wanted !== undefined && name !== wanted) {
    const { message, hint } = otherFlow(quoting`${name.slice(0, MAX_NAME)}`, quoting`${wanted}`);
    const problem = toDiagnostic(loaded.document, valueIssue('other-flow', '/flow', message, hint));
    return { name, diagnostics: [problem, ...diagnostics] };
  }
  if (flow === undefined) return { diagnostics, ...(name !== undefined && { name }) };
  const exits = Object.fromEntries([...flow.steps].map(([step, compiled]) => [step, compiled.exits]));
  return { diagnostics, name: flow.name, hash: flow.hash, exits };
}
