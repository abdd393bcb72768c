/**
 * `callweave test --mutate`: finds mistakes in a flow that no test detects. `proof/testkit/mutation` creates and runs
 * the mutants.
 */
import { dirname } from 'node:path';
import { systemClock } from '../base/core/clock.ts';
import type { SourceDocument } from '../base/schema/document.ts';
import { loadDocument } from '../base/schema/load.ts';
import type { CompiledFlow } from '../language/flow/compiled-flow.ts';
import { writtenPart } from '../language/flow/local-flows.ts';
import { HINTS } from '../proof/testkit/mutation/hints.ts';
import type { MutantKind } from '../proof/testkit/mutation/mutant.ts';
import {
  type MutationOptions,
  type PassedTest,
  stepsReached,
  type TriedMutant,
  tryMutants,
} from '../proof/testkit/mutation/try-mutants.ts';
import { loadScenario } from '../proof/testkit/scenario-file.ts';
import type { ScenarioReport } from '../proof/testkit/scenario-report.ts';
import { verbs } from '../verbs/steps.ts';
import { displayPath, readText } from './find-files.ts';
import { flowsToTest, libraryAround } from './flow-files.ts';
import { percent, wholeNumber } from './number-option.ts';
import { besideFirst, type PlayedTests, playTests } from './play-tests.ts';
import { countOf, fail, type Terminal, UsageError } from './terminal.ts';

export interface MutationCommandOptions {
  filter?: string;
  json?: boolean;
  except?: string;
  limit?: string;
  seed?: string;
  require?: string;
}

interface FlowResult {
  flow: string;
  file: string;
  tests: number;
  mutants: TriedMutant[];
  tookMs: number;
}

export async function testMutants(paths: string[], options: MutationCommandOptions, terminal: Terminal): Promise<void> {
  const required = percent('--require', options.require);
  const limits = {
    ...(options.except !== undefined && { except: kindsIn(options.except) }),
    ...(options.limit !== undefined && { limit: wholeNumber('--limit', options.limit) }),
    ...(options.seed !== undefined && { seed: wholeNumber('--seed', options.seed) }),
  };
  const { flows, folders } = flowsToTest(paths);
  const played = await playTests(folders, options.filter, () => undefined);
  const failed = played.reports.filter(({ ok }) => !ok).map(({ file }) => displayPath(file));
  if (failed.length > 0) return fail(terminal, 1, `tests must pass before a mutation test: ${failed.join(', ')}`);
  const tests = played.reports.flatMap((report) => passedTest(report, played));
  const results: FlowResult[] = [];
  for (const flow of flows) {
    const result = await resultOf(flow, folders, tests, limits, (tried, total) => {
      if (terminal.isInteractive && !options.json) terminal.draw([`${flow.name}: ${tried} of ${total}`]);
    });
    if (terminal.isInteractive && !options.json) terminal.draw([]);
    results.push(result);
    if (!options.json) printResult(result, terminal);
  }
  const below = results.filter((result) => shareOf(result) < required);
  if (below.length > 0) terminal.fail(1);
  if (options.json) return terminal.printJson({ ok: below.length === 0, required, flows: results.map(plain) });
  for (const result of below) {
    const words = `${result.flow}: tests detect ${shareOf(result)} % of the mutants, ${required} % are required`;
    terminal.print(terminal.style('red', words));
  }
}

async function resultOf(
  flow: CompiledFlow,
  folders: readonly string[],
  tests: readonly PassedTest[],
  limits: Pick<MutationOptions, 'except' | 'limit' | 'seed'>,
  onTried: MutationOptions['onTried'],
): Promise<FlowResult> {
  const beganMs = systemClock.now();
  const own = tests.filter((test) => stepsReached(flow, test.journal).size > 0);
  const library = libraryAround(flow.file, folders);
  const whole = loadDocument(readText(flow.file), flow.file).document!;
  const { document, withPart } = writtenPart(whole, flow.name);
  const compile = (changed: SourceDocument) => library.compileChanged({ ...whole, value: withPart(changed.value) });
  const mutants = await tryMutants({ flow, document, verbs, tests: own, compile }, { ...limits, onTried });
  const tookMs = systemClock.now() - beganMs;
  return { flow: flow.name, file: displayPath(flow.file), tests: own.length, mutants, tookMs };
}

function passedTest({ file, flow, journal }: ScenarioReport, { libraries }: PlayedTests): PassedTest[] {
  const folder = dirname(file);
  const library = libraries.get(folder)!;
  const { scenario } = loadScenario(readText(file), file);
  if (scenario === undefined || flow === undefined) return [];
  return [{ scenario, flow, journal, find: (wanted) => besideFirst(wanted, folder, library) }];
}

function kindsIn(option: string): MutantKind[] {
  const known = Object.keys(HINTS) as MutantKind[];
  return option.split(',').map((written) => {
    const kind = known.find((each) => each === written.trim());
    if (kind === undefined) {
      throw new UsageError(`--except ${written} is not a kind of mistake`, `one of: ${known.join(', ')}`);
    }
    return kind;
  });
}

const withVerdict = ({ mutants }: FlowResult, verdict: TriedMutant['verdict']): TriedMutant[] =>
  mutants.filter((mutant) => mutant.verdict === verdict);

/** Mutation score: killed share of the mutants that compile and have an effect. */
function shareOf(result: FlowResult): number {
  const killed = withVerdict(result, 'killed').length;
  const total = killed + withVerdict(result, 'survived').length;
  return total === 0 ? 100 : Math.floor((100 * killed) / total);
}

function printResult(result: FlowResult, terminal: Terminal): void {
  const [killed, survived, refused, equivalent] = (['killed', 'survived', 'refused', 'equivalent'] as const).map(
    (verdict) => withVerdict(result, verdict),
  ) as [TriedMutant[], TriedMutant[], TriedMutant[], TriedMutant[]];
  const share = terminal.style('bold', `${shareOf(result)} %`);
  const beside = `${refused.length} more refused by check, ${equivalent.length} without effect`;
  terminal.print(
    `${result.file}${result.flow.includes('/') ? ` (${result.flow})` : ''}  ${share}: ${countOf(killed.length + survived.length, 'mutant')}, ${killed.length} killed, ${survived.length} survived (${beside})`,
  );
  if (result.tests === 0) terminal.print(terminal.style('dim', '  no test runs this flow'));
  for (const { place, step, before, after, hint } of result.tests === 0 ? [] : survived) {
    terminal.print(
      `  ${displayPath(place.file)}:${place.line}:${place.column} ${step === undefined ? '' : `${step}: `}${changeText(before, after)}`,
    );
    terminal.print(terminal.style('dim', `      ${hint}`));
  }
}

/**
 * A change on one line: the common start and end are shortened to the words around the change, and the key appears
 * once.
 */
function changeText(before: string, after: string): string {
  const key = /^[\p{L}\p{M}\p{N}_.-]+: /u.exec(before)?.[0] ?? '';
  const [old, made] = [before.slice(key.length), after.startsWith(key) ? after.slice(key.length) : after];
  if (after === '') return `without ${key}${shortened(old, 0, old.length)}`;
  const start = sharedLength(old, made);
  const most = Math.min(old.length, made.length) - start;
  const end = Math.min(most, sharedLength([...old].reverse().join(''), [...made].reverse().join('')));
  return `${key}${shortened(old, start, old.length - end)} → ${shortened(made, start, made.length - end)}`;
}

const WORDS_AROUND = 24;
const MAX_CHANGE = 84;

function shortened(text: string, from: number, to: number): string {
  const first = from <= WORDS_AROUND ? 0 : from - WORDS_AROUND;
  const last = Math.min(to + WORDS_AROUND, first + MAX_CHANGE);
  return `${first > 0 ? '…' : ''}${text.slice(first, last)}${last < text.length ? '…' : ''}`;
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

function plain(result: FlowResult) {
  const { flow, file, tests, tookMs } = result;
  const count = (verdict: TriedMutant['verdict']): number => withVerdict(result, verdict).length;
  return {
    ...{ flow, file, tests, share: shareOf(result), killed: count('killed'), survived: count('survived') },
    ...{ refused: count('refused'), equivalent: count('equivalent'), took_ms: tookMs },
    survivors: withVerdict(result, 'survived').map(({ place, verdict: _, ...mutant }) => ({
      ...{ file: displayPath(place.file), line: place.line, column: place.column },
      ...mutant,
    })),
  };
}
