/** Brings figures that others keep into the registry of prom-client, which reads each metric by its `get`. */
import type { Metric, Registry } from 'prom-client';
import type { DistributionReading, Figure, Reading } from '../core/figures.ts';

const PREFIX = 'callweave_';

/** What prom-client writes as a line. */
interface Line {
  metricName?: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

export function expose(registry: Registry, { name: shortName, help, type, read }: Figure): void {
  const name = PREFIX + shortName;
  const metric = { name, get: async () => ({ name, help, type, values: linesOf(name, read()) }) };
  // Its declarations name only its own kinds of metrics, and none of these shows a histogram that somebody else keeps.
  registry.registerMetric(metric as unknown as Metric);
}

function linesOf(name: string, read: ReturnType<Figure['read']>): Line[] {
  if (read === undefined) return [];
  if (typeof read === 'number') return [{ labels: {}, value: read }];
  return read.flatMap(({ labels, value }) =>
    typeof value === 'number' ? { labels, value } : bucketsOf(name, labels, value),
  );
}

function bucketsOf(name: string, labels: Reading['labels'], { bounds, counts, sum }: DistributionReading): Line[] {
  let count = 0;
  const buckets = counts.map((more, index): Line => {
    count += more;
    const le = index < bounds.length ? String(bounds[index]) : '+Inf';
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
