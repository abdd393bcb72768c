/** Figures of the own connection, renewed while they are shown. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../../shared/web/words/translate.ts';
import { gradeOf, type LinkFigures, LinkMeter } from './link-figures.ts';
import { connections } from './meeting.ts';

const LOOK_MS = 2000;
/** The first figures need two looks. */
const FIRST_LOOK_MS = 500;

export function NetworkFigures() {
  const figures = useSignal<LinkFigures | undefined>(undefined);
  useEffect(() => {
    const meter = new LinkMeter();
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const look = async (nextMs: number): Promise<void> => {
      const reports = await Promise.all(connections().map((one) => one.getStats()));
      if (isOver) return;
      figures.value = meter.take(
        reports.map((report) => report.values()),
        performance.now(),
      );
      timer = setTimeout(() => void look(LOOK_MS), nextMs);
    };
    void look(FIRST_LOOK_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
  const now = figures.value;
  if (now === undefined) return <p class="dialog-text">{t('Measuring…')}</p>;
  return (
    <div class="dialog-body">
      <p class="network-grade">
        <strong>{GRADES[gradeOf(now)]}</strong>
        {now.isRelayed && ` · ${t('through a relay (TURN)')}`}
      </p>
      <table class="network-figures">
        <thead>
          <tr>
            <td />
            <th scope="col">{t('Sent')}</th>
            <th scope="col">{t('Received')}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{t('Bit rate')}</th>
            <td>{rate(now.sent)}</td>
            <td>{rate(now.received)}</td>
          </tr>
          <tr>
            <th scope="row">{t('Lost packets')}</th>
            <td>{percent(now.sentLoss)}</td>
            <td>{percent(now.receivedLoss)}</td>
          </tr>
        </tbody>
      </table>
      <p>
        {now.roundTripMs === undefined
          ? t('Round trip: not measured yet')
          : t('Round trip: {ms} ms', { ms: Math.round(now.roundTripMs) })}
      </p>
    </div>
  );
}

const GRADES = { Good: t('Good'), Moderate: t('Moderate'), Poor: t('Poor') } as const;

const rate = (kilobits: number): string =>
  kilobits >= 1000
    ? t('{count} Mbit/s', { count: (kilobits / 1000).toFixed(1) })
    : t('{count} kbit/s', { count: Math.round(kilobits) });

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
