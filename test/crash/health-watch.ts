/**
 * Records the health that nodes report, several times a second: `/ready`, `/health`, and the alerts of the packaged rules as
 * a real Prometheus evaluates them, each at once instead of after its `for`. `health-account.ts` compares them with what
 * happened.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { stringify } from 'yaml';
import { program } from '../programs.ts';
import { until } from '../redis-server.ts';

/** A node by its name; its address stays the same over its lives. */
export interface WatchedNode {
  name: string;
  url: string;
}

export interface HealthSample {
  node: string;
  fromMs: number;
  untilMs: number;
  /** `none`: no answer within a second. */
  ready: string;
  /** HTTP status of `/health`, and `status` of its body; undefined if it did not answer. */
  health?: { code: number; status: string };
}

/** An alert that fires, at one evaluation. */
export interface FiringAlert {
  alert: string;
  node: string;
  atMs: number;
}

export interface HealthSeen {
  samples: HealthSample[];
  /** Undefined if Prometheus is not installed. */
  alerts: FiringAlert[] | undefined;
}

export const SAMPLE_EVERY_MS = 250;
export const SCRAPE_EVERY_MS = 1000;
const ANSWER_WITHIN_MS = 1000;
const RULES = join(import.meta.dirname, '../../packaging/monitoring/callweave.rules.yml');

export async function watchHealth(
  nodes: readonly WatchedNode[],
  address: string,
): Promise<{ end(): Promise<HealthSeen> }> {
  const samples: HealthSample[] = [];
  const alerts = program('prometheus').missing ? undefined : await startPrometheus(nodes, address);
  let isOver = false;
  const watching = nodes.map(async (node) => {
    while (!isOver) {
      const [sample] = await Promise.all([sampleOf(node), elapse(SAMPLE_EVERY_MS)]);
      samples.push(sample);
    }
  });
  return {
    async end() {
      isOver = true;
      await Promise.all(watching);
      return { samples, alerts: await alerts?.end() };
    },
  };
}

async function sampleOf({ name, url }: WatchedNode): Promise<HealthSample> {
  const fromMs = Date.now();
  const [ready, health] = await Promise.all([statusAt(`${url}/ready`), statusAt(`${url}/health`)]);
  return { node: name, fromMs, untilMs: Date.now(), ready: ready?.status ?? 'none', ...(health ? { health } : {}) };
}

async function statusAt(url: string): Promise<{ code: number; status: string } | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const { status } = (await response.json()) as { status: string };
    return { code: response.status, status };
  } catch {
    return undefined;
  }
}

async function startPrometheus(nodes: readonly WatchedNode[], address: string) {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-prometheus-'));
  const url = `http://${address}:9090`;
  const rules = readFileSync(RULES, 'utf8').replaceAll(/^ +for: .*\n/gm, '');
  writeFileSync(join(directory, 'rules.yml'), rules);
  const interval = `${SCRAPE_EVERY_MS}ms`;
  const targets = nodes.map((node) => ({ targets: [new URL(node.url).host], labels: { instance: node.name } }));
  const configuration = {
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: ['rules.yml'],
    scrape_configs: [{ job_name: 'callweave', static_configs: targets }],
  };
  writeFileSync(join(directory, 'prometheus.yml'), stringify(configuration));
  const at = [`--config.file=${join(directory, 'prometheus.yml')}`, `--storage.tsdb.path=${join(directory, 'data')}`];
  const child = spawn('prometheus', [...at, `--web.listen-address=${address}:9090`], { stdio: 'ignore' });
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  const beganMs = Date.now();
  await until(async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok ?? false, 20_000);
  return {
    async end(): Promise<FiringAlert[]> {
      const alerts = await firingAt(url, beganMs).finally(() => ended(child));
      process.off('exit', kill);
      rmSync(directory, { recursive: true, force: true });
      return alerts;
    },
  };
}

async function firingAt(url: string, beganMs: number): Promise<FiringAlert[]> {
  const range = { start: String(beganMs / 1000), end: String(Date.now() / 1000), step: String(SCRAPE_EVERY_MS / 1000) };
  const query = new URLSearchParams({ query: 'ALERTS{alertstate="firing"}', ...range });
  const { data } = (await (await fetch(`${url}/api/v1/query_range?${query}`)).json()) as {
    data: { result: { metric: { alertname: string; instance: string }; values: [seconds: number, value: string][] }[] };
  };
  return data.result.flatMap(({ metric, values }) =>
    values.map(([seconds]) => ({ alert: metric.alertname, node: metric.instance, atMs: seconds * 1000 })),
  );
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
