/** Line quality of a call: estimated MOS and the figures behind it. */
import type { Json } from '../../../../base/core/json.ts';
import { t } from '../../../shared/web/words/translate.ts';

/** Users are dissatisfied below about this value (ITU-T G.107, annex B: "many users dissatisfied" from 3.6 down). */
export const POOR_LINE = 3.5;

interface Quality {
  codec?: string;
  mos?: number;
  packets_sent?: number;
  packets_received?: number;
  packets_lost?: number;
  jitter_ms?: number;
  round_trip_ms?: number;
  far_packets_lost?: number;
  encrypted?: boolean;
}

export function LineQuality({ quality }: { quality: Json | undefined }) {
  if (quality === null || typeof quality !== 'object') return null;
  const { mos, codec, jitter_ms, round_trip_ms, packets_lost, packets_received, far_packets_lost, encrypted } =
    quality as Quality;
  const share = packets_lost === undefined || !packets_received ? 0 : packets_lost / (packets_lost + packets_received);
  const facts = [
    codec,
    t('{share} % lost', { share: (share * 100).toFixed(share > 0 ? 1 : 0) }),
    jitter_ms !== undefined && t('jitter {ms} ms', { ms: jitter_ms }),
    round_trip_ms !== undefined && t('round trip {ms} ms', { ms: round_trip_ms }),
    far_packets_lost !== undefined &&
      far_packets_lost > 0 &&
      t('they lost {count, number}', { count: far_packets_lost }),
    encrypted && t('encrypted'),
  ].filter((fact) => typeof fact === 'string');
  return (
    <section class="line-quality" aria-label={t('Line')}>
      <h3>{t('Line')}</h3>
      <p>
        {mos !== undefined && (
          <>
            <b class={mos < POOR_LINE ? 'bad' : 'good'}>
              {mos.toFixed(1)} {mos < POOR_LINE ? t('poor') : t('good')}
            </b>{' '}
            <meter
              min={1}
              max={4.5}
              low={POOR_LINE}
              optimum={4.5}
              value={mos}
              aria-label={t('Opinion of the line, of 4.5')}
            />{' '}
          </>
        )}
        {facts.join(' · ')}
      </p>
    </section>
  );
}
