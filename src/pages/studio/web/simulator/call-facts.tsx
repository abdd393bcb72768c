/** Variables of the simulated call, its acts so far, and the breakpoints. */
import type { Json } from '../../../../base/core/json.ts';
import { t } from '../../../shared/web/words/translate.ts';
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
        <summary>{t('Variables ({count})', { count })}</summary>
        {frames.map(({ flow, vars, branch }, index) => (
          <dl key={`${index} ${flow}`} aria-label={t('Variables of {flow}', { flow })}>
            {(frames.length > 1 || branch !== undefined) && <h3>{flow}</h3>}
            {Object.entries(vars).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{valueText(value)}</dd>
              </div>
            ))}
          </dl>
        ))}
        {count === 0 && <p>{t('No variables yet.')}</p>}
      </details>
      <details>
        <summary>{t('Caller actions ({acts})', { acts: acts.length })}</summary>
        <ol>
          {acts.map((act, index) => (
            <li key={`${index} ${wordsOfAct(act)}`}>{wordsOfAct(act)}</li>
          ))}
        </ol>
        {breakpoints.length > 0 && <p>{t('Breakpoints: {breakpoints}', { breakpoints: breakpoints.join(', ') })}</p>}
      </details>
    </div>
  );
}

const valueText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
