/** Health page: results of all checks, and the most important metrics. */
import type { Json } from '../../../../base/core/json.ts';
import { numberText, t } from '../../../shared/web/words/translate.ts';
import { request, ServiceError, send } from '../api.ts';
import { useEvery, useLoaded } from '../shell/load.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import { SettingsFrame } from './frame.tsx';
import { metricsOf, sumOf } from './metrics.ts';
import { ReloadButton, ReloadResult } from './reload-service.tsx';

interface Health {
  status: string;
  version?: string;
  live_calls?: number;
  checks?: Record<string, { ok: boolean } & Record<string, Json>>;
}

const REFRESH_MS = 5000;
const FIGURES: readonly [title: string, metric: string, unit: 'count' | 'MB' | 'ms'][] = [
  [t('Calls of broadcasts'), 'callweave_broadcast_calls_live', 'count'],
  [t('Registered phones'), 'callweave_sip_phones_registered', 'count'],
  [t('Webhooks waiting'), 'callweave_webhooks_waiting', 'count'],
  [t('Webhooks given up'), 'callweave_webhooks_dead', 'count'],
  [t('RTP packets lost'), 'callweave_rtp_packets_lost_total', 'count'],
  [t('Memory'), 'process_resident_memory_bytes', 'MB'],
  [t('Event loop, 99 % within'), 'nodejs_eventloop_lag_p99_seconds', 'ms'],
];

const shown = (value: number, unit: 'count' | 'MB' | 'ms'): string =>
  unit === 'MB'
    ? t('{count} MB', { count: Math.round(value / 2 ** 20) })
    : unit === 'ms'
      ? t('{ms} ms', { ms: Math.round(value * 1000) })
      : numberText(value);

/** Lists are joined with semicolons. */
const inWords = (value: Json): string => {
  if (Array.isArray(value)) return value.map(inWords).join('; ');
  if (value === null || typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([key, inner]) => `${key} ${inWords(inner)}`)
    .join(' ');
};

export function HealthPage() {
  const { loaded, reload } = useLoaded(async () => {
    const [health, metrics] = await Promise.all([healthNow(), send('/metrics').then((response) => response.text())]);
    return { health, metrics: metricsOf(metrics) };
  });
  useEvery(REFRESH_MS, reload);
  return (
    <SettingsFrame
      slug="health"
      title={t('Health')}
      actions={
        <WriteAccessOnly>
          <ReloadButton done={reload} />
        </WriteAccessOnly>
      }
    >
      <ReloadResult />
      {loaded.value.state === 'failed' && <p role="alert">{loaded.value.error.message}</p>}
      {loaded.value.state === 'there' && (
        <>
          <dl class="facts">
            <div>
              <dt>{t('State')}</dt>
              <dd>{loaded.value.value.health.status}</dd>
            </div>
            <div>
              <dt>{t('Live calls')}</dt>
              <dd>{loaded.value.value.health.live_calls ?? 0}</dd>
            </div>
            {FIGURES.map(([title, metric, unit]) => {
              const value = sumOf(loaded.value.state === 'there' ? loaded.value.value.metrics : [], metric);
              return (
                value !== undefined && (
                  <div key={metric}>
                    <dt>{title}</dt>
                    <dd>{shown(value, unit)}</dd>
                  </div>
                )
              );
            })}
            <div>
              <dt>{t('Version')}</dt>
              <dd>{loaded.value.value.health.version}</dd>
            </div>
          </dl>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{t('check')}</th>
                <th scope="col">{t('state')}</th>
                <th scope="col">{t('details')}</th>
              </tr>
            </thead>
            <tbody>
              {Object.entries(loaded.value.value.health.checks ?? {}).map(([name, { ok, ...more }]) => (
                <tr key={name}>
                  <td>{name.replaceAll('_', ' ')}</td>
                  <td>
                    <span class={`pill ${ok ? 'good' : 'bad'}`}>{ok ? t('ok') : t('failing')}</span>
                  </td>
                  <td>
                    {Object.entries(more)
                      .map(([key, value]) => `${key.replaceAll('_', ' ')}: ${inWords(value)}`)
                      .join(', ')}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </SettingsFrame>
  );
}

/** `/health` answers 503 with the same body while a check fails. */
async function healthNow(): Promise<Health> {
  try {
    return await request<Health & Record<string, never>>('/health');
  } catch (error) {
    if (error instanceof ServiceError && 'status' in error.body) return error.body as unknown as Health;
    throw error;
  }
}
