/** Where the outcomes of a step lead, as lines of its form. Pure. */
import type { FlowGraph, GraphExit, GraphStep } from '../../../../language/flow/graph.ts';
import type { LanguageVerb } from '../../../../language/flow/text/language.ts';
import { plain } from '../shell/plain-text.ts';
import { outcomeWords } from './labels.ts';

export interface RouteRow {
  /** Outcome that a change of the target names. */
  outcome: string;
  label: string;
  /** When the outcome occurs, in a sentence. */
  meaning: string;
  target: string;
  /** True if the step itself says where it leads. */
  isOwn: boolean;
  /** Target of the defaults. */
  usual: string | undefined;
  /** The single outcomes of a family, each with a row of its own. */
  kinds: readonly RouteRow[];
}

/** Families with more outcomes are one row, which can be opened. */
const MAX_KINDS = 2;

export function routesOf(
  { exits, verb }: GraphStep,
  graph: Pick<FlowGraph, 'defaults'>,
  known: LanguageVerb | undefined,
  without: readonly string[] = [],
): RouteRow[] {
  const rowOf = (outcome: string, exit: GraphExit, isOwn: boolean, kinds: readonly RouteRow[] = []): RouteRow => ({
    outcome,
    label: exit.outcome === outcome && exit.label !== undefined ? exit.label : wordsOf(outcome, known, verb),
    meaning: plain(known?.meanings?.[outcome] ?? ''),
    target: exit.target,
    isOwn,
    usual: usualOf(outcome, graph.defaults),
    kinds,
  });
  return exits.flatMap((exit) => {
    if (without.includes(exit.outcome)) return [];
    const { outcome, covers, own } = exit;
    const isNarrow = (cover: string): boolean => own && (cover === outcome || covers.length === 1);
    if (outcome.endsWith('*') || (covers.length > 1 && covers.length <= MAX_KINDS)) {
      return covers.map((cover) => rowOf(cover, exit, isNarrow(cover)));
    }
    if (covers.length <= 1) return [rowOf(own ? outcome : (covers[0] ?? outcome), exit, own)];
    return [
      rowOf(
        outcome,
        exit,
        own,
        covers.map((cover) => rowOf(cover, exit, isNarrow(cover))),
      ),
    ];
  });
}

function wordsOf(outcome: string, known: LanguageVerb | undefined, verb: string): string {
  const isNamed =
    verb !== '' && known?.outcomes.some((name) => name === outcome) === false && known.success !== outcome;
  const isFamily = known?.outcomes.some((name) => name.startsWith(`${outcome}.`)) ?? false;
  return outcomeWords(
    outcome,
    isNamed && !isFamily && outcome !== 'limit' && outcome !== 'error' && outcome !== 'next',
  );
}

function usualOf(outcome: string, defaults: FlowGraph['defaults']): string | undefined {
  for (let key = outcome; key !== ''; key = key.includes('.') ? key.slice(0, key.lastIndexOf('.')) : '') {
    if (Object.hasOwn(defaults, key)) return defaults[key];
  }
  return undefined;
}

/** Outcomes of the cases of a branch: their names, or their positions. */
export const outcomesOfCases = (cases: readonly Readonly<Record<string, unknown>>[]): string[] =>
  cases.map(({ name, when }, index) => (when === undefined ? 'else' : String(name ?? `case.${index + 1}`)));
