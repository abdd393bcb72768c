/** Asks the participant at the end for a rating and a text, both optional. */
import { useSignal } from '@preact/signals';
import { t } from '../../shared/web/words/translate.ts';
import { giveFeedback } from './meeting.ts';

/** Words of the ratings 1 to 5. */
const RATINGS = [t('Very bad'), t('Bad'), t('Fair'), t('Good ## rating'), t('Very good')] as const;
const MAX_LENGTH = 2000;

export function FeedbackForm() {
  const rating = useSignal(0);
  const text = useSignal('');
  const state = useSignal<'asking' | 'sending' | 'sent' | 'failed'>('asking');
  if (state.value === 'sent') {
    return (
      <p class="feedback" role="status">
        {t('Thank you for your feedback.')}
      </p>
    );
  }
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    state.value = 'sending';
    state.value = await giveFeedback(rating.peek(), text.peek().trim()).then(
      () => 'sent',
      () => 'failed',
    );
  };
  return (
    <form class="feedback" onSubmit={(event) => void send(event)}>
      <fieldset>
        <legend>{t('How was it?')}</legend>
        <div class="ratings">
          {RATINGS.map((words, index) => (
            <label key={words} title={words}>
              <input
                type="radio"
                name="rating"
                value={index + 1}
                aria-label={t('{rating} of 5: {words}', { rating: index + 1, words })}
                checked={rating.value === index + 1}
                onChange={() => {
                  rating.value = index + 1;
                }}
              />
              <span aria-hidden="true">{index + 1}</span>
            </label>
          ))}
        </div>
        <p class="rating-ends hint" aria-hidden="true">
          <span>{RATINGS[0]}</span>
          <span>{RATINGS.at(-1)}</span>
        </p>
      </fieldset>
      <label class="feedback-text">
        <span>{t('What could be better? (optional)')}</span>
        <textarea
          rows={2}
          maxLength={MAX_LENGTH}
          value={text.value}
          onInput={({ currentTarget: { value } }) => {
            text.value = value;
          }}
        />
      </label>
      <button type="submit" class="button" disabled={rating.value === 0 || state.value === 'sending'}>
        {t('Send feedback')}
      </button>
      <p class="problem" role="alert">
        {state.value === 'failed' && t('The feedback could not be sent.')}
      </p>
    </form>
  );
}
