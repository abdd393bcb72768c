/** List of a flow's versions, with a selection of the two versions to compare. */
import { useSignal } from '@preact/signals';
import { t } from '../../../shared/web/words/translate.ts';
import { setQuery } from '../shell/router.ts';
import type { CanaryData } from './canary-api.ts';
import { byTime, isCandidate, type Pair, pairWith } from './pair.ts';
import { shortHash, timeOf, type Version } from './version-api.ts';

interface VersionTableProps {
  versions: readonly Version[];
  pair: Pair | undefined;
  canary: CanaryData | undefined;
}

export function VersionTable({ versions, pair, canary }: VersionTableProps) {
  /** The version that the next chosen one is compared with. */
  const kept = useSignal<string | undefined>(undefined);
  const compare = ({ before, after }: Pair): void => setQuery({ before: before.hash, after: after.hash });
  const choose = (version: Version): void => {
    const isChosen = version === pair?.before || version === pair?.after;
    const other = versions.find(({ hash }) => hash === kept.value) ?? pair?.after;
    kept.value = version.hash;
    if (!isChosen && other !== undefined) compare(pairWith(version, other));
  };
  return (
    <>
      {pair !== undefined && (
        <p class="version-pair">
          {t('Choose two to compare.')}
          <button
            type="button"
            class="button quiet"
            onClick={() => compare({ before: pair.after, after: pair.before })}
          >
            {t('Swap')}
          </button>
        </p>
      )}
      <ol class="version-rows">
        {byTime(versions).map((version) => (
          <li key={version.hash}>
            <button
              type="button"
              aria-pressed={version === pair?.before || version === pair?.after}
              onClick={() => choose(version)}
            >
              <Side version={version} pair={pair} />
              <b>{t('Version {number}', { number: version.version_number })}</b> {timeOf(version.first_seen)}{' '}
              <Badge version={version} versions={versions} canary={canary} />
              <small>
                {version.author ?? t('found at startup')} · <code>{shortHash(version.hash)}</code> ·{' '}
                {t('{count, plural, one {# call} other {# calls}}', { count: version.calls })}
              </small>
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}

/** Side of a chosen version in the comparison. */
function Side({ version, pair }: { version: Version; pair: Pair | undefined }) {
  if (version === pair?.after) return <i class="version-side after">{t('after ## version')}</i>;
  return version === pair?.before ? <i class="version-side before">{t('before ## version')}</i> : null;
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
