/** Figures of the own connection, renewed while they are shown. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
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
  if (now === undefined) return <p class="dialog-text">Measuring…</p>;
  return (
    <div class="dialog-body">
      <p class="network-grade">
        <strong>{gradeOf(now)}</strong>
        {now.isRelayed && ' · through a relay (TURN)'}
      </p>
      <table class="network-figures">
        <thead>
          <tr>
            <td />
            <th scope="col">Sent</th>
            <th scope="col">Received</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Bit rate</th>
            <td>{rate(now.sent)}</td>
            <td>{rate(now.received)}</td>
          </tr>
          <tr>
            <th scope="row">Lost packets</th>
            <td>{percent(now.sentLoss)}</td>
            <td>{percent(now.receivedLoss)}</td>
          </tr>
        </tbody>
      </table>
      <p>Round trip: {now.roundTripMs === undefined ? 'not measured yet' : `${Math.round(now.roundTripMs)} ms`}</p>
    </div>
  );
}

const rate = (kilobits: number): string =>
  kilobits >= 1000 ? `${(kilobits / 1000).toFixed(1)} Mbit/s` : `${Math.round(kilobits)} kbit/s`;

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
