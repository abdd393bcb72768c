/** Variables of the simulated call, its acts so far, and the breakpoints. */
import type { Json } from '../../../../base/core/json.ts';
import { wordsOfAct } from './acts.ts';
import type { CallSession } from './call-session.ts';
import { CallTime } from './call-time.tsx';
import { wordsOfClock, wordsOfWaiting } from './waiting.ts';

export function CallFacts({ session }: { session: CallSession }) {
  const now = session.now.value;
  const { acts, breakpoints } = session.call.value;
  const frames = now?.frames ?? [];
  const count = frames.reduce((sum, { vars }) => sum + Object.keys(vars).length, 0);
  return (
    <div class="call-facts">
      <p>
        <span>{wordsOfClock(now)}</span> <span>{wordsOfWaiting(now)}</span>
      </p>
      <CallTime session={session} />
      <details>
        <summary>Variables ({count})</summary>
        {frames.map(({ flow, vars, branch }, index) => (
          <dl key={`${index} ${flow}`} aria-label={`Variables of ${flow}`}>
            {(frames.length > 1 || branch !== undefined) && <h3>{flow}</h3>}
            {Object.entries(vars).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{valueText(value)}</dd>
              </div>
            ))}
          </dl>
        ))}
        {count === 0 && <p>No variables yet.</p>}
      </details>
      <details>
        <summary>Caller actions ({acts.length})</summary>
        <ol>
          {acts.map((act, index) => (
            <li key={`${index} ${wordsOfAct(act)}`}>{wordsOfAct(act)}</li>
          ))}
        </ol>
        {breakpoints.length > 0 && <p>Breakpoints: {breakpoints.join(', ')}</p>}
      </details>
    </div>
  );
}

const valueText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
