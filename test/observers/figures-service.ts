/** A whole service with carriers, whose `/metrics` tests read: every family of figures is there, with or without calls. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../src/app.ts';
import { readConfigText } from '../../src/config.ts';

/** Nothing listens there: no call is made. */
const ROUTES = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `    - { prefix: "+${index + 1}", uri: "sip:127.0.0.1:${20_001 + index}" }`,
  ).join('\n');

export interface ScrapedService {
  scrape(): Promise<string>;
  stop(): Promise<void>;
}

export async function scrapedService({ routes = 2 } = {}): Promise<ScrapedService> {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-figures-'));
  // Traces have figures where they are configured; without calls none is sent.
  const text = `
http: { port: 0 }
tracing: { otlp_url: "http://127.0.0.1:9/v1/traces" }
sip:
  host: 127.0.0.1
  port: 0
  routes:
${ROUTES(routes)}
`;
  const { config, diagnostics } = readConfigText(text, join(directory, 'callweave.yaml'));
  if (!config) throw new Error(JSON.stringify(diagnostics));
  const app = await createApp(config, { isWholeProcess: true });
  const { http } = await app.start();
  return {
    async scrape() {
      const response = await fetch(`http://127.0.0.1:${http.port}/metrics`);
      if (!response.ok) throw new Error(`/metrics: ${response.status}`);
      return response.text();
    },
    stop: () => app.stop(0),
  };
}

export interface Family {
  name: string;
  type: string;
  help: string;
  labels: string[];
}

/** Metric families in the Prometheus text format. */
export function familiesOf(text: string): Family[] {
  const lines = text.split('\n');
  const types = lines.flatMap((line) => {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    return name === undefined || type === undefined ? [] : [{ name, type }];
  });
  return types.map(({ name, type }) => ({
    name,
    type,
    help: lines.find((line) => line.startsWith(`# HELP ${name} `))?.slice(`# HELP ${name} `.length) ?? '',
    labels: lines
      .filter((line) => line.startsWith(`${name}{`))
      .flatMap((line) => [...line.matchAll(/[{,](\w+)="/g)].map(([, label]) => label!)),
  }));
}
