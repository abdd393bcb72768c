/** List of a flow's versions, with a selection of the two versions to compare. */

import { t } from '../../../shared/web/words/translate.ts';
import { setQuery } from '../shell/router.ts';
import type { CanaryData } from './canary-api.ts';
import { byTime, isCandidate, type Pair } from './pair.ts';
import { shortHash, timeOf, type Version } from './version-api.ts';

interface VersionTableProps {
  versions: readonly Version[];
  pair: Pair | undefined;
  canary: CanaryData | undefined;
}

export function VersionTable({ versions, pair, canary }: VersionTableProps) {
  /** Selecting the version of the other side swaps both. */
  const take = (side: keyof Pair, hash: string): void => {
    if (pair === undefined) return;
    const [before, after] = [pair.before.hash, pair.after.hash];
    const isOther = hash === (side === 'before' ? after : before);
    setQuery(isOther ? { before: after, after: before } : { before, after, [side]: hash });
  };
  const radio = (side: keyof Pair, { hash, first_seen }: Version) => (
    <label>
      <input
        type="radio"
        name={side}
        checked={pair?.[side].hash === hash}
        aria-label={`${side === 'before' ? t('Left') : t('Right')}: ${shortHash(hash)}, ${timeOf(first_seen)}`}
        onChange={() => take(side, hash)}
      />
    </label>
  );
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('from ## version')}</th>
          <th scope="col">{t('to ## version')}</th>
          <th scope="col">{t('version')}</th>
        </tr>
      </thead>
      <tbody>
        {byTime(versions).map((version) => (
          <tr key={version.hash}>
            <td>{radio('before', version)}</td>
            <td>{radio('after', version)}</td>
            <td>
              <b>{timeOf(version.first_seen)}</b> <Badge version={version} versions={versions} canary={canary} />
              <small>
                {version.author ?? t('found at startup')} · <code>{shortHash(version.hash)}</code> ·{' '}
                {t('{count, plural, one {# call} other {# calls}}', { count: version.calls })}
              </small>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface BadgeProps {
  version: Version;
  versions: readonly Version[];
  canary: CanaryData | undefined;
}

function Badge({ version, versions, canary }: BadgeProps) {
  if (version.in_force) return <span class="version-badge">{t('in force')}</span>;
  if (canary?.state === 'on' && canary.version === version.hash)
    return <span class="version-badge canary">{t('canary {percent} %', { percent: canary.percent })}</span>;
  return isCandidate(version, versions) ? <span class="version-badge candidate">{t('candidate')}</span> : null;
}
