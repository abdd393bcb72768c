/** Commands of the flow editor with their keys, for text and graph. */
import { definitionOf, type Name, type NameKind, nameAt, usesOf } from '../../../../language/flow/text/names.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { EditCallbacks } from '../graph/edit-callbacks.ts';
import { isTyping, useCommands } from '../shell/commands.ts';
import { announce, tell } from '../shell/messages.tsx';
import { location, navigate, setQuery } from '../shell/router.ts';
import { simulateFrom } from '../simulator/play-from.ts';
import { closeDrawer, columnNow, drawerNow, focusForm, focusGraph, showHelp } from './column.ts';
import type { EditorParts } from './editor-parts.ts';
import type { EditorDraft } from './flow-draft.ts';
import { graphActions } from './graph-actions.ts';
import { inlineInEditor } from './inline-action.ts';
import { nameToRename } from './name-here.ts';
import { askForFlowNote } from './note-actions.ts';
import { askForName } from './rename-action.ts';

export const KEEP_KEYS = 'Ctrl+Shift+S';

/** Versions to compare: the candidate saved here, and the live version. */
export const versionsOf = ({ candidate }: EditorDraft): Record<string, string> =>
  candidate.value === undefined ? {} : { after: candidate.value.hash };

export function useEditorCommands(parts: EditorParts): EditCallbacks {
  const { draft, text, save, keep, goTo } = parts;
  useCommands(
    () => [
      { title: t('Save'), keys: 'Ctrl+s', group: t('Flow'), run: () => void save() },
      {
        title: t('Save as candidate (callers keep the live version)'),
        keys: KEEP_KEYS,
        group: t('Flow'),
        run: () => void keep(),
      },
      { title: t('Save as a draft, with its errors'), group: t('Flow'), run: () => void save(true) },
      {
        title: t('Show the versions of this flow'),
        keys: 'v',
        group: t('Flow'),
        run: () => navigate(`/flows/${encodeURIComponent(draft.name)}/versions`, versionsOf(draft)),
      },
      {
        title: t('Show the live calls of this flow'),
        keys: 'l',
        group: t('Flow'),
        run: () => navigate(`/flows/${encodeURIComponent(draft.name)}/live`),
      },
      {
        title: t('Close the column over the graph, the side pane, then the flow'),
        keys: 'Escape',
        group: t('Flow'),
        run: () => goOut(draft),
      },
      {
        title: t('Simulate from the selected step'),
        keys: 'Ctrl+Shift+F9',
        group: t('Flow'),
        run: () => simulate(draft),
      },
      {
        title: t('Write a note of the flow'),
        keys: 'g n',
        group: 'Graph',
        changes: true,
        run: () => draft.isLocked || askForFlowNote(parts),
      },
      { title: t('Next problem'), keys: 'F8', group: t('Flow'), run: () => goToProblem(parts, 1) },
      { title: t('Previous problem'), keys: 'Shift+F8', group: t('Flow'), run: () => goToProblem(parts, -1) },
      { title: t('Go to where the name is defined'), keys: 'F12', group: 'Text', run: () => goToDefinition(parts) },
      { title: t('Show all references'), keys: 'Shift+F12', group: 'Text', run: () => showUses(parts) },
      { title: t('Extract the selected steps as a sub-flow …'), group: 'Graph', run: () => extract(parts) },
      {
        title: t('Put the steps of the sub-flow in its place'),
        group: 'Graph',
        run: () => void inlineInEditor(parts, draft.selected.peek()),
      },
      { title: t('Rename everywhere …'), keys: 'F2', group: 'Text', run: () => rename(parts) },
      {
        title: t('Help of the verb'),
        keys: 'F1',
        group: 'Text',
        run: () => (location.value.query['help'] === 'yes' ? setQuery({ help: undefined }) : showHelp()),
      },
    ],
    [draft],
  );
  return {
    ...(draft.isLocked ? {} : graphActions(parts)),
    onOpen(step) {
      if (columnNow() === 'form') {
        draft.selected.value = step;
        focusForm();
        return;
      }
      const found = definitionOf(draft.names.peek(), { kind: 'step', name: step });
      if (found !== undefined) goTo({ from: found.from, to: found.from });
      else text.current?.focus();
    },
  };
}

function extract({ draft, extracting }: EditorParts): void {
  const { names } = draft.several;
  if (draft.isLocked) return;
  if (names.length === 0) tell(t('Select the steps first'));
  else extracting.value = names;
}

function simulate({ selected }: EditorDraft): void {
  if (selected.value === undefined) tell(t('Select a step first'));
  else simulateFrom(selected.value);
}

function goOut({ selected }: EditorDraft): void {
  const { beside, help } = location.value.query;
  if (drawerNow(selected.peek()) === 'open') {
    closeDrawer();
    focusGraph();
    return;
  }
  // In the text editor, Escape only closes the editor's own popups.
  if (isTyping(document.activeElement)) return;
  if (beside !== undefined || help !== undefined) setQuery({ beside: undefined, help: undefined });
  else navigate('/flows');
}

function goToProblem({ draft, cursor, goTo }: EditorParts, by: 1 | -1): void {
  const problems = draft.found.placed.toSorted((one, other) => one.from - other.from);
  const next =
    by === 1
      ? (problems.find(({ from }) => from > cursor.value) ?? problems[0])
      : (problems.findLast(({ to }) => to < cursor.value) ?? problems.at(-1));
  if (next === undefined) {
    tell(t('No problems'));
    return;
  }
  goTo({ from: next.from, to: next.from });
  announce(
    next.severity === 'error'
      ? t('error, line {line}: {message}', { line: next.line, message: next.message })
      : t('warning, line {line}: {message}', { line: next.line, message: next.message }),
  );
}

/** Name of the row that has the focus, or at the cursor, or the selected step if the graph has the focus. */
function nameHere({ draft, cursor }: EditorParts): Name | undefined {
  const names = draft.names.value;
  const row = document.activeElement?.closest<HTMLElement>('[data-name-kind]')?.dataset;
  if (row !== undefined) return definitionOf(names, { kind: row['nameKind'] as NameKind, name: row['name']! });
  const isInText = document.activeElement?.closest('.cm-editor') !== null;
  const touched = isInText ? nameAt(names, cursor.value) : undefined;
  const step = draft.selected.value;
  return touched ?? (step === undefined ? undefined : definitionOf(names, { kind: 'step', name: step }));
}

function goToDefinition(parts: EditorParts): void {
  const name = nameHere(parts);
  const found = name && definitionOf(parts.draft.names.value, name);
  if (found !== undefined) parts.goTo(found);
  else if (name !== undefined) tell(t('{name} is not defined in this flow', { name: name.name }));
}

function showUses(parts: EditorParts): void {
  const { draft, asked, goTo } = parts;
  const name = nameHere(parts);
  const uses = name === undefined ? [] : usesOf(draft.names.value, name);
  if (name === undefined || uses.length === 0) {
    tell(name === undefined ? t('Put the cursor on a name') : t('Nothing leads to {name}', { name: name.name }));
    return;
  }
  const text = draft.text.value;
  asked.value = {
    what: 'list',
    title: t('Ways to {name}', { name: name.name }),
    items: uses.map(({ from, to }) => ({
      label: text.slice(text.lastIndexOf('\n', from - 1) + 1, lineEnd(text, from)).trim(),
      detail: t('line {line}', { line: text.slice(0, from).split('\n').length }),
      run: () => goTo({ from, to }),
    })),
  };
}

function rename(parts: EditorParts): void {
  const name = nameToRename(parts);
  if (name === undefined) tell(t('Select a step, or put the cursor on a name of this flow'));
  else if (!parts.draft.isLocked) askForName(parts, name);
}

const lineEnd = (text: string, at: number): number =>
  text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at);
