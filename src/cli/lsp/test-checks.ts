/**
 * Diagnostics of an open test: its form, the flow that it names, and the steps of that flow. Playing it is left to
 * `callweave test`.
 */
import { basename, dirname, resolve } from 'node:path';
import { type Diagnostic as Finding, quoting } from '../../base/core/diagnostic.ts';
import { isObject } from '../../base/core/json.ts';
import { childPointer, type Issue, toDiagnostic } from '../../base/schema/document.ts';
import { loadDocument } from '../../base/schema/load.ts';
import { didYouMean } from '../../base/schema/suggest.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { FlowLibrary } from '../../language/flow/flow-library.ts';
import { namesIn } from '../../language/flow/text/names.ts';
import { type Problem, problemsOf } from '../../language/flow/text/problems.ts';
import { stepsInTest } from '../../language/flow/text/rename.ts';
import { loadScenario } from '../../proof/testkit/scenario-file.ts';
import { language } from './flow-text.ts';

export function problemsOfTest(text: string, file: string, library: FlowLibrary): Problem[] {
  const { diagnostics } = loadScenario(text, file);
  return problemsOf(text, [...diagnostics, ...namesOfTest(text, file, library)], namesIn(text, language.verbs));
}

function namesOfTest(text: string, file: string, library: FlowLibrary): Finding[] {
  const { document } = loadDocument(text, file);
  const test = document?.value;
  if (document === undefined || !isObject(test) || typeof test['flow'] !== 'string') return [];
  const flow = flowOf(test['flow'], file, library);
  if (flow === undefined) return [toDiagnostic(document, unknownFlow(test['flow'], file, library))];
  return stepsInTest(test, language.verbs).flatMap(({ path, name, atKey }) => {
    const at = name.lastIndexOf('/');
    const owner = at < 0 ? flow : library.get(name.slice(0, at));
    const step = name.slice(at + 1);
    // A flow that does not compile has unknown steps.
    if (owner === undefined || owner.steps.has(step) || step === '$end') return [];
    const pointer = path.reduce<string>(childPointer, '');
    const message = quoting`the flow ${owner.name} has no step ${step}`;
    const hint = didYouMean(step, owner.steps.keys());
    return [toDiagnostic(document, { code: 'unknown-step', message, pointer, atKey, hint })];
  });
}

const isPath = (flow: string): boolean => /\.(ya?ml|json)$/.test(flow);

function flowOf(named: string, file: string, library: FlowLibrary): CompiledFlow | undefined {
  if (!isPath(named)) return library.get(named);
  const path = resolve(dirname(file), named);
  const source = library.sources().find((each) => each.file === path);
  return source?.name === undefined ? undefined : library.get(source.name);
}

function unknownFlow(named: string, file: string, library: FlowLibrary): Issue {
  const sources = library.sources();
  const isBroken = sources.some((each) => each.name === named || each.file === resolve(dirname(file), named));
  const message = isBroken ? quoting`the flow ${named} has errors` : quoting`there is no flow ${named}`;
  const known = isPath(named) ? sources.map((each) => basename(each.file)) : library.names();
  return { code: 'unknown-flow', pointer: '/flow', message, hint: isBroken ? undefined : didYouMean(named, known) };
}
