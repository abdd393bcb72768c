/** The form of a step: its main values, its routes, its variables, all other values, a note, and its YAML. */

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Json, JsonObject } from '../../../../base/core/json.ts';
import type { GraphStep } from '../../../../language/flow/graph.ts';
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { openText, valueAt } from '../../../../language/flow/text/flow-source.ts';
import { RUNS_FLOW } from '../../../../language/flow/text/inline-call.ts';
import { noteOf, setNote } from '../../../../language/flow/text/notes.ts';
import { inSentence, t } from '../../../shared/web/words/translate.ts';
import { VerbIcon } from '../icons.tsx';
import { firstSentence } from '../shell/plain-text.ts';
import { isLater } from '../text/later-step.ts';
import { useForm, valueAtPath } from './context.ts';
import { FieldView } from './field-view.tsx';
import { type EditorKind, type FormField, formOf } from './fields.ts';
import { Fold } from './fold.tsx';
import { PropertySearch } from './property-search.tsx';
import { outcomesOfCases } from './routes.ts';
import { RoutesSection } from './routes-section.tsx';
import type { SeveralActs } from './several-form.tsx';
import { StepActs } from './step-acts.tsx';
import { StepName } from './step-name.tsx';
import { TryRequest } from './try-request.tsx';
import { Typing } from './typing.tsx';
import { briefly } from './values.ts';
import { YamlOfStep } from './yaml-of-step.tsx';

interface StepFormProps {
  step: GraphStep;
  problems: ComponentChildren;
  acts: SeveralActs;
  goToText(step: string): void;
  /** Chooses what a step to do becomes. */
  turn(step: string): void;
  showHelp(): void;
}

export function StepForm({ step, problems, acts, goToText, turn, showHelp }: StepFormProps) {
  const form = useForm();
  const { language } = form;
  const fields = useMemo(() => formOf(language, step.verb), [language, step.verb]);
  const isSearching = useSignal(false);
  const known = language.verbs[step.verb];
  const chosen = fields.essentials.flatMap(({ editor, path }) => ownRoutes(editor, valueAtPath(form, path)));
  const shown = (field: FormField) => <FieldView key={`${step.name} ${field.path.join('.')}`} field={field} />;
  const findProperty = (event: KeyboardEvent): void => {
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea, [contenteditable]');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    isSearching.value = true;
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a key of its fields
    <div class="form-of-step" onKeyDown={findProperty}>
      <header class={`form-head g-${step.group}`}>
        <span class="icon">
          <VerbIcon verb={step.verb} />
        </span>
        <StepName key={step.name} name={step.name} />
        <small>
          {sentenceOf(known?.picker ? t(known.picker.sentence) : known?.summary) || step.verb || t('no verb yet')}
        </small>
        <StepActs step={step.name} acts={acts} showHelp={showHelp} />
      </header>
      {isSearching.value && <PropertySearch fields={fields} close={() => (isSearching.value = false)} />}
      {fields.essentials.length > 0 && <section class="form-section first">{fields.essentials.map(shown)}</section>}
      {isLater(valueAt(form.flow, ['steps', step.name])) && !form.isLocked && (
        <button type="button" class="button form-turn" onClick={() => turn(step.name)}>
          {t('Turn into a step…')}
        </button>
      )}
      {fields.essentials.some(({ editor }) => editor === 'method') && <TryRequest step={step.name} verb={step.verb} />}
      {acts.onInline !== undefined && step.verb === RUNS_FLOW && !form.isLocked && (
        <button type="button" class="button form-turn" onClick={() => acts.onInline?.(step.name)}>
          {t('Put its steps here')}
        </button>
      )}
      <RoutesSection step={step} without={chosen} />
      {fields.remember !== undefined && !known?.terminal && (
        <section class="form-section">{shown(fields.remember)}</section>
      )}
      <Fold name="more" title={t('More')} said={changedIn(fields.more, (field) => valueAtPath(form, field.path))}>
        {fields.more.map(shown)}
      </Fold>
      {problems}
      <Note step={step.name} />
      <YamlOfStep step={step.name} goToText={goToText} />
    </div>
  );
}

/** Outcomes that an editor shows with their targets. */
function ownRoutes(editor: EditorKind, value: Json | undefined): string[] {
  if (editor === 'choices' || editor === 'tools') return Object.keys(Object(value) as object);
  const isCases = editor === 'cases' && Array.isArray(value);
  return isCases ? outcomesOfCases(value as JsonObject[]).filter((outcome) => outcome !== 'else') : [];
}

/** First sentence of a description. */
const sentenceOf = (summary = ''): string => firstSentence(summary).replace(/\.$/, '');

/** Values that differ from the defaults, for the heading of the fold. */
function changedIn(fields: readonly FormField[], value: (field: FormField) => unknown): string {
  const set = fields.flatMap((field) => {
    const now = value(field);
    return now === undefined ? [] : `${inSentence(field.label)}: ${briefly(now as never, field.editor)}`;
  });
  return set.length === 0 ? t('all default') : set.join(' · ');
}

/** The comment above the step. */
function Note({ step }: { step: string }) {
  const { draft, edits, isLocked } = useForm();
  const read = (): string | undefined => {
    const source = openText(draft.text.value);
    return isRefusal(source) ? undefined : noteOf(source, step);
  };
  const note = read();
  if (note === undefined || (isLocked && note === '')) return null;
  return (
    <section class="form-section">
      <div class={`form-field${note === '' ? ' unset' : ''}`}>
        <label class="form-label" for="field-note">
          {t('Note')}
        </label>
        <Typing
          key={step}
          id="field-note"
          shown={note}
          now={() => read() ?? ''}
          accept={(text) => {
            const source = openText(draft.text.peek());
            return isRefusal(source)
              ? source.refused
              : edits.apply(setNote(source, step, text), t('change note of {step}', { step }), 'note');
          }}
          isLocked={isLocked}
          isLong
          placeholder={t('For readers of the flow')}
        />
      </div>
    </section>
  );
}
