/** The same call on the flow of today: the same way, or the first difference. */
import { type Json, request } from '../api.ts';
import { clockOf } from '../journal/moment.ts';

export interface ReplayResult {
  same: boolean;
  difference?: { atMs: number; seq?: number; message?: string; step: string; recorded: string; now: string };
  /** Why it could not be replayed. */
  refusal?: string;
}

export async function replayToday(flow: string, id: string): Promise<ReplayResult> {
  const path = `/admin/v1/flows/${encodeURIComponent(flow)}/replay`;
  const { results } = await request<{ results: Record<string, Json>[] } & Record<string, Json>>(path, {
    method: 'POST',
    json: { calls: [id] },
  });
  return readResult(results[0]);
}

export function readResult(result: Readonly<Record<string, Json>> | undefined): ReplayResult {
  if (result === undefined) return { same: false, refusal: 'The journal of this call is not kept any more.' };
  const found = result['first_difference'];
  if (found === null || typeof found !== 'object' || Array.isArray(found)) {
    if (result['same'] === true) return { same: true };
    const { reason, message } = result;
    return { same: false, refusal: String(message ?? reason ?? 'It cannot be replayed.') };
  }
  return {
    same: result['same'] === true,
    difference: {
      ...(typeof found['seq'] === 'number' && { seq: found['seq'] }),
      ...(typeof found['message'] === 'string' && { message: found['message'] }),
      atMs: typeof found['at_ms'] === 'number' ? found['at_ms'] : 0,
      step: wordsOf(found['step']),
      recorded: wordsOf(found['recorded']),
      now: wordsOf(found['now']),
    },
  };
}

const wordsOf = (value: Json | undefined): string =>
  value === undefined || value === null ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);

interface ResultProps {
  result: ReplayResult;
  go(atMs: number, seq?: number): void;
  close(): void;
}

export function ReplayResult({ result: { same, difference, refusal }, go, close }: ResultProps) {
  return (
    <div class={`replay-result ${same ? 'same' : 'differs'}`} role="status">
      {same && <p>✓ On today’s flow this call goes the same way.</p>}
      {refusal !== undefined && <p>{refusal}</p>}
      {difference !== undefined && (
        <>
          <p>
            ≠ On today’s flow it goes another way from <b>{clockOf(difference.atMs)}</b>
            {difference.step !== 'nothing' && (
              <>
                {' '}
                in <b>{difference.step}</b>
              </>
            )}
            . {difference.message}
          </p>
          <dl>
            <dt>then</dt>
            <dd>{difference.recorded}</dd>
            <dt>now</dt>
            <dd>{difference.now}</dd>
          </dl>
          <button type="button" class="button" onClick={() => go(difference.atMs, difference.seq)}>
            Go there
          </button>
        </>
      )}
      <button type="button" class="button quiet" aria-label="Close the result of the replay" onClick={close}>
        ✕
      </button>
    </div>
  );
}
