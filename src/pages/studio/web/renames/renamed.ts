/** Renames of names in an edited flow: its text, its tests, and the texts and tests of its callers. */
import type { GraphLanguage } from '../../../../language/flow/graph.ts';
import { localName } from '../../../../language/flow/local-flow-name.ts';
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
import {
  FLOW_NAME,
  renameLocalFlow,
  renameLocalFlowInCaller,
  renameLocalFlowInTest,
  renameSchedule,
  renameSection,
} from '../../../../language/flow/text/rename-parts.ts';
import type { Word } from '../../../../language/flow/text/scan-yaml.ts';
import { t } from '../../../shared/web/words/translate.ts';

/** A name that can be renamed. */
export interface NameInFile {
  kind: 'step' | 'choice' | 'flow' | 'schedule' | 'section' | RenamedKind;
  name: string;
  /** Step of the choice. */
  step?: string | undefined;
  /** Local flow that contains the name. */
  within?: string | undefined;
}

export interface Renamed extends Omit<NameInFile, 'name'> {
  from: string;
  to: string;
}

const partOf = ({ within }: Pick<Renamed, 'within'>): string[] => (within === undefined ? [] : ['flows', within]);

/** Full name of the flow that contains the name. */
const ownerOf = (flow: string, { within }: Pick<Renamed, 'within'>): string =>
  within === undefined ? flow : localName(flow, within);

/** Edits of the file of the flow `flow`. Its flows can call themselves and each other with their inputs. */
export function renameInFlow(text: string, flow: string, renamed: Renamed, verbs: GraphLanguage): Edits {
  const { kind, step = '', from, to } = renamed;
  const names = { from, to, within: partOf(renamed) };
  if (kind === 'step') return renameStep(text, names, verbs, names.within);
  if (kind === 'choice') return renameOutcome(text, step, names, verbs);
  if (kind === 'flow') return renameLocalFlow(text, names, verbs);
  if (kind === 'schedule') return renameSchedule(text, names, verbs);
  if (kind === 'section') return renameSection(text, names);
  const edits = renameName(text, kind, names, verbs);
  if (isRefusal(edits) || kind !== 'input') return edits;
  const called = [ownerOf(flow, renamed), ...(renamed.within === undefined ? [] : [renamed.within])];
  const calls = renameInputInCaller(text, called, names, verbs);
  return isRefusal(calls) ? calls : [...edits, ...calls];
}

export function renameInTest(text: string, flow: string, renamed: Renamed, verbs: GraphLanguage): Edits {
  const { kind, step = '' } = renamed;
  const owner = ownerOf(flow, renamed);
  if (kind === 'step') return renameStepInTest(text, owner, renamed, verbs);
  if (kind === 'choice') return renameOutcomeInTest(text, owner, step, renamed);
  if (kind === 'flow') return renameLocalFlowInTest(text, flow, renamed, verbs);
  // Tests do not name the sections and schedules of a file.
  return kind === 'section' || kind === 'schedule' ? [] : renameNameInTest(text, kind, owner, renamed);
}

/** Edits of another flow, which may call `flow` or its local flows. */
export function renameInCaller(text: string, flow: string, renamed: Renamed, verbs: GraphLanguage): Edits {
  if (renamed.kind === 'flow') return renameLocalFlowInCaller(text, flow, renamed, verbs);
  return renamed.kind === 'input' ? renameInputInCaller(text, [ownerOf(flow, renamed)], renamed, verbs) : [];
}

/** True if the text defines the name. It may be invalid. */
export function isDefinedIn(words: readonly Word[], { kind, name, step, within }: NameInFile): boolean {
  const part = partOf({ within });
  const isBelow = (word: Word, ...path: string[]): boolean =>
    [...part, ...path].every((key, index) => key === '*' || word.path[index] === key);
  const isKey = (...path: string[]): boolean =>
    words.some(
      (word) => word.kind === 'key' && word.path.length === part.length + path.length && isBelow(word, ...path),
    );
  if (kind === 'flow') return words.some(({ kind: is, path }) => is === 'key' && path.join('/') === `flows/${name}`);
  if (kind === 'choice') return words.some((word) => word.text === name && isBelow(word, 'steps', step ?? ''));
  if (kind === 'section')
    return words.some(
      ({ path, text, ...word }) => text === name && isBelow({ path, text, ...word }, 'steps', '*', 'section'),
    );
  return isKey(SECTION_OF[kind], name);
}

const SECTION_OF = {
  step: 'steps',
  schedule: 'schedules',
  variable: 'vars',
  input: 'input',
  prompt: 'prompts',
} as const;

/** Reason why a name cannot be given, apart from the places that use it. `isDefined`: of another name of this kind. */
export function refusalOfRename(
  isDefined: (name: NameInFile) => boolean,
  { from, to, ...renamed }: Renamed,
): string | undefined {
  const { kind } = renamed;
  if (to === from) return undefined;
  // A section takes the steps of another one in.
  if (kind !== 'section' && isDefined({ ...renamed, name: to })) return t('There is {name} already', { name: to });
  const isFit = fitsKind(kind, to);
  if (isFit) return undefined;
  if (kind === 'flow') return t('Letters, digits, _, - and .');
  if (kind === 'variable' || kind === 'input') return t('Letters, digits and _, and no digit first');
  return kind === 'section' || kind === 'schedule'
    ? t('At least one character')
    : t('Letters, digits, _ and -, and no digit first');
}

function fitsKind(kind: Renamed['kind'], name: string): boolean {
  if (kind === 'step') return STEP_NAME.test(name);
  if (kind === 'flow') return FLOW_NAME.test(name);
  if (kind === 'section' || kind === 'schedule') return name.trim() !== '';
  return kind === 'choice' || NAME[kind].test(name);
}

/** Text after a rename. A text in which the name cannot be renamed stays as it is. */
export const followed = (text: string, edits: Edits): string => (isRefusal(edits) ? text : applyEdits(text, edits));

/**
 * Renames from the names of the saved text to those of the edited one: two renames of one name are one, and undone ones
 * are left out. Local flows come first and choices last, with the present names of the flow and the step around them.
 */
export function lastingRenames(renames: readonly Renamed[], isDefined: (name: NameInFile) => boolean): Renamed[] {
  const lasting: Renamed[] = [];
  for (const renamed of renames) {
    const { kind, from, to, step, within } = renamed;
    const isBeside = (each: Renamed): boolean => each.kind === kind && each.step === step && each.within === within;
    const earlier = lasting.find((each) => isBeside(each) && each.to === from);
    if (earlier === undefined) lasting.push({ ...renamed });
    else earlier.to = to;
    for (const each of lasting) {
      if (kind === 'step' && each.kind === 'choice' && each.step === from && each.within === within) each.step = to;
      if (kind === 'flow' && each.within === from) each.within = to;
    }
  }
  const kept = lasting.filter(
    ({ from, to, ...renamed }) => isDefined({ ...renamed, name: to }) && !isDefined({ ...renamed, name: from }),
  );
  const place = ({ kind }: Renamed): number => (kind === 'flow' ? 0 : kind === 'choice' ? 2 : 1);
  return kept.toSorted((one, other) => place(one) - place(other));
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
