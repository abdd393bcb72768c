/** Words that callers hear, also those of the table `prompts`, with a button that speaks them. */
import { useRef } from 'preact/hooks';
import { isObject, type JsonObject } from '../../../../base/core/json.ts';
import type { Path } from '../../../../language/flow/text/flow-source.ts';
import { valueAt } from '../../../../language/flow/text/flow-source.ts';
import { usesOf } from '../../../../language/flow/text/names.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { canSpeak } from '../simulator/speech-output.ts';
import { type EditorProps, type FormContext, flowIn, pathInFlow, useForm, valueAtPath } from './context.ts';
import { speakable } from './declared-values.ts';
import type { FormField } from './fields.ts';
import { spokenNow, toggleSpeech } from './speak.ts';
import { partsOf, problemOfWords, type WordsPart } from './words.ts';
import { WordsField } from './words-field.tsx';

export function WordsEditor({ field, value }: EditorProps) {
  const form = useForm();
  const place = pathInFlow(form, field.path);
  const parts = partsOf(form.flow, place, value);
  // The words of the question are shown once.
  const again = field.path[1] === 'prompt' ? undefined : valueAtPath(form, [field.path[0]!, 'prompt']);
  const shown = parts.length > 0 ? parts : [{ path: place, kind: 'words' as const, text: '' }];
  return (
    <span class="words">
      {shown.map((part, index) =>
        part.prompt !== undefined && part.prompt === again ? (
          <span class="words-same" key={part.path.join('.')}>
            {t('The same words again')}
          </span>
        ) : (
          <PartField
            key={part.path.join('.')}
            field={field}
            part={part}
            isWhole={samePath(part.path, place)}
            label={shown.length === 1 ? field.label : `${field.label} ${part.language ?? index + 1}`}
          />
        ),
      )}
    </span>
  );
}

const samePath = (one: Path, other: Path): boolean => one.join('\n') === other.join('\n');

interface PartProps {
  field: FormField;
  part: WordsPart;
  /** True if the words are the whole value of the field. */
  isWhole: boolean;
  label: string;
}

function PartField({ field, part, isWhole, label }: PartProps) {
  const form = useForm();
  const { path, kind, text } = part;
  const inserts = useRef<((expression: string) => void) | undefined>(undefined);
  const title = form.step === '' ? t('change words of the flow') : t('change words of {step}', { step: form.step });
  const now = (): string => {
    const flow = flowIn(form.draft.text.peek());
    const value = flow && valueAt(flow, path);
    return typeof value === 'string' ? value : '';
  };
  const accept = (typed: string): string | undefined => {
    const words = typed.trim();
    const name = path.join('.');
    if (words === '') {
      if (!isWhole || field.isRequired || (field.path[1] === 'prompt' && isLastPrompt(form, field))) {
        return t('Something has to be said');
      }
      return form.edits.set({ step: form.step, path: field.path, value: undefined, title, field: name });
    }
    const problem = problemOfWords(part, words);
    if (problem !== undefined) return problem;
    if (isWhole) return form.edits.set({ step: form.step, path: field.path, value: words, title, field: name });
    return form.edits.change(() => [{ do: 'set', path, value: words }], title, name);
  };
  if (kind === 'other') {
    return <span class="words-other">{text}</span>;
  }
  return (
    <span class="words-part">
      <WordsField
        {...{ label, now, accept, inserts }}
        shown={text}
        placeholder={
          field.key.otherwise?.replaceAll('`', '') ?? (field.isRequired ? t('What should be said?') : t('Nothing'))
        }
      />
      <PartTools field={field} part={part} insert={(expression) => inserts.current?.(expression)} />
    </span>
  );
}

/** A verb such as `play` needs its words although its schema requires no key. */
const isLastPrompt = ({ flow, step, language }: FormContext, { path }: FormField): boolean => {
  const args = valueAt(flow, ['steps', step, path[0]!]);
  return (
    language.verbs[String(path[0])]?.short === path[1] &&
    Object.keys(isObject(args ?? null) ? (args as JsonObject) : {}).length <= 1
  );
};

interface ToolsProps {
  field: FormField;
  part: WordsPart;
  /** Inserts a value at the cursor of the words. */
  insert(expression: string): void;
}

/** Below the words: hear them, add a variable, where they are shared. */
function PartTools({ field, part: { text, kind, prompt, language }, insert }: ToolsProps) {
  const form = useForm();
  const uses = prompt === undefined ? [] : usesOf(form.draft.names.value, { kind: 'prompt', name: prompt });
  if (text === '') return null;
  if (kind === 'sound') return <small class="words-tools">{t('The sound “{text}”', { text })}</small>;
  return (
    <span class="words-tools">
      {canSpeak && (
        <button
          type="button"
          class="speak"
          aria-label={spokenNow.value === text ? t('Stop') : t('Hear these words')}
          title={spokenNow.value === text ? t('Stop') : t('Hear these words')}
          onClick={() => toggleSpeech(text, language ?? localeOf(form))}
        >
          {spokenNow.value === text ? '■' : '▶'}
        </button>
      )}
      {language !== undefined && <small>{language}</small>}
      {uses.length > 1 && (
        <small>
          {t('used in {count, plural, one {# place} other {# places}} ·', { count: uses.length })}{' '}
          <button
            type="button"
            class="link"
            disabled={form.isLocked}
            onClick={() =>
              form.edits.set({
                ...{ step: form.step, path: field.path, value: text },
                title: t('write the words of {step} here only', { step: form.step }),
              })
            }
          >
            {t('only here')}
          </button>
        </small>
      )}
      {!form.isLocked && (
        <select
          class="add-variable"
          aria-label={t('Add a variable')}
          value=""
          onChange={({ currentTarget }) => {
            const { value } = currentTarget;
            currentTarget.value = '';
            if (value !== '') insert(value);
          }}
        >
          <option value="">{t('+ Variable')}</option>
          {speakable(form.flow).map((expression) => (
            <option key={expression} value={expression}>
              {expression}
            </option>
          ))}
        </select>
      )}
    </span>
  );
}

/** Language of the step, else of the flow. */
function localeOf({ flow, step }: FormContext): string {
  const found = valueAt(flow, ['steps', step, 'locale']) ?? valueAt(flow, ['defaults', 'locale']);
  return typeof found === 'string' ? found : 'en-US';
}
