/** Control for text: applies each valid character, and keeps what is not valid to itself with a sentence below. */

import { t } from '../../../shared/web/words/translate.ts';
import { useForm } from './context.ts';
import { useTyped } from './use-typed.ts';

interface TypingProps {
  id?: string;
  label?: string;
  shown: string;
  now(): string;
  accept(text: string): string | undefined;
  isLocked: boolean;
  isLong?: boolean;
  isMono?: boolean;
  placeholder?: string | undefined;
  inputMode?: 'decimal';
  /** Next text for the arrow keys. */
  step?(text: string, by: number): string;
  /** True to take the pressed key of the phone at once. */
  press?: boolean;
  /** Id of a list of proposals. */
  list?: string;
  class?: string;
  /** True to tell what is stored while it differs from what is typed. */
  tellsStored?: boolean;
}

const PHONE_KEY = /^[0-9*#]$/;

export function Typing(props: TypingProps) {
  const { id, label, shown, now, accept, isLocked, isLong, isMono, placeholder, inputMode, step, press } = props;
  const { edits } = useForm();
  const typed = useTyped({ shown, now, accept });
  const describedBy = typed.problem === undefined ? undefined : `${id ?? label}-problem`;
  const common = {
    id,
    'aria-label': label,
    'aria-invalid': typed.problem !== undefined,
    'aria-describedby': describedBy,
    readOnly: isLocked,
    placeholder,
    value: typed.text,
    class: `${props.class ?? ''}${isMono ? ' mono' : ''}`,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      typed.onInput(currentTarget.value),
    onBlur: () => {
      typed.onLeave();
      edits.leave();
    },
    onKeyDown: (event: KeyboardEvent & { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      const field = event.currentTarget;
      if (event.key === 'Escape') {
        event.preventDefault();
        event.stopPropagation();
        if (!typed.bringBack()) field.blur();
      } else if (step !== undefined && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
        event.preventDefault();
        typed.onInput(step(field.value, event.key === 'ArrowUp' ? 1 : -1));
      } else if (press && PHONE_KEY.test(event.key) && !event.ctrlKey && !event.altKey && !event.metaKey) {
        event.preventDefault();
        typed.onInput(event.key);
      } else if (event.key === 'Enter' && !isLong) {
        event.preventDefault();
        typed.onLeave();
      }
    },
  };
  return (
    <>
      {isLong ? (
        <textarea {...common} rows={1} />
      ) : (
        <input {...common} type="text" list={props.list} inputMode={inputMode} autocomplete="off" spellcheck={false} />
      )}
      {props.tellsStored && typed.problem === undefined && shown !== '' && typed.text.trim() !== shown && (
        <small class="field-help" role="status">
          {t('Stored: {shown}', { shown })}
        </small>
      )}
      <TypedProblem id={describedBy} problem={typed.problem} shown={shown} />
    </>
  );
}

interface TypedProblemProps {
  id: string | undefined;
  problem: string | undefined;
  /** Text of the value that the flow keeps. */
  shown: string;
}

export const TypedProblem = ({ id, problem, shown }: TypedProblemProps) =>
  problem === undefined ? null : (
    <small class="field-problem" role="alert" id={id}>
      {shown === '' ? problem : t('{problem}. The flow still has: {shown}', { problem, shown })}
    </small>
  );
