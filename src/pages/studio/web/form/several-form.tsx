/** The form of several steps: their count by kind, acts on all of them, and the values that all of them can have. */
import { useMemo } from 'preact/hooks';
import type { Json, JsonObject } from '../../../../base/core/json.ts';
import { isEqualJson, isObject } from '../../../../base/core/json.ts';
import type { GraphStep } from '../../../../language/flow/graph.ts';
import type { Path } from '../../../../language/flow/text/flow-source.ts';
import { argumentAt } from '../../../../language/flow/text/set-argument.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { EditCallbacks } from '../graph/edit-callbacks.ts';
import { Keys } from '../shell/keys.tsx';
import { tell, tellError } from '../shell/messages.tsx';
import { type FormContext, FormProvider, pathInFlow, useForm } from './context.ts';
import { FieldView } from './field-view.tsx';
import type { FormField } from './fields.ts';
import type { SeveralEdits } from './several-edits.ts';
import { sharedFields } from './shared-fields.ts';

export type SeveralActs = Pick<
  EditCallbacks,
  'onGroup' | 'onUngroup' | 'onExtract' | 'onInline' | 'onDuplicate' | 'onCopy' | 'onDelete'
>;

interface SeveralFormProps {
  steps: readonly GraphStep[];
  acts: SeveralActs;
  edits: SeveralEdits;
}

export function SeveralForm({ steps, acts, edits }: SeveralFormProps) {
  const form = useForm();
  const { language } = form;
  const names = steps.map(({ name }) => name);
  const verbs = steps.map(({ verb }) => verb).join();
  const fields = useMemo(() => sharedFields(language, steps), [language, verbs]);
  return (
    <>
      <header class="form-head">
        <h2 class="plain">{t('{count, plural, one {# step} other {# steps}} selected', { count: steps.length })}</h2>
        <small>{kindsOf(steps)}</small>
      </header>
      {!form.isLocked && <Acts steps={steps} acts={acts} />}
      <section class="form-section">
        <h3 class="several-shared">
          {t('What they share')} <small>{t('changes all')}</small>
        </h3>
        {fields.map((field) => (
          <SharedField key={`${names.join()} ${field.path.join('.')}`} field={field} names={names} edits={edits} />
        ))}
      </section>
    </>
  );
}

function Acts({ steps, acts }: Omit<SeveralFormProps, 'edits'>) {
  const names = steps.map(({ name }) => name);
  const copy = (): void => {
    const text = acts.onCopy?.(names);
    if (text === undefined) return;
    navigator.clipboard
      .writeText(text)
      .then(() => tell(t('{count, plural, one {# step} other {# steps}} copied', { count: names.length })), tellError);
  };
  const isGrouped = steps.some(({ section }) => section !== undefined);
  return (
    <div class="several-acts">
      <button type="button" class="button" onClick={() => acts.onGroup?.(names)}>
        {t('Group')} <Keys of="Ctrl+g" />
      </button>
      {isGrouped && (
        <button type="button" class="button" onClick={() => acts.onUngroup?.(names)}>
          {t('Ungroup')} <Keys of="Ctrl+Shift+G" />
        </button>
      )}
      <button type="button" class="button" onClick={() => acts.onExtract?.(names)}>
        {t('Extract as a sub-flow …')}
      </button>
      <button type="button" class="button" onClick={() => acts.onDuplicate?.(names)}>
        {t('Duplicate')} <Keys of="Ctrl+d" />
      </button>
      <button type="button" class="button" onClick={copy}>
        {t('Copy')} <Keys of="Ctrl+c" />
      </button>
      <button type="button" class="button danger" onClick={() => acts.onDelete?.(names)}>
        {t('Delete')} <Keys of="Delete" />
      </button>
    </div>
  );
}

interface SharedFieldProps {
  field: FormField;
  names: readonly string[];
  edits: SeveralEdits;
}

/** A field of all steps. Different values are shown as none, until the field is changed. */
function SharedField({ field, names, edits }: SharedFieldProps) {
  const form = useForm();
  const values = names.map((step) => argumentAt(form.flow, step, field.path, form.language));
  const isMixed = values.some((value) => !isSame(value, values[0]));
  const first: FormContext = { ...form, step: names[0]!, edits };
  const shown = isMixed ? { ...first, flow: without(form.flow, pathInFlow(first, field.path)) } : first;
  return (
    <FormProvider value={shown}>
      <div class={isMixed ? 'several-field mixed' : 'several-field'}>
        <FieldView field={field} />
        {isMixed && <em>{t('Mixed')}</em>}
      </div>
    </FormProvider>
  );
}

const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  one === undefined || other === undefined ? one === other : isEqualJson(one, other);

/** Copy of a map without the value at a path. */
function without(map: JsonObject, [key, ...rest]: Path): JsonObject {
  const inner = map[String(key)];
  if (rest.length > 0) return isObject(inner) ? { ...map, [String(key)]: without(inner, rest) } : map;
  return Object.fromEntries(Object.entries(map).filter(([name]) => name !== key));
}

/** `2 × menu · play`. */
function kindsOf(steps: readonly GraphStep[]): string {
  const counts = Map.groupBy(steps, ({ verb, verb_label }) => verb_label ?? verb);
  return [...counts].map(([kind, { length }]) => (length === 1 ? kind : `${length} × ${kind}`)).join(' · ');
}
