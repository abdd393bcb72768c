/** Pane with the form of the selected step, or of the flow. Loaded when it is first shown. */
import './form.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { JsonObject } from '../../../../base/core/json.ts';
import type { FlowGraph, GraphStep } from '../../../../language/flow/graph.ts';
import type { Language } from '../../../../language/flow/text/language.ts';
import type { Problem } from '../../../../language/flow/text/problems.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { TextHandle } from '../text/text-handle.ts';
import { type FormContext, FormProvider, flowIn } from './context.ts';
import { FieldView } from './field-view.tsx';
import { FlowForm } from './flow-form.tsx';
import type { FormDraft } from './form-draft.ts';
import { FormEdits } from './form-edits.ts';
import { SeveralEdits } from './several-edits.ts';
import { type SeveralActs, SeveralForm } from './several-form.tsx';
import { StepForm } from './step-form.tsx';

const BUILT_IN = t('This flow is part of Callweave. Duplicate it in the list of flows to change it.');
const READ_ONLY = t('You may read this flow. A person with write access can change it.');

export interface FormPaneProps {
  draft: FormDraft;
  language: Language;
  flows: readonly string[];
  text: { readonly current: TextHandle | undefined };
  /** Undo and redo of the text editor; absent if the flow is locked. */
  undo: { undo(): void; redo(): void } | undefined;
  acts: SeveralActs;
  /** Lists problems with their repairs. */
  ProblemList(props: { problems: readonly Problem[] }): ComponentChildren;
  /** Shows a step in the text; without one, the text. */
  goToText(step?: string): void;
  /** Chooses what a step to do becomes. */
  turn(step: string): void;
  /** Shows the help of the verb. */
  showHelp(): void;
}

export function FormPane({
  draft,
  language,
  flows,
  text,
  undo,
  acts,
  ProblemList,
  goToText,
  turn,
  showHelp,
}: FormPaneProps) {
  const edits = useMemo(() => new FormEdits({ draft, language, text }), [draft]);
  const severalEdits = useMemo(() => new SeveralEdits({ draft, language, text }), [draft]);
  const selected = draft.selected.value;
  const { graph, isCurrent } = draft.typed.value;
  const step = graph.steps.find(({ name }) => name === selected);
  const steps = graph.steps.filter(({ name }) => draft.several.steps.value.has(name));
  severalEdits.steps = steps.map(({ name }) => name);
  const lastSound = useRef<JsonObject>({});
  const flow = flowIn(draft.text.value) ?? lastSound.current;
  lastSound.current = flow;
  const isLocked = draft.isLocked || !isCurrent;
  const form: FormContext = {
    ...{ draft, language, flows, edits, isLocked, graph, flow },
    step: step?.name ?? '',
    Field: FieldView,
  };
  const problems = problemsOfForm(draft.problems.value, step?.name);
  const list = problems.length > 0 && <ProblemList problems={problems} />;
  const leave = (): void => {
    edits.leave();
    severalEdits.leave();
  };
  useEffect(leave, [selected, severalEdits.steps.join()]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of its fields
    <div class="form" onFocusIn={() => leave()} onKeyDown={(event) => undoInText(event, undo)}>
      {!isCurrent && (
        <p class="form-stale" role="status">
          {t('The YAML cannot be read, so the form is locked.')}{' '}
          <button type="button" class="link" onClick={() => goToText()}>
            {t('Go there')}
          </button>
        </p>
      )}
      {draft.isLocked && <p class="form-said locked-said">{draft.file.value.built_in ? BUILT_IN : READ_ONLY}</p>}
      <FormProvider value={form}>
        {steps.length > 1 ? (
          <SeveralForm steps={steps} acts={acts} edits={severalEdits} />
        ) : step === undefined ? (
          <FlowForm name={draft.name} goToText={() => goToText()} problems={list} />
        ) : (
          <StepForm step={step} acts={acts} goToText={goToText} turn={turn} showHelp={showHelp} problems={list} />
        )}
      </FormProvider>
      {step !== undefined && steps.length < 2 && (
        <Walk step={step} graph={graph} go={(name) => (draft.selected.value = name)} />
      )}
    </div>
  );
}

/** The fields have no history of their own: that of the text editor has the changes of all of them. */
function undoInText(event: KeyboardEvent, history: FormPaneProps['undo']): void {
  const isUndo = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'z';
  const isRedo = (isUndo && event.shiftKey) || ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'y');
  if (!isUndo && !isRedo) return;
  event.preventDefault();
  if (isRedo) history?.redo();
  else history?.undo();
}

/** Errors of the step; for the flow, those of no step. Without errors, the warnings. */
function problemsOfForm(problems: readonly Problem[], step: string | undefined): readonly Problem[] {
  const own = problems.filter((problem) => problem.step === step);
  const errors = own.filter(({ severity }) => severity === 'error');
  return errors.length > 0 ? errors : own;
}

interface WalkProps {
  step: GraphStep;
  graph: FlowGraph;
  go(step: string): void;
}

/** On a narrow screen, which shows no graph beside the form: the steps before and after this one. */
function Walk({ step, graph, go }: WalkProps) {
  const isStep = (name: string): boolean => name !== step.name && graph.steps.some((each) => each.name === name);
  const before = graph.steps.find(
    ({ name, exits }) => isStep(name) && exits.some(({ target }) => target === step.name),
  );
  const after = step.exits.find(({ target }) => isStep(target))?.target;
  return (
    <nav class="form-walk" aria-label={t('Along the flow')}>
      {before !== undefined && (
        <button type="button" class="link" onClick={() => go(before.name)}>
          ‹ {before.name}
        </button>
      )}
      {after !== undefined && (
        <button type="button" class="link next" onClick={() => go(after)}>
          {after} ›
        </button>
      )}
    </nav>
  );
}
