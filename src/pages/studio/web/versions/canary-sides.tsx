/** Both versions of a canary side by side: calls, rates as bars, and the exits that differ most. */

import { numberText, t, tNodes } from '../../../shared/web/words/translate.ts';
import type { CanaryData } from './canary-api.ts';
import { exitsThatDiffer, limitOf, type Measure, percentWords, pointWords, rateOf } from './canary-figures.ts';
import { shortHash } from './version-api.ts';

const MAX_EXITS = 8;
/** Smallest rate that a full bar can represent. */
const SMALLEST_SCALE = 0.05;

const MEASURES: readonly { measure: Measure; title: string }[] = [
  { measure: 'errors', title: t('Ended by an error') },
  { measure: 'abandoned', title: t('Caller hung up') },
];

export function CanarySides({ canary }: { canary: CanaryData }) {
  const { in_force: inForce, canary: other } = canary.compared;
  const all = inForce.calls + other.calls;
  return (
    <table class="canary-sides">
      <thead>
        <tr>
          <td />
          <th scope="col">{tNodes('In force {version}', { version: <code>{shortHash(inForce.version)}</code> })}</th>
          <th scope="col">{tNodes('Canary {version}', { version: <code>{shortHash(other.version)}</code> })}</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">{t('Calls that ended')}</th>
          <td>
            <b>{numberText(inForce.calls)}</b>
          </td>
          <td>
            <b>{numberText(other.calls)}</b>{' '}
            {all > 0 && <small>{t('{percent} of all', { percent: percentWords(other.calls / all) })}</small>}
          </td>
        </tr>
        {MEASURES.map(({ measure, title }) => (
          <Rates key={measure} canary={canary} measure={measure} title={title} />
        ))}
      </tbody>
    </table>
  );
}

function Rates({ canary, measure, title }: { canary: CanaryData; measure: Measure; title: string }) {
  const { in_force: inForce, canary: other } = canary.compared;
  const [rate, rateOfCanary, limit] = [rateOf(inForce, measure), rateOf(other, measure), limitOf(canary, measure)];
  const scale = Math.max(SMALLEST_SCALE, rate ?? 0, rateOfCanary ?? 0, Math.min(limit ?? 0, 1)) * 1.1;
  const isBeyond = limit !== undefined && (rateOfCanary ?? 0) > limit;
  return (
    <tr>
      <th scope="row">{title}</th>
      <td>
        <b>{percentWords(rate)}</b> <small>{numberText(inForce[measure])}</small>
        <Bar share={(rate ?? 0) / scale} />
      </td>
      <td class={isBeyond ? 'beyond' : ''}>
        <b>{percentWords(rateOfCanary)}</b> <small>{numberText(other[measure])}</small>
        <Bar share={(rateOfCanary ?? 0) / scale} limit={limit && limit / scale} />
        {limit !== undefined && limit < 1 && (
          <small>
            {isBeyond
              ? t('beyond {limit}', { limit: percentWords(limit) })
              : t('limit {limit}', { limit: percentWords(limit) })}
          </small>
        )}
      </td>
    </tr>
  );
}

/** Bar next to its figure; hidden from screen readers. */
const Bar = ({ share, limit }: { share: number; limit?: number | undefined }) => (
  <span class="canary-bar" aria-hidden="true">
    <i style={{ width: `${share * 100}%` }} />
    {limit !== undefined && limit <= 1 && <em style={{ insetInlineStart: `${limit * 100}%` }} />}
  </span>
);

/** `show` selects the step in the drawing. */
export function CanaryExits({ canary, show }: { canary: CanaryData; show(step: string): void }) {
  const exits = exitsThatDiffer(canary.compared);
  if (exits.length === 0) {
    return <p class="canary-hint">{t('No exit differs yet. Exits are counted of calls that have ended.')}</p>;
  }
  return (
    <table class="canary-exits">
      <thead>
        <tr>
          <th scope="col">{t('Share of calls at the step')}</th>
          <th scope="col">{t('in force')}</th>
          <th scope="col">{t('canary')}</th>
          <th scope="col">{t('points')}</th>
        </tr>
      </thead>
      <tbody>
        {exits.slice(0, MAX_EXITS).map(({ step, outcome, inForce, canary: other, points, isClear }) => (
          <tr key={`${step} ${outcome}`}>
            <th scope="row">
              <button type="button" class="link" onClick={() => show(step)}>
                {step}
              </button>{' '}
              {outcome}
            </th>
            <td>
              {percentWords(inForce.share)} <small>{numberText(inForce.count)}</small>
            </td>
            <td>
              {percentWords(other.share)} <small>{numberText(other.count)}</small>
            </td>
            <td>
              <b>{pointWords(points)}</b> {!isClear && <small>{t('may be chance')}</small>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
