/** Flows with their tests, and what the calls of these tests do: for comparisons of a flow before and after an edit. */
import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../../src/base/core/json.ts';
import { libraryAround } from '../../../src/cli/flow-files.ts';
import { languageOf } from '../../../src/language/flow/language.ts';
import { playScenario } from '../../../src/proof/testkit/scenario.ts';
import { loadScenario } from '../../../src/proof/testkit/scenario-file.ts';
import type { ScenarioReport } from '../../../src/proof/testkit/scenario-report.ts';
import type { JournalEntry } from '../../../src/service/runtime/journal.ts';
import { verbs } from '../../../src/verbs/steps.ts';
import { ROOT } from '../../cli/command.ts';

export const LANGUAGE = languageOf(verbs);

export interface TestedFlow {
  file: string;
  name: string;
  text: string;
  tests: readonly { file: string; text: string }[];
}

/** Flows of the repository whose folder has tests of them. */
export function testedFlows(): TestedFlow[] {
  const files = globSync(`${ROOT}/{flows,examples,test/scenarios,docs}/**/*.flow.yaml`).sort();
  return files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const name = (parse(text) as JsonObject)['flow'] as string;
    const tests = globSync(`${dirname(file)}/*.test.yaml`)
      .sort()
      .map((each) => ({ file: each, text: readFileSync(each, 'utf8') }))
      .filter((each) => (parse(each.text) as JsonObject)['flow'] === name);
    return tests.length === 0 ? [] : [{ file, name, text, tests }];
  });
}

/** Codes and messages of errors that `check` finds in a text of the flow, and its warnings by code. */
export function errorsIn({ file }: Pick<TestedFlow, 'file'>, text: string): string[] {
  const { diagnostics } = libraryAround(file, [dirname(file)]).check(file, text);
  return diagnostics.flatMap(({ severity, code, message }) => (severity === 'error' ? [`${code}: ${message}`] : []));
}

export async function play(
  { file }: Pick<TestedFlow, 'file'>,
  text: string,
  test: { file: string; text: string },
): Promise<ScenarioReport> {
  const library = libraryAround(file, [dirname(file)]);
  const { flow, locals = [] } = library.check(file, text);
  const { scenario, diagnostics } = loadScenario(test.text, test.file);
  if (flow === undefined || scenario === undefined) throw new Error(JSON.stringify(diagnostics));
  return playScenario(scenario, flow, {
    flow: (wanted) => {
      if (typeof wanted !== 'string') return library.compile(wanted).flow;
      return wanted === flow.name ? flow : (locals.find(({ name }) => name === wanted) ?? library.find(wanted));
    },
  });
}

/** Entries that tell which step runs, and those that only a flow with other steps has. */
const OF_STEPS = ['entered', 'left', 'skipped', 'rendered', 'vars', 'checkpoint', 'timer', 'diagnostic'];
const NAMES = ['seq', 'visit', 'step', 'flow', 'flowHash', 'timer', 'frames', 'templates', 'requestId'];

/** Sounds, requests, parties and the end of a call with their times, without names and numbers of steps. */
export const doneIn = (journal: readonly JournalEntry[]): Json[] =>
  journal.flatMap((entry) =>
    OF_STEPS.includes(entry.kind) ? [] : [JSON.parse(JSON.stringify(entry, withoutNames)) as Json],
  );

function withoutNames(key: string, value: unknown): unknown {
  if (NAMES.includes(key)) return undefined;
  if (typeof value !== 'string') return value;
  // Ids depend on the number of the visit.
  return /id$/i.test(key) ? value.replaceAll(/\d+/g, '#') : value.replaceAll(/\b(sim|tok)-[0-9a-f]+/g, '$1');
}
