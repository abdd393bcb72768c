/** Checks a flow's text with its neighbours in sight. */
import type { FlowCheck } from '../calls/flow-files/flow-check.ts';
import { compileLoaded } from '../flow/compile.ts';
import { nameOfFlow, summarise } from '../flow/routes.ts';
import { loadDocument } from '../schema/load.ts';
import { verbs } from '../steps/index.ts';
import type { Bench } from './jobs.ts';

export function checkFlow({ file, text }: { file: string; text: string }, { compileOptions }: Bench): FlowCheck {
  const loaded = loadDocument(text, file);
  const value = loaded.document?.value;
  const name = nameOfFlow(value);
  const knownFlows = new Map(compileOptions.knownFlows);
  if (value !== undefined && name !== undefined) knownFlows.set(name, summarise(value));
  const { flow, diagnostics } = compileLoaded(loaded, file, verbs, { ...compileOptions, knownFlows });
  if (flow === undefined) return { diagnostics, ...(name !== undefined && { name }) };
  const exits = Object.fromEntries([...flow.steps].map(([step, compiled]) => [step, compiled.exits]));
  return { diagnostics, name: flow.name, hash: flow.hash, exits };
}
