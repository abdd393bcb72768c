/** Second page of the list of steps: asks for the arguments that cannot be invented, or whether to cut off steps. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { Keys } from '../shell/keys.tsx';
import { type AskedPart, asksOf, type Known, proposedAnswers, writtenAnswer } from './answers.ts';
import type { ChosenStep } from './choice.ts';
import type { StepItem } from './search-steps.ts';
import { StepWords } from './step-words.tsx';
import { WORDS } from './words.ts';

export interface AskedItem {
  item: StepItem;
  isOn: boolean;
  /** Steps that cannot be reached any more after this one. */
  lost: readonly string[];
  refused?: string;
}

interface AskPageProps {
  asked: AskedItem;
  known: Known;
  /** True if a step to do may take the place of the step. */
  canWait: boolean;
  take(choice: ChosenStep): Promise<string | undefined>;
  back(): void;
}

const MAX_PROPOSED = 8;

export function AskPage({ asked, known, canWait, take, back }: AskPageProps) {
  const { item, lost } = asked;
  const verb = known.verbs[item.verb]!;
  const asks = item.says === undefined ? asksOf(item, known.verbs) : [];
  const answers = useSignal<readonly string[]>(asks.map(({ value = '' }, index) => item.answers?.[index] ?? value));
  const refused = useSignal(asked.refused);
  const isBusy = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('input, button.primary')?.focus(), []);

  const isEmpty = answers.value.some((answer) => answer.trim() === '');
  const send = async (choice: Partial<ChosenStep>): Promise<void> => {
    if (isBusy.value) return;
    const written = asks.map(({ kind }, index) => writtenAnswer(kind, answers.value[index] ?? ''));
    if (choice.later === undefined && written.includes(undefined)) {
      refused.value = WORDS.noParty;
      return;
    }
    isBusy.value = true;
    const { verb: name, says, template } = item;
    const whole = {
      verb: name,
      answers: written.map((answer = '') => answer),
      isOn: asked.isOn,
      ...(says !== undefined && { says }),
      ...(template !== undefined && { template }),
    };
    refused.value = await take({ ...whole, ...choice });
    isBusy.value = false;
    if (refused.value !== undefined) form.current?.querySelector('input')?.focus();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!isEmpty) void send({});
  };
  return (
    <form class="picker-ask" ref={form} onSubmit={submit}>
      <div class={`picker-asked g-${verb.group}`}>
        <StepWords step={item} />
      </div>
      {asks.map((ask, index) => (
        <Question
          key={ask.question}
          ask={ask}
          known={known}
          answer={answers.value[index] ?? ''}
          isWrong={refused.value !== undefined}
          change={(answer) => {
            answers.value = answers.value.with(index, answer);
            refused.value = undefined;
          }}
        />
      ))}
      {lost.length > 0 && (
        <p>
          {WORDS.ends(item.name, lost.length)} {lost.slice(0, MAX_PROPOSED).join(', ')}
          {lost.length > MAX_PROPOSED && ' …'}
        </p>
      )}
      <p role="alert" id="picker-refused">
        {refused.value}
      </p>
      <div class="picker-buttons">
        <button type="button" class="button" onClick={back}>
          {WORDS.back}
        </button>
        {canWait && asks.length > 0 && item.template === undefined && (
          <button
            type="button"
            class="button quiet"
            title={WORDS.laterHelp}
            onClick={() => void send({ later: item.name })}
          >
            {WORDS.later}
          </button>
        )}
        {lost.length > 0 && (
          <button type="button" class="button" disabled={isEmpty} onClick={() => void send({ dropped: lost })}>
            {WORDS.addAndDelete}
          </button>
        )}
        <button type="submit" class="button primary" disabled={isEmpty || isBusy.value}>
          {isBusy.value ? WORDS.adding : lost.length > 0 ? WORDS.addAndKeep : canWait ? WORDS.add : WORDS.fillIn}{' '}
          <Keys of="Enter" />
        </button>
      </div>
    </form>
  );
}

interface QuestionProps {
  ask: AskedPart;
  known: Known;
  answer: string;
  isWrong: boolean;
  change(answer: string): void;
}

/** A field with the names that fit, each a button that fills it in. */
function Question({ ask, known, answer, isWrong, change }: QuestionProps) {
  const proposed = useSignal<readonly string[]>([]);
  useEffect(() => {
    void proposedAnswers(ask.kind, known).then((names) => (proposed.value = names));
  }, []);
  const near = proposed.value.filter((name) => name !== answer && name.toLowerCase().includes(answer.toLowerCase()));
  const shown = near.length > 0 || proposed.value.includes(answer) ? near : proposed.value;
  return (
    <div class="picker-question">
      <label>
        {t(ask.question)}
        <input
          value={answer}
          placeholder={ask.hint && t(ask.hint)}
          spellcheck={false}
          autocomplete="off"
          aria-invalid={isWrong}
          aria-describedby="picker-refused"
          onInput={(event) => change(event.currentTarget.value)}
        />
      </label>
      <div class="picker-proposed">
        {shown.slice(0, MAX_PROPOSED).map((name) => (
          <button type="button" key={name} onClick={() => change(name)}>
            {name}
          </button>
        ))}
      </div>
    </div>
  );
}
