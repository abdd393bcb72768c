/**
 * Responses of external systems, chosen while the call waits for them, and editable later. The service lists the
 * possible ones at each request and party.
 */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { type Json, parseJson } from '../../../../base/core/json.ts';
import { t, tNodes } from '../../../shared/web/words/translate.ts';
import type { RecordedReply } from '../journal/entries.ts';
import { wordsOfAnswer } from '../journal/outside.ts';
import type { CallSession } from './call-session.ts';
import type { Mock, SimulatedAnswerData, SimulatedParty, SimulatedRequest } from './simulation.ts';
import { nthOf } from './way.ts';

interface RequestAnswerProps {
  session: CallSession;
  request: SimulatedRequest;
  answer: RecordedReply | undefined;
}

export function RequestAnswer({ session, request, answer }: RequestAnswerProps) {
  const { step, nth, state, mocked } = request;
  const isOpen = state === 'open' && !mocked;
  const isChanging = useSignal(false);
  const next = useSignal(false);
  const answerWith = (answer: Json): void => {
    const mock: Mock = { of: 'request', step, nth: next.value ? nth + 1 : nth, answer };
    isChanging.value = false;
    void session.do({ do: 'mock', mock });
  };
  if (!isOpen && !isChanging.value) {
    return (
      <button
        type="button"
        class={`answer ${answer?.ok === true && (answer.status ?? 0) < 400 ? 'good' : 'bad'}`}
        title={t('Change what it answers')}
        onClick={() => {
          isChanging.value = true;
        }}
      >
        {answer === undefined ? t('given up') : wordsOfAnswer(answer)}
      </button>
    );
  }
  return (
    <fieldset class="answers">
      <legend>
        {nth > 1
          ? tNodes('What does {step} get at request {nth}?', { step: <b>{step}</b>, nth })
          : tNodes('What does {step} get?', { step: <b>{step}</b> })}
      </legend>
      <OwnAnswer answerWith={answerWith} />
      <Choices answers={request.answers} choose={answerWith} />
      {!isOpen && (
        <div class="choices">
          <label>
            <input
              type="checkbox"
              checked={next.value}
              onChange={(event) => {
                next.value = event.currentTarget.checked;
              }}
            />
            {t('only the next time')}
          </label>
          <button
            type="button"
            class="button quiet"
            onClick={() => {
              isChanging.value = false;
            }}
          >
            {t('Leave it')}
          </button>
        </div>
      )}
    </fieldset>
  );
}

function Choices({ answers, choose }: { answers: readonly SimulatedAnswerData[]; choose(answer: Json): void }) {
  return (
    <div class="choices">
      {answers.map(({ label, answer }) => (
        <button key={label} type="button" class="button" onClick={() => choose(answer)}>
          {label}
        </button>
      ))}
    </div>
  );
}

function OwnAnswer({ answerWith }: { answerWith(answer: Json): void }) {
  const status = useSignal('200');
  const body = useSignal('{}');
  const problem = useSignal<string | undefined>(undefined);
  const problemId = useId();
  return (
    <form
      class="own-answer"
      onSubmit={(event) => {
        event.preventDefault();
        const parsed = parseJson(body.value.trim() === '' ? 'null' : body.value);
        problem.value = parsed === undefined ? t('This is not JSON: put names and texts in double quotes.') : undefined;
        if (parsed !== undefined) answerWith({ status: Number(status.value), body: parsed });
      }}
    >
      <input
        aria-label={t('Status')}
        class="status-code"
        inputMode="numeric"
        pattern="[1-5][0-9][0-9]"
        required
        value={status.value}
        onInput={(event) => {
          status.value = event.currentTarget.value;
        }}
      />
      <textarea
        aria-label={t('Body, as JSON')}
        rows={2}
        spellcheck={false}
        value={body.value}
        aria-describedby={problem.value === undefined ? undefined : problemId}
        onInput={(event) => {
          body.value = event.currentTarget.value;
        }}
      />
      <button type="submit" class="button primary">
        {t('Answer ## with this')}
      </button>
      {problem.value !== undefined && (
        <p id={problemId} class="bad" role="alert">
          {problem.value}
        </p>
      )}
    </form>
  );
}

interface PartyAnswerProps {
  session: CallSession;
  party: SimulatedParty;
  phase: string;
  cause: string | undefined;
}

export function PartyAnswer({ session, party, phase, cause }: PartyAnswerProps) {
  const { name, leg, verb = 'bridge', state, mocked } = party;
  const isChanging = useSignal(false);
  const isOpen = !mocked && state === 'ringing';
  const does = (acts: Json): void => void session.do({ do: 'party', name, acts });
  if (isOpen || isChanging.value) {
    return (
      <fieldset class="answers">
        <legend>{tNodes('What does {name} do?', { name: <b>{name}</b> })}</legend>
        <Choices
          answers={party.answers}
          choose={(answer) => {
            isChanging.value = false;
            void session.do({
              do: 'mock',
              mock: { of: 'party', verb, number: name, nth: nthOf(leg, session.now.value!), answer },
            });
          }}
        />
      </fieldset>
    );
  }
  return (
    <>
      <button
        type="button"
        class={`answer ${phase === 'answered' ? 'good' : ''}`}
        title={t('Change what it does')}
        onClick={() => {
          isChanging.value = true;
        }}
      >
        {phase}
        {cause !== undefined && `: ${cause}`}
      </button>
      {state === 'connected' && session.now.value?.state !== 'ended' && (
        <span class="choices">
          <button type="button" class="button" onClick={() => does('hang_up')}>
            {t('it hangs up')}
          </button>
          <button type="button" class="button" onClick={() => does({ press: '1' })}>
            {t('it presses 1')}
          </button>
        </span>
      )}
    </>
  );
}
