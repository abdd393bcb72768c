/** Fields of one line or a few: texts, numbers, durations, keys of the phone and conditions. */
import { useRef } from 'preact/hooks';
import { inSentence, t } from '../../../shared/web/words/translate.ts';
import { ConditionEditor } from './condition-editor.tsx';
import { type EditorProps, flowIn, useForm, valueAtPath } from './context.ts';
import { saysOf } from './limits.ts';
import { Proposed, storedText } from './proposed.tsx';
import { Typing } from './typing.tsx';
import { defaultWords, readTyped, shownValue } from './values.ts';

/** `named`: name of a control that no label is for. */
export function ScalarEditor({ field, id, value, named }: EditorProps & { named?: string }) {
  const form = useForm();
  const { editor, key, path, label } = field;
  const name = useRef(path.join('.')).current;
  const now = (): string => {
    const flow = flowIn(form.draft.text.peek());
    return flow === undefined ? '' : shownValue(valueAtPath({ ...form, flow }, path), editor);
  };
  const accept = (text: string): string | undefined => {
    const stored = editor === 'text' ? storedText(form.language, path, text) : text;
    if (stored === undefined) return saysOf(key);
    const read = readTyped(stored, key, editor);
    if (read.problem !== undefined) return read.problem;
    if (read.value === undefined && field.isRequired) return t('This is needed');
    const title = t('change {label} of {step}', { label: inSentence(label), step: form.step || String(path.at(-2)) });
    return form.edits.set({ step: form.step, path, value: read.value, title, field: name });
  };
  if (editor === 'expression') {
    return (
      <ConditionEditor
        {...{ id, label, value, isRequired: false }}
        now={() => valueAtPath({ ...form, flow: flowIn(form.draft.text.peek()) ?? {} }, path)}
        set={(to) =>
          form.edits.set({
            ...{ step: form.step, path, value: to, field: name },
            title: t('change condition of {step}', { step: form.step }),
          })
        }
      />
    );
  }
  return (
    <Proposed path={path}>
      {(list) => (
        <Typing
          {...(list !== undefined && { list })}
          id={id}
          {...(named !== undefined && { label: named })}
          shown={shownValue(value, editor)}
          now={now}
          accept={accept}
          isLocked={form.isLocked}
          isLong={editor === 'long'}
          isMono={editor === 'key'}
          placeholder={defaultWords(key, editor)}
          tellsStored={editor === 'duration' || (editor === 'text' && /^[+\d\s(]/.test(shownValue(value, editor)))}
          {...(editor === 'number' && {
            inputMode: 'decimal' as const,
            step: (text: string, by: number) => String((Number(text === '' ? (key.default ?? 0) : text) || 0) + by),
          })}
          {...(editor === 'key' && { press: true })}
        />
      )}
    </Proposed>
  );
}
