/** Right column of the flow editor: the form of the selected step, or the YAML of the flow, with its help and problems. */
import { batch, type Signal } from '@preact/signals';
import { useCallback, useEffect } from 'preact/hooks';
import type { CompletionContext } from '../../../../language/flow/text/completion.ts';
import { verbAt } from '../../../../language/flow/text/completion.ts';
import type { Language } from '../../../../language/flow/text/language.ts';
import { definitionOf } from '../../../../language/flow/text/names.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { FormPaneProps } from '../form/form-pane.tsx';
import type { UndoActions } from '../graph/edit-callbacks.ts';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { useLazyScreen } from '../shell/lazy-screen.ts';
import { Pane } from '../shell/page.tsx';
import { location, setQuery } from '../shell/router.ts';
import { EarlyText } from '../text/early-text.ts';
import type { EditHistory } from '../text/editor-history.ts';
import type { TextHandle } from '../text/text-handle.ts';
import { chooseColumn, closeDrawer, columnNow, drawerNow, isWide, openDrawer, showHelp } from './column.ts';
import type { EditorDraft } from './flow-draft.ts';
import { HelpPanel } from './help-panel.tsx';
import { ProblemList } from './problem-list.tsx';

interface RightColumnProps {
  draft: EditorDraft;
  language: Language;
  flows: readonly string[];
  text: { current: TextHandle | undefined };
  cursor: Signal<number>;
  context(): CompletionContext;
  goTo(range: { from: number; to: number }): void;
  /** Acts on several selected steps. */
  acts: FormPaneProps['acts'];
  turn: FormPaneProps['turn'];
  history: EditHistory;
  /** Undo and redo; absent if the flow is locked. */
  edits: UndoActions | undefined;
}

const loadForm = async () => (await import('../form/form-pane.tsx')).FormPane;
const loadText = async () => (await import('../text/editor.tsx')).TextEditor;

export function RightColumn(props: RightColumnProps) {
  const { draft, language, flows, text, cursor, context, goTo, acts, turn, history, edits } = props;
  const column = columnNow();
  const { names, problems, selected } = draft;
  const hasHelp = location.value.query['help'] === 'yes';
  const verb = hasHelp ? verbAt({ words: names.value.words, language }, selected.value) : undefined;
  const isFormShown = column === 'form' || isWide.value;
  const { code: FormPane } = useLazyScreen(isFormShown ? loadForm : undefined);
  const { code: TextEditor } = useLazyScreen(loadText);
  const early = text.current instanceof EarlyText ? text.current : undefined;
  const drawer = drawerNow(selected.value);
  const toggle = (): void => {
    const isForm = columnNow() === 'form';
    chooseColumn((drawerNow(selected.peek()) === 'closed' ? isForm : !isForm) ? 'form' : 'yaml');
  };
  const asked = location.value.query['show'];
  useEffect(() => {
    if (asked !== undefined) openDrawer();
  }, [asked]);
  useCommands(() => [{ title: t('Show the form, or the YAML'), keys: 'Ctrl+.', group: t('Flow'), run: toggle }]);
  const goToText: FormPaneProps['goToText'] = (step) => {
    const found = step === undefined ? undefined : definitionOf(names.peek(), { kind: 'step', name: step });
    goTo(found === undefined ? { from: 0, to: 0 } : { from: found.from, to: found.from });
  };
  const Problems: FormPaneProps['ProblemList'] = useCallback(
    ({ problems: shown }) => (
      <ProblemList
        problems={shown}
        goTo={(problem) => goTo(draft.found.placeOf(problem))}
        apply={(problem) => {
          const { repair } = draft.found.placeOf(problem);
          if (repair !== undefined) text.current?.change([repair], 'repair');
        }}
      />
    ),
    [draft],
  );
  return (
    <div class="right-column" data-column={column} data-drawer={drawer}>
      <div class="column-switch">
        <div class="segments" role="tablist" aria-label={t('Right column')}>
          {(['form', 'yaml'] as const).map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              aria-selected={column === each && drawer !== 'closed'}
              onClick={() => chooseColumn(each)}
            >
              {each === 'form' ? t('Form') : 'YAML'}
            </button>
          ))}
        </div>
        <Keys of="Ctrl+." />
        {drawer === 'open' && (
          <button
            type="button"
            class="button quiet"
            aria-label={t('Close the column')}
            title={t('Close (Esc)')}
            onClick={closeDrawer}
          >
            ✕
          </button>
        )}
      </div>
      <Pane label={t('Form')} class="form-pane">
        {FormPane !== undefined && isFormShown && (
          <FormPane
            {...{ draft, language, flows, text, acts, goToText, turn, showHelp }}
            ProblemList={Problems}
            undo={edits}
          />
        )}
      </Pane>
      <Pane label={t('Text')} class="text-pane">
        <header>
          <b>{draft.file.value.file ?? `${draft.name}.flow.yaml`}</b>
          <button
            type="button"
            class={`button quiet${hasHelp ? ' on' : ''}`}
            aria-pressed={hasHelp}
            onClick={() => setQuery({ help: hasHelp ? undefined : 'yes' })}
          >
            {t('Help')} <Keys of="F1" />
          </button>
        </header>
        {TextEditor === undefined ? (
          <div class="text-editor" aria-busy="true" />
        ) : (
          <TextEditor
            text={early?.first ?? draft.text.peek()}
            label={t('Text of {name}', { name: draft.name })}
            isLocked={draft.isLocked}
            history={history}
            context={context}
            onText={(changed) => draft.typedText(changed)}
            onCursor={(at) => {
              cursor.value = at;
            }}
            onReady={(handle) => {
              text.current = handle;
              batch(() => early?.handOver(handle));
              handle.show(draft.found.placed);
            }}
          />
        )}
        {hasHelp && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
          <section class="help-pane" aria-label={t('Help')} data-pane tabIndex={0}>
            <HelpPanel language={language} verb={verb} />
          </section>
        )}
        {problems.value.length > 0 && <Problems problems={problems.value} />}
      </Pane>
    </div>
  );
}
