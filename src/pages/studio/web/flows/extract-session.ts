/**
 * Extraction of steps as a local flow in the editor: the plan for the current choice, and the proof that the tests of
 * the flow pass as before. `extract-dialog.tsx` shows it.
 */
import type { Diagnostic } from '../../../../base/core/diagnostic.ts';
import { applyEdits, type Edits, isRefusal } from '../../../../language/flow/text/edits.ts';
import { type Extracted, extractSteps, type Unextracted } from '../../../../language/flow/text/extract-flow.ts';
import { comparedIn, type ExtractedIn } from '../../../../language/flow/text/extract-in-test.ts';
import { readFlow } from '../../../../language/flow/text/flow-reader.ts';
import type { Language } from '../../../../language/flow/text/language.ts';
import { reachedOnlyThrough } from '../../../../language/flow/text/step-closure.ts';
import { flowValues } from '../../../../language/flow/text/step-values.ts';
import { checkFlow } from '../flow-api.ts';
import { flowIn } from '../form/context.ts';
import { runTests, type TestFileData, type TestRunData } from '../tests/test-run.ts';
import { withEndsOf, withPlainEnds } from '../text/line-ends.ts';

export interface ExtractionChoice {
  steps: readonly string[];
  name?: string;
  outcomes: Readonly<Record<string, string>>;
}

/** The steps that are offered: a single one with all steps that only it leads to. */
export function offeredSteps(text: string, chosen: readonly string[], { verbs }: Language): readonly string[] {
  const flow = flowIn(text);
  if (flow === undefined || chosen.length !== 1) return chosen;
  const values = flowValues(flow, verbs);
  const inside = reachedOnlyThrough(values, chosen[0]!);
  return [...values.steps.keys()].filter((step) => inside.has(step));
}

export const planExtraction = (
  text: string,
  choice: ExtractionChoice,
  language: Language,
  tests: readonly TestFileData[],
): Extracted | Unextracted =>
  extractSteps(text, { ...choice, language, compared: tests.flatMap((test) => comparedIn(readFlow(test.text).value)) });

/** The extraction as tests of the flow follow it. */
export function extractedIn(
  flow: string,
  text: string,
  { plan, ...made }: Extracted,
  { verbs }: Language,
): ExtractedIn {
  const { graph } = flowValues(flowIn(text) ?? {}, verbs);
  const { edits: _, ...names } = made;
  return { flow, made: { ...names, plan }, runsOthers: graph.steps.some(({ opens }) => opens !== undefined) };
}

/** The text of a test with edits. A test that cannot be edited stays as it is. */
export function testAfter(text: string, editsOf: (plain: string) => Edits): string {
  const edits = editsOf(withPlainEnds(text));
  return isRefusal(edits) ? text : withEndsOf(text, applyEdits(withPlainEnds(text), edits));
}

export interface Proof {
  /** New errors of `check`. */
  errors: readonly string[];
  passed: number;
  count: number;
  /** Names of tests that passed before and fail now. */
  broken: readonly string[];
}

export const isProved = ({ errors, broken }: Proof): boolean => errors.length === 0 && broken.length === 0;

/** Checks the new text, and runs all tests on both texts. */
export async function prove({ flow, text, after, tests, follow }: ProofOrder, signal: AbortSignal): Promise<Proof> {
  const check = async (each: string): Promise<string[]> =>
    errorsIn((await checkFlow(flow, each, crypto.randomUUID(), signal)).diagnostics);
  const run = (order: Parameters<typeof runTests>[1]): Promise<TestRunData> =>
    tests.length === 0
      ? Promise.resolve({ reports: [], coverage: { steps: {}, exits: {} } })
      : runTests(flow, order, signal);
  const [known, found, before] = await Promise.all([check(text), check(after), run({ text })]);
  const followed = Object.fromEntries(tests.map((test) => [test.file, follow(test, before)]));
  const now = await run({ text: after, tests: followed });
  const didPass = new Set(before.reports.flatMap(({ name, ok }) => (ok ? [name] : [])));
  return {
    errors: found.filter((each) => !known.includes(each)),
    passed: now.reports.filter(({ ok }) => ok).length,
    count: now.reports.length,
    broken: now.reports.flatMap(({ name, ok }) => (!ok && didPass.has(name) ? [name] : [])),
  };
}

export interface ProofOrder {
  flow: string;
  text: string;
  after: string;
  tests: readonly TestFileData[];
  /** Text of a test that follows the change. `before`: reports of the tests of the old text. */
  follow(test: TestFileData, before: TestRunData): string;
}

const errorsIn = (diagnostics: readonly Diagnostic[]): string[] =>
  diagnostics.flatMap(({ severity, message }) => (severity === 'error' ? [message] : []));
