/**
 * Runs the tests of a flow on each of its mutants: a surviving mutant is a mistake that no test detects. `mutants.ts`
 * creates the mutants; `src/cli/test-mutants.ts` prints the result.
 *
 * Invariants
 * - a mutant is only tested by tests that reached the changed step: all others are unaffected;
 * - the same flow, tests, limit and seed give the same result.
 */
import { type Diagnostic, hasErrors, type SourceLocation } from '../../../base/core/diagnostic.ts';
import { seededRandom } from '../../../base/core/ids.ts';
import type { JsonObject } from '../../../base/core/json.ts';
import type { SourceDocument } from '../../../base/schema/document.ts';
import type { Compilation } from '../../../language/flow/compile.ts';
import type { CompiledFlow, VerbSpec } from '../../../language/flow/compiled-flow.ts';
import type { JournalEntry } from '../../../service/runtime/journal.ts';
import { stepsWithoutErrors } from '../coverage.ts';
import { playScenario } from '../scenario.ts';
import type { Scenario } from '../scenario-file.ts';
import { behaviourOf } from './behaviour.ts';
import { HINTS } from './hints.ts';
import type { Mutant, MutantKind } from './mutant.ts';
import { mutantsOf, placeOf } from './mutants.ts';

/** Limit for the duration of a test, because a mutant may loop or wait forever. */
const TIMES_AS_LONG = 10;

const durationOf = (journal: readonly JournalEntry[]): number => (journal.at(-1)?.atMs ?? 0) - (journal[0]?.atMs ?? 0);

/** A test that passes on the original flow. */
export interface PassedTest {
  scenario: Scenario;
  /** Flow that answers the call. */
  flow: CompiledFlow;
  journal: readonly JournalEntry[];
  find(flow: string | JsonObject): CompiledFlow | undefined;
}

export interface MutatedFlow {
  flow: CompiledFlow;
  document: SourceDocument;
  verbs: readonly VerbSpec[];
  compile(document: SourceDocument): Pick<Compilation, 'flow' | 'locals'> & { diagnostics: readonly Diagnostic[] };
  tests: readonly PassedTest[];
}

export interface MutationOptions {
  /** Kinds of mistakes that are not tried. */
  except?: readonly MutantKind[];
  /** Maximum number of mutants, chosen by the seed. */
  limit?: number;
  seed?: number;
  onTried?: ((tried: number, total: number) => void) | undefined;
}

/** A mutant and its verdict. */
export interface TriedMutant {
  kind: MutantKind;
  place: SourceLocation;
  step?: string;
  before: string;
  after: string;
  /** `refused`: rejected by the checker. `equivalent`: the flow behaves equally. */
  verdict: 'killed' | 'survived' | 'refused' | 'equivalent';
  /** Comparison that a test needs to detect the mutant. */
  hint?: string;
}

export async function tryMutants(
  { flow, document, verbs, compile, tests }: MutatedFlow,
  { except = [], limit, seed = 1, onTried }: MutationOptions = {},
): Promise<TriedMutant[]> {
  const reached = new Map(tests.map((test) => [test, stepsReached(flow, test.journal)]));
  // As in coverage, steps that are only reachable by `error` are excluded, unless a test reaches them.
  const counted = stepsWithoutErrors(
    flow,
    [...reached.values()].flatMap((each) => [...each]),
  );
  const meantAt = ({ kind, step }: Mutant): boolean =>
    !except.includes(kind) && (step === undefined || counted.has(step));
  const mutants = sampleOf(mutantsOf(document, verbs).filter(meantAt), limit, seed);
  const asItIs = behaviourOf(flow);
  const tried: TriedMutant[] = [];
  for (const { kind, pointer, atKey, step, before, after, root } of mutants) {
    const place = placeOf(document, { pointer, ...(atKey && { atKey }) });
    const shown = { kind, place, ...(step !== undefined && { step }), before, after };
    const made = compile({ ...document, value: root });
    const meant = tests.filter((test) => step === undefined || hasOthers(test) || reached.get(test)!.has(step));
    const verdict = await verdictOf(made, asItIs, flow, meant);
    const hint = meant.length === 0 ? `no test reaches ${step ?? 'the flow'}` : HINTS[kind];
    tried.push({ ...shown, verdict, ...(verdict === 'survived' && { hint }) });
    onTried?.(tried.length, mutants.length);
  }
  return tried;
}

async function verdictOf(
  made: ReturnType<MutatedFlow['compile']>,
  asItIs: string,
  original: CompiledFlow,
  tests: readonly PassedTest[],
): Promise<TriedMutant['verdict']> {
  const { flow: main, locals = [], diagnostics } = made;
  if (main === undefined || hasErrors(diagnostics)) return 'refused';
  // Declarations of a file apply to all of its flows.
  const mutants = new Map([main, ...locals].map((each) => [each.name, each]));
  const mutant = mutants.get(original.name);
  if (mutant !== undefined && behaviourOf(mutant) === asItIs) return 'equivalent';
  const inPlace = (found: CompiledFlow): CompiledFlow =>
    found.file === original.file ? (mutants.get(found.name) ?? found) : found;
  for (const { scenario, flow, journal, find } of tests) {
    const { ok } = await playScenario(scenario, inPlace(flow), {
      settling: 'promises',
      mostMs: TIMES_AS_LONG * durationOf(journal),
      flow(wanted) {
        const found = find(wanted);
        return found && inPlace(found);
      },
    });
    if (!ok) return 'killed';
  }
  return 'survived';
}

/** The journal of a test only contains its main caller. */
const hasOthers = ({ scenario }: PassedTest): boolean => Object.keys(scenario.callers).length > 0;

export function stepsReached(flow: CompiledFlow, journal: readonly JournalEntry[]): ReadonlySet<string> {
  return new Set(
    journal.flatMap((entry) => (entry.kind === 'entered' && entry.flow === flow.name ? [entry.step] : [])),
  );
}

/** The sample keeps the order of the mutants. */
function sampleOf(mutants: readonly Mutant[], limit: number | undefined, seed: number): readonly Mutant[] {
  if (limit === undefined || mutants.length <= limit) return mutants;
  const random = seededRandom(seed);
  const drawn = mutants.map((mutant) => ({ mutant, by: random() })).sort((a, b) => a.by - b.by);
  const chosen = new Set(drawn.slice(0, limit).map(({ mutant }) => mutant));
  return mutants.filter((mutant) => chosen.has(mutant));
}
