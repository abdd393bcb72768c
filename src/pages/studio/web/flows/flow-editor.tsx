/**
 * Screen of a flow: graph and text side by side, always in sync. They share the selection; a graph edit is a
 * transaction of the text editor. `flow-draft.ts` holds the state, `editor-commands.ts` defines the keys.
 */
// First, because styles of screens change some of the picture's.
import '../graph/picture.css';
import './act-strip.css';
import './flow-editor.css';
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { CompletionContext } from '../../../../language/flow/text/completion.ts';
import type { Language } from '../../../../language/flow/text/language.ts';
import { rangeOfStep, stepAt } from '../../../../language/flow/text/names.ts';
import type { Problem } from '../../../../language/flow/text/problems.ts';
import { t, tNodes } from '../../../shared/web/words/translate.ts';
import { listFlows, readFlow } from '../flow-api.ts';
import type { StepProblem as MarkedProblem, Overlays } from '../graph/overlays.ts';
import { Icon } from '../icons.tsx';
import { PeopleHere } from '../people/people-here.tsx';
import { shownKeys, useCommands, useHeardKeys } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { useLazyScreen } from '../shell/lazy-screen.ts';
import { tell, tellError } from '../shell/messages.tsx';
import { Page, Pane } from '../shell/page.tsx';
import { addressOf, location, setQuery } from '../shell/router.ts';
import type { ScreenProps } from '../shell/screen.ts';
import { Outlines } from '../shell/skeleton.tsx';
import { ViewTabs } from '../shell/view-tabs.tsx';
import { keysOfPhoneFirst } from '../simulator/phone-keys.ts';
import { EarlyText } from '../text/early-text.ts';
import { EditHistory } from '../text/editor-history.ts';
import { loadLanguage } from '../text/load-language.ts';
import { TEXT_KEYS } from '../text/shown-keys.ts';
import type { TextHandle } from '../text/text-handle.ts';
import { addChosen } from './add-step.ts';
import { drawerNow, VIEWS } from './column.ts';
import { DeleteStrip } from './delete-strip.tsx';
import type { DeletionChoice } from './deletion-choice.ts';
import { DraftGraph } from './draft-graph.tsx';
import { syncDraft } from './draft-sync.ts';
import { KEPT, savedWords, stateOf } from './draft-words.ts';
import { KEEP_KEYS, useEditorCommands, versionsOf } from './editor-commands.ts';
import { EditorNotices } from './editor-notices.tsx';
import { Status } from './editor-status.tsx';
import { findSteps } from './find-steps.ts';
import { EditorDraft } from './flow-draft.ts';
import { type Asked, FlowQuestion } from './flow-question.tsx';
import { saveWithOthers } from './follow-renames.ts';
import { findDraft } from './found-draft.tsx';
import { neighbourGraphs } from './neighbour-graphs.ts';
import { useNewStep } from './new-step.ts';
import { authorOf } from './newer-version.tsx';
import { RightColumn } from './right-column.tsx';
import { hasSidePane, SidePane, SidePaneButtons } from './side-pane.tsx';
import { useUndo } from './undo-commands.ts';
import { useTogether } from './use-together.ts';

export function FlowEditor({ params }: ScreenProps) {
  const name = params['name']!;
  const loaded = useSignal<EditorProps | undefined>(undefined);
  const failed = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const load = async (): Promise<void> => {
      const [language, file, listed] = await Promise.all([loadLanguage(), readFlow(name), listFlows().catch(() => [])]);
      const found = await findDraft(name, listed.find((flow) => flow.name === name)?.draft);
      const draft = new EditorDraft(file, language, found);
      // A link can select a step.
      draft.selected.value = location.peek().query['step'];
      const numbers = listed.find((flow) => flow.name === name)?.numbers ?? [];
      loaded.value = { draft, language, flows: listed.map((flow) => flow.name), numbers };
    };
    load().catch((error: Error) => {
      failed.value = error.message;
    });
    return () => loaded.value?.draft.close();
  }, []);
  const crumb = (
    <>
      <a href={addressOf('/flows')}>{t('Flows')}</a> / {name}
    </>
  );
  if (loaded.value === undefined) {
    return (
      <Page title={name} crumb={crumb}>
        {failed.value === undefined ? (
          <div class="skeleton-box" aria-busy="true">
            <Outlines isSplit />
          </div>
        ) : (
          <p class="empty">{failed.value}</p>
        )}
      </Page>
    );
  }
  return <Editor {...loaded.value} />;
}

interface EditorProps {
  draft: EditorDraft;
  language: Language;
  flows: readonly string[];
  /** Numbers routed to this flow. */
  numbers: readonly string[];
}

const loadPicker = async () => (await import('../picker/step-picker.tsx')).StepPicker;
const loadConflict = async () => (await import('./conflict-dialog.tsx')).ConflictDialog;
const loadPhone = async () => (await import('./phone-dialog.tsx')).PhoneDialog;
const loadExtraction = async () => (await import('./extract-dialog.tsx')).ExtractDialog;
const HEARD_KEYS = { group: t('Text, while it has the focus'), keys: TEXT_KEYS };

function Editor({ draft, language, flows, numbers }: EditorProps) {
  useHeardKeys(HEARD_KEYS);
  const text = useRef<TextHandle | undefined>(undefined);
  text.current ??= new EarlyText(draft.text.peek(), (changed) => draft.typedText(changed));
  const cursor = useSignal(0);
  const asked = useSignal<Asked | undefined>(undefined);
  const newStep = useNewStep(language);
  const { adding } = newStep;
  const deleting = useSignal<DeletionChoice | undefined>(undefined);
  const extracting = useSignal<readonly string[] | undefined>(undefined);
  const { code: ExtractDialog } = useLazyScreen(extracting.value && loadExtraction);
  // At once, after the graph: it must open without delay.
  const { code: StepPicker } = useLazyScreen(loadPicker);
  const isCalling = useSignal(false);
  const { code: PhoneDialog } = useLazyScreen(isCalling.value ? loadPhone : undefined);
  const { names, typed, problems, selected, conflict } = draft;
  const { code: ConflictDialog } = useLazyScreen(conflict.value && loadConflict);
  const neighbours = useMemo(() => neighbourGraphs(flows), []);
  const local = useComputed(() => typed.value.local).value;
  const innerFlows = useMemo(() => (name: string) => local(name) ?? neighbours.get(name), [local]);
  const context = (): CompletionContext => ({
    language,
    graph: typed.peek().graph,
    flows,
    defined: names.peek().defined,
    words: names.peek().words,
  });

  const save = async (isDraft = false): Promise<void> => {
    try {
      const saved = await saveWithOthers(draft, isDraft);
      if (saved === 'saved') tell(savedWords(draft.name, isDraft, numbers[0]));
      if (saved === 'has errors') tell(t('Not saved. Fix the errors, or save as a draft.'), true);
    } catch (error) {
      tellError(error);
    }
  };
  const keep = async (): Promise<void> => {
    try {
      const kept = await draft.keep();
      const words = KEPT[kept];
      if (words !== undefined) tell(words, kept !== 'saved');
    } catch (error) {
      tellError(error);
    }
  };
  const goTo = (range: { from: number; to: number }): void => {
    if (location.value.query['show'] !== 'text') setQuery({ show: 'text' });
    requestAnimationFrame(() => text.current?.goTo(range));
  };
  const history = useMemo(() => new EditHistory(), [draft]);
  const edits = useUndo(draft, history);
  const parts = { draft, language, text, cursor, asked, adding, deleting, extracting, save, keep, goTo };
  const actions = useEditorCommands(parts);
  useCommands(() => [
    { title: t('Call it with a telephone'), keys: 'p', group: t('Flow'), run: () => (isCalling.value = true) },
  ]);

  const together = useTogether(draft, language, text);
  useStepFollowing(draft, text, cursor);
  useWarning(draft);
  useEffect(() => syncDraft(draft), []);
  useEffect(() => findSteps(draft), []);
  useEffect(() => text.current?.show(problems.value), [problems.value]);

  const besideMarks = useSignal<Overlays>({});
  const overlays = useMemo(
    (): Overlays => ({
      ...besideMarks.value,
      problems: problemsByStep(problems.value),
      people: together.people,
      comments: together.comments,
    }),
    [problems.value, besideMarks.value, together.people, together.comments],
  );
  const errors = problems.value.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.value.length - errors;

  return (
    <Page
      title={draft.name}
      crumb={
        <>
          <a href={addressOf('/flows')}>{t('Flows')}</a> / {draft.name}{' '}
          <small class="flow-links">
            <a href={addressOf(`/flows/${draft.name}/live`)}>{t('live')}</a>
            <a href={addressOf(`/flows/${draft.name}/versions`, versionsOf(draft))}>{t('versions')}</a>
          </small>{' '}
          <small>{stateOf(draft)}</small>
        </>
      }
      actions={
        <>
          <PeopleHere flow={draft.name} goTo={(step) => (selected.value = step)} />
          <button
            type="button"
            class="button"
            title={t('Call it with a telephone (p)')}
            aria-label={
              numbers[0] === undefined
                ? t('Call {name} with a telephone', { name: draft.name })
                : t('Call {name} with a telephone: {number}', { name: draft.name, number: numbers[0] })
            }
            onClick={() => (isCalling.value = true)}
          >
            <Icon name="calls" /> <span class="wide-only">{numbers[0] ?? t('Call ## verb')}</span>
          </button>
          <SidePaneButtons />
          {errors > 0 && draft.isChanged.value && (
            <button type="button" class="button wide-only" onClick={() => void save(true)}>
              {t('Save as draft')}
            </button>
          )}
          <button
            type="button"
            class={`button${draft.isUnsaved.value ? '' : ' wide-only'}`}
            aria-label={t('Save as candidate')}
            title={t('Save as candidate: a version that is not live ({keys})', {
              keys: shownKeys(KEEP_KEYS).join(' '),
            })}
            disabled={!draft.isUnsaved.value || draft.isLocked || draft.isSaving.value}
            onClick={() => void keep()}
          >
            {tNodes('<wide>Save as</wide> candidate', { wide: (part) => <span class="wide-only">{part}</span> })}
          </button>
          <button
            type="button"
            class="button primary"
            disabled={!draft.isChanged.value || draft.isLocked || draft.isSaving.value}
            onClick={() => void save()}
          >
            {t('Save')}{' '}
            <span class="wide-only">
              <Keys of="Ctrl+s" />
            </span>
          </button>
        </>
      }
      status={<Status draft={draft} errors={errors} warnings={warnings} />}
    >
      <div
        class={`flow-editor${hasSidePane() ? ' with-beside' : ''}`}
        data-show={location.value.query['show'] ?? 'graph'}
        data-drawer={drawerNow(selected.value)}
        {...(hasSidePane() && { onKeyDownCapture: keysOfPhoneFirst })}
      >
        <EditorNotices draft={draft} newer={together.newer} text={text} />
        <ViewTabs views={VIEWS} />
        <Pane label={t('Graph')} class="graph-pane">
          <DraftGraph {...{ draft, language, overlays, edits, actions, newStep }} flows={innerFlows} />
        </Pane>
        <RightColumn
          {...{ draft, language, flows, text, cursor, context, goTo, history, edits }}
          acts={actions}
          turn={(step) => (adding.value = { turns: step })}
        />
        {hasSidePane() && (
          <SidePane
            name={draft.name}
            text={draft.text.value}
            graph={typed.value.graph}
            selected={selected}
            overlays={besideMarks}
            saved={draft.file.value.etag}
            {...together.ofComments}
          />
        )}
      </div>
      {conflict.value !== undefined && ConflictDialog !== undefined && (
        <ConflictDialog
          mine={draft.text.value}
          theirs={conflict.value}
          who={authorOf(draft.name, conflict.value.etag)}
          base={draft.file.value.text}
          close={() => {
            conflict.value = undefined;
          }}
          choose={(chosen) => {
            const theirs = conflict.value!;
            const handle = text.current!;
            if (chosen !== handle.text) handle.change([{ from: 0, to: handle.text.length, insert: chosen }], 'merge');
            draft.acceptTheirs(theirs);
          }}
        />
      )}
      {isCalling.value && PhoneDialog !== undefined && (
        <PhoneDialog
          flow={draft.name}
          numbers={numbers}
          isChanged={draft.isChanged.value}
          close={() => (isCalling.value = false)}
        />
      )}
      {adding.value !== undefined && StepPicker !== undefined && (
        <StepPicker
          request={adding.value}
          graph={typed.value.graph}
          known={{
            verbs: language.verbs,
            text: draft.text.value,
            flows,
            steps: typed.value.graph.steps.map((step) => step.name),
          }}
          add={(choice) => addChosen(parts, adding.value!, choice)}
          close={() => (adding.value = undefined)}
          mark={(item) => (newStep.marked.value = item)}
          drops={newStep.drops}
          moveTo={(at) => (adding.value = { at })}
        />
      )}
      {deleting.value !== undefined && (
        <DeleteStrip choice={deleting.value} close={() => (deleting.value = undefined)} />
      )}
      {extracting.value !== undefined && ExtractDialog !== undefined && (
        <ExtractDialog parts={parts} steps={extracting.value} close={() => (extracting.value = undefined)} />
      )}
      {asked.value !== undefined && <FlowQuestion asked={asked.value} close={() => (asked.value = undefined)} />}
    </Page>
  );
}

/** Keeps the graph selection and the text cursor on the same step. */
function useStepFollowing(
  { selected, several, names }: EditorDraft,
  text: { readonly current: TextHandle | undefined },
  cursor: { readonly value: number },
): void {
  const step = useComputed(() => stepAt(names.value, cursor.value)).value;
  useEffect(() => {
    if (step !== undefined) selected.value = step;
  }, [step]);
  const marked = selected.value;
  const steps = several.names;
  useEffect(() => {
    const shown = marked === undefined ? steps : [marked, ...steps.filter((name) => name !== marked)];
    text.current?.mark(shown.flatMap((name) => rangeOfStep(names.peek(), name) ?? []));
    setQuery({ step: marked });
  }, [marked, steps.join()]);
}

/** Asks before the window closes. Other screens of the studio keep the text. */
function useWarning({ isUnsaved }: EditorDraft): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => {
      if (isUnsaved.value) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
}

function problemsByStep(problems: readonly Problem[]): ReadonlyMap<string, MarkedProblem> {
  const found = new Map<string, MarkedProblem>();
  for (const { step, severity, message } of problems) {
    if (step !== undefined && (severity === 'error' || !found.has(step))) found.set(step, { severity, message });
  }
  return found;
}
