/** Renames of names in an edited flow: its text, its tests, and the texts and tests of its callers. */
import type { GraphLanguage } from '../../../../language/flow/graph.ts';
import { STEP_NAME } from '../../../../language/flow/name-patterns.ts';
import { applyEdits, type Edits, isRefusal } from '../../../../language/flow/text/edits.ts';
import {
  renameOutcome,
  renameOutcomeInTest,
  renameStep,
  renameStepInTest,
} from '../../../../language/flow/text/rename.ts';
import {
  NAME,
  type RenamedKind,
  renameInputInCaller,
  renameName,
  renameNameInTest,
} from '../../../../language/flow/text/rename-names.ts';
import { t } from '../../../shared/web/words/translate.ts';

export interface Renamed {
  kind: 'step' | 'choice' | RenamedKind;
  from: string;
  to: string;
  /** Step of the choice. */
  step?: string;
}

/** Edits of the flow `flow` itself. It can call itself with its inputs. */
export function renameInFlow(text: string, flow: string, renamed: Renamed, verbs: GraphLanguage): Edits {
  const { kind, step = '' } = renamed;
  if (kind === 'step') return renameStep(text, renamed, verbs);
  if (kind === 'choice') return renameOutcome(text, step, renamed, verbs);
  const edits = renameName(text, kind, renamed, verbs);
  if (isRefusal(edits) || kind !== 'input') return edits;
  const calls = renameInputInCaller(text, flow, renamed, verbs);
  return isRefusal(calls) ? calls : [...edits, ...calls];
}

export function renameInTest(text: string, flow: string, renamed: Renamed, verbs: GraphLanguage): Edits {
  const { kind, step = '' } = renamed;
  if (kind === 'step') return renameStepInTest(text, flow, renamed, verbs);
  if (kind === 'choice') return renameOutcomeInTest(text, flow, step, renamed);
  return renameNameInTest(text, kind, flow, renamed);
}

/** Edits of another flow, which may call `flow`. */
export const renameInCaller = (text: string, flow: string, renamed: Renamed, verbs: GraphLanguage): Edits =>
  renamed.kind === 'input' ? renameInputInCaller(text, flow, renamed, verbs) : [];

/** Reason why a name cannot be given, apart from the places that use it. */
export function refusalOfRename(
  defined: readonly { kind: string; name: string }[],
  { kind, from, to }: Renamed,
): string | undefined {
  if (to === from) return undefined;
  if (defined.some((each) => each.kind === kind && each.name === to)) return t('There is {name} already', { name: to });
  if (kind === 'step') return STEP_NAME.test(to) ? undefined : t('Letters, digits, _ and -, and no digit first');
  if (kind === 'choice' || NAME[kind].test(to)) return undefined;
  return kind === 'prompt'
    ? t('Letters, digits, _ and -, and no digit first')
    : t('Letters, digits and _, and no digit first');
}

/** Text after a rename. A text in which the name cannot be renamed stays as it is. */
export const followed = (text: string, edits: Edits): string => (isRefusal(edits) ? text : applyEdits(text, edits));

/**
 * Renames from the names of the saved text to those of the edited one: two renames of one name are one, and undone ones
 * are left out. Choices come last, with the present name of their step.
 */
export function lastingRenames(
  renames: readonly Renamed[],
  isDefined: (kind: Renamed['kind'], name: string, step?: string) => boolean,
): Renamed[] {
  const lasting: Renamed[] = [];
  for (const renamed of renames) {
    const { kind, from, to, step } = renamed;
    const earlier = lasting.find((each) => each.kind === kind && each.to === from && each.step === step);
    if (earlier === undefined) lasting.push({ ...renamed });
    else earlier.to = to;
    if (kind !== 'step') continue;
    for (const each of lasting) if (each.kind === 'choice' && each.step === from) each.step = to;
  }
  const kept = lasting.filter(({ kind, from, to, step }) => isDefined(kind, to, step) && !isDefined(kind, from, step));
  return kept.toSorted((one, other) => Number(one.kind === 'choice') - Number(other.kind === 'choice'));
}

/** Number of places that a rename changes, and of files that contain them. */
export interface Places {
  places: number;
  files: number;
}

export function placesOf(all: readonly Edits[]): Places {
  const counts = all.map((edits) => (isRefusal(edits) ? 0 : edits.length)).filter((count) => count > 0);
  return { places: counts.reduce((sum, count) => sum + count, 0), files: counts.length };
}
