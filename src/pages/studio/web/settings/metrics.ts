/** Parser for the Prometheus text format (exposition format 0.0.4). */

export interface Metric {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

export const metricsOf = (text: string): Metric[] =>
  text.split('\n').flatMap((line) => {
    const found = line.startsWith('#') ? null : LINE.exec(line);
    if (!found) return [];
    const [, name, labels = '', value] = found;
    const read = [...labels.matchAll(LABEL)].map(([, key, written]) => [key, written!.replace(/\\(.)/g, '$1')]);
    return [{ name: name!, labels: Object.fromEntries(read) as Record<string, string>, value: Number(value) }];
  });

/** Sum over all label sets. Undefined if the metric does not exist. */
export function sumOf(metrics: readonly Metric[], name: string): number | undefined {
  const found = metrics.filter((metric) => metric.name === name);
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}
