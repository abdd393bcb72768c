/** Replay of the latest calls on a text: the number with the same path, and a list of the others. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { announce, tellError } from '../shell/messages.tsx';
import { addressOf } from '../shell/router.ts';
import { type Replayed, replayOn } from './version-api.ts';

const CALLS = 200;

export interface Replay {
  isRunning: boolean;
  /** Results for this version. */
  results: readonly Replayed[] | undefined;
  start(): void;
}

export function useReplay(flow: string, hash: string | undefined, text: string | undefined): Replay {
  const state = useSignal<{ hash: string | undefined; isRunning: boolean; results?: Replayed[] }>({
    hash: undefined,
    isRunning: false,
  });
  const abort = useSignal<AbortController | undefined>(undefined);
  useEffect(() => () => abort.peek()?.abort(), [flow, hash]);
  const start = async (): Promise<void> => {
    if (text === undefined || state.peek().isRunning) return;
    abort.value = new AbortController();
    state.value = { hash, isRunning: true };
    try {
      const results = await replayOn(flow, text, CALLS, abort.value.signal);
      state.value = { hash, isRunning: false, results };
      announce(wordsOf(results));
    } catch (error) {
      state.value = { hash, isRunning: false };
      if (!abort.value.signal.aborted) tellError(error);
    }
  };
  const { isRunning, results, hash: of } = state.value;
  return { isRunning: isRunning && of === hash, results: of === hash ? results : undefined, start: () => void start() };
}

export function ReplayedCalls({ replay: { results } }: { replay: Replay }) {
  if (results === undefined) return null;
  return (
    <>
      <h2>{wordsOf(results)}</h2>
      <ul class="version-changes">
        {results
          .filter(({ same }) => !same)
          .map(({ voice_id, first_difference }) => (
            <li key={voice_id}>
              <a href={addressOf(`/calls/${voice_id}`)}>
                {first_difference?.step === undefined
                  ? voice_id.slice(0, 8)
                  : t('{call} at {step}', { call: voice_id.slice(0, 8), step: first_difference.step })}
              </a>
              <small>{first_difference?.message}</small>
            </li>
          ))}
      </ul>
    </>
  );
}

function wordsOf(results: readonly Replayed[]): string {
  const others = results.filter(({ same }) => !same).length;
  if (results.length === 0) return t('No calls to replay yet');
  const calls = results.length;
  return others === 0
    ? t('{calls, plural, one {# call} other {# calls}} replayed: all go the same way', { calls })
    : t('{calls, plural, one {# call} other {# calls}} replayed: {others} go another way', { calls, others });
}
