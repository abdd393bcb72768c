/** A value as YAML, for everything that has no editor of its own. It is applied when it is complete. */

import type { Json } from '../../../../base/core/json.ts';
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { readWhole } from '../../../../language/flow/text/flow-reader.ts';
import { isSource, openText } from '../../../../language/flow/text/flow-source.ts';
import { writtenValue } from '../../../../language/flow/text/value-text.ts';
import { inSentence, t } from '../../../shared/web/words/translate.ts';
import { type EditorProps, type FormContext, pathInFlow, useForm } from './context.ts';
import { problemOf } from './limits.ts';
import { Typing } from './typing.tsx';

export function YamlEditor({ field, id, value }: EditorProps) {
  const form = useForm();
  const { path, label, key } = field;
  const accept = (text: string): string | undefined => {
    const written = text.replace(/\s+$/, '');
    if (written === '') {
      if (field.isRequired) return t('This is needed');
      return form.edits.set({
        step: form.step,
        path,
        value: undefined,
        title: t('clear {label} of {step}', { label: inSentence(label), step: form.step }),
      });
    }
    const read = valueIn(written);
    if (read === undefined) return t('This is not complete YAML yet');
    const problem = problemOf(read.value, key);
    if (problem !== undefined) return problem;
    const title = t('change {label} of {step}', { label: inSentence(label), step: form.step });
    return form.edits.set({ step: form.step, path, value: read.value, written, title, field: path.join('.') });
  };
  return (
    <Typing
      id={id}
      shown={value === undefined ? '' : writtenAt(form, path)}
      now={() => writtenAt(form, path)}
      accept={accept}
      isLocked={form.isLocked}
      isLong
      isMono
      placeholder={key.otherwise?.replaceAll('`', '') ?? 'YAML'}
    />
  );
}

function writtenAt(form: FormContext, path: EditorProps['field']['path']): string {
  const source = openText(form.draft.text.peek());
  return isRefusal(source) ? '' : (writtenValue(source, pathInFlow({ ...form, flow: source.value }, path)) ?? '');
}

/** Value of a text; undefined if it is not complete. */
function valueIn(written: string): { value: Json } | undefined {
  const indented = written.includes('\n') || /^[^"'[{]*: /.test(written) || /^- /.test(written);
  const text = indented ? `value:\n${written.replaceAll(/^/gm, '  ')}\n` : `value: ${written}\n`;
  const read = readWhole(text);
  return isSource(read) && read.problem === undefined ? { value: read.value['value']! } : undefined;
}
