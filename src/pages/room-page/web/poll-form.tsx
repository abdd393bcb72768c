/** Form with which a moderator asks all a question. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { t } from '../../shared/web/words/translate.ts';
import { say } from './meeting.ts';

const MAX_ANSWERS = 8;
const MIN_ANSWERS = 2;
const MAX_QUESTION = 300;
const MAX_ANSWER = 200;

export function PollForm() {
  const question = useSignal('');
  const answers = useSignal<readonly string[]>(['', '']);
  const isMultiple = useSignal(false);
  const isAnonymous = useSignal(true);
  const isForAll = useSignal(true);
  const written = answers.value.map((text) => text.trim()).filter((text) => text !== '');
  const isComplete = question.value.trim() !== '' && written.length >= MIN_ANSWERS;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!isComplete) return;
    say({
      ...{ type: 'poll_start', question: question.peek().trim(), answers: written },
      ...{
        multiple: isMultiple.peek(),
        anonymous: isAnonymous.peek(),
        results: isForAll.peek() ? 'all' : 'moderators',
      },
    });
    question.value = '';
    answers.value = ['', ''];
  };
  return (
    <form class="poll-form" onSubmit={submit}>
      <label>
        <span>{t('Question')}</span>
        <input
          data-first
          type="text"
          autocomplete="off"
          maxLength={MAX_QUESTION}
          value={question.value}
          onInput={({ currentTarget: { value } }) => {
            question.value = value;
          }}
        />
      </label>
      {answers.value.map((text, index) => (
        <label key={index}>
          <span>{t('Answer {number}', { number: index + 1 })}</span>
          <input
            type="text"
            autocomplete="off"
            maxLength={MAX_ANSWER}
            value={text}
            onInput={({ currentTarget: { value } }) => {
              answers.value = answers.peek().with(index, value);
            }}
          />
        </label>
      ))}
      {answers.value.length < MAX_ANSWERS && (
        <button
          type="button"
          class="button quiet"
          onClick={() => {
            answers.value = [...answers.peek(), ''];
          }}
        >
          {t('+ Another answer')}
        </button>
      )}
      <Check isOn={isMultiple.value} change={(isOn) => (isMultiple.value = isOn)}>
        {t('Several answers may be chosen')}
      </Check>
      <Check isOn={isAnonymous.value} change={(isOn) => (isAnonymous.value = isOn)}>
        {t('Without names')}
      </Check>
      <Check isOn={isForAll.value} change={(isOn) => (isForAll.value = isOn)}>
        {t('All see the results')}
      </Check>
      <button type="submit" class="button primary" disabled={!isComplete}>
        {t('Ask all')}
      </button>
    </form>
  );
}

const Check = ({
  isOn,
  change,
  children,
}: {
  isOn: boolean;
  change(isOn: boolean): void;
  children: ComponentChildren;
}) => (
  <label class="check">
    <input type="checkbox" checked={isOn} onChange={({ currentTarget: { checked } }) => change(checked)} />
    <span>{children}</span>
  </label>
);
