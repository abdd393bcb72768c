/** Polls of the session: votes and results; for moderators also the form for a question. */
import { useSignal } from '@preact/signals';
import type { Poll } from '../../../../client/room-client.js';
import { listText, t } from '../../shared/web/words/translate.ts';
import { say } from './meeting.ts';
import { PollForm } from './poll-form.tsx';
import { isModerator, mayWrite, type SessionState } from './room-state.ts';
import { SidePanel } from './side-panel.tsx';

export function PollsPanel({ state }: { state: SessionState }) {
  const { polls } = state;
  const mayAsk = isModerator(state) && !polls.some(({ open }) => open);
  return (
    <SidePanel title={t('Polls')}>
      <div class="panel-body polls">
        {mayAsk && <PollForm />}
        {polls.map((poll) => (
          <Question key={poll.id} poll={poll} state={state} />
        ))}
      </div>
    </SidePanel>
  );
}

function Question({ poll, state }: { poll: Poll; state: SessionState }) {
  const { id, by, question, multiple, anonymous, results, open, votes, counts } = poll;
  const facts = [
    open ? t('Asked by {name}', { name: by }) : t('Closed ## poll'),
    t('{count, plural, one {# vote} other {# votes}}', { count: votes }),
    anonymous ? t('without names') : t('with names'),
    ...(multiple ? [t('several answers')] : []),
    ...(results === 'moderators' ? [t('results for moderators')] : []),
  ];
  return (
    <section class="poll" aria-label={question}>
      <h3>{question}</h3>
      <p class="hint">{facts.join(' · ')}</p>
      {open && mayWrite(state) && <VoteForm poll={poll} />}
      {counts && <Results poll={poll} counts={counts} />}
      {open && isModerator(state) && (
        <button type="button" class="button" onClick={() => say({ type: 'poll_close', poll: id })}>
          {t('Close the poll')}
        </button>
      )}
    </section>
  );
}

function VoteForm({ poll: { id, question, answers, multiple, own } }: { poll: Poll }) {
  const chosen = useSignal<readonly number[]>(own ?? []);
  const vote = (event: Event): void => {
    event.preventDefault();
    if (chosen.peek().length > 0) say({ type: 'vote', poll: id, answers: [...chosen.peek()] });
  };
  const choose = (index: number, isOn: boolean): void => {
    if (!multiple) chosen.value = [index];
    else chosen.value = isOn ? [...chosen.peek(), index] : chosen.peek().filter((each) => each !== index);
  };
  const isSaved = own?.length === chosen.value.length && own.every((index) => chosen.value.includes(index));
  return (
    <form class="vote" onSubmit={vote}>
      <fieldset>
        <legend class="unseen">{question}</legend>
        {answers.map((text, index) => (
          <label key={index} class="check">
            <input
              type={multiple ? 'checkbox' : 'radio'}
              name={id}
              checked={chosen.value.includes(index)}
              onChange={({ currentTarget: { checked } }) => choose(index, checked)}
            />
            <span>{text}</span>
          </label>
        ))}
      </fieldset>
      <button type="submit" class="button primary" disabled={chosen.value.length === 0 || isSaved}>
        {isSaved ? t('Voted') : own ? t('Change the vote') : t('Vote')}
      </button>
    </form>
  );
}

function Results({ poll: { answers, votes, own, voters }, counts }: { poll: Poll; counts: readonly number[] }) {
  const shareOf = (count: number): number => (votes === 0 ? 0 : Math.round((count / votes) * 100));
  return (
    <ul class="poll-results" aria-label={t('Results')}>
      {answers.map((text, index) => {
        const count = counts[index] ?? 0;
        const names = voters?.[index] ?? [];
        return (
          <li key={index}>
            <p class="poll-result">
              <span>{own?.includes(index) ? t('{answer} (your vote)', { answer: text }) : text}</span>
              <span>{t('{count} · {percent} %', { count, percent: shareOf(count) })}</span>
            </p>
            <div class="poll-bar" aria-hidden="true">
              <div style={{ inlineSize: `${shareOf(count)}%` }} />
            </div>
            {names.length > 0 && <p class="hint">{listText(names)}</p>}
          </li>
        );
      })}
    </ul>
  );
}
