/** Checks a flow's text with its neighbours in sight, and whether it is that of the flow which it would be saved as. */
import { otherFlow } from '../calls/flow-files/find-flows.ts';
import type { CheckJob, FlowCheck } from '../calls/flow-files/flow-check.ts';
import { quoting } from '../core/diagnostic.ts';
import { compileLoaded } from '../flow/compile.ts';
import { nameOfFlow, summarise } from '../flow/routes.ts';
import { toDiagnostic, valueIssue } from '../schema/document.ts';
import { loadDocument } from '../schema/load.ts';
import { verbs } from '../steps/index.ts';
import type { Bench } from './jobs.ts';

/** In messages. */
const MAX_NAME = 100;

export function checkFlow(
  { file, text, name: wanted }: CheckJob,
  { compileOptions, throwIfOvertaken }: Bench,
): FlowCheck {
  const loaded = loadDocument(text, file);
  throwIfOvertaken();
  const value = loaded.document?.value;
  const name = nameOfFlow(value);
  const knownFlows = new Map(compileOptions.knownFlows);
  if (value !== undefined && name !== undefined) knownFlows.set(name, summarise(value));
  const { flow, diagnostics } = compileLoaded(loaded, file, verbs, { ...compileOptions, knownFlows });
  if (loaded.document && name !== undefined && wanted !== undefined && name !== wanted) {
    const { message, hint } = otherFlow(quoting`${name.slice(0, MAX_NAME)}`, quoting`${wanted}`);
    const problem = toDiagnostic(loaded.document, valueIssue('other-flow', '/flow', message, hint));
    return { name, diagnostics: [problem, ...diagnostics] };
  }
  if (flow === undefined) return { diagnostics, ...(name !== undefined && { name }) };
  const exits = Object.fromEntries([...flow.steps].map(([step, compiled]) => [step, compiled.exits]));
  return { diagnostics, name: flow.name, hash: flow.hash, exits };
}
