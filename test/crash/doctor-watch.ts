/** Runs `callweave doctor` beside a node, and keeps its findings about the cluster. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';

export interface DoctorFinding {
  subject: string;
  state: 'ok' | 'warning' | 'failed';
  found: string;
}

export interface DoctorSeen {
  node: string;
  fromMs: number;
  untilMs: number;
  findings: DoctorFinding[];
}

const CLI = join(import.meta.dirname, '../../src/cli/main.ts');
const OF_CLUSTER = /^(Redis|service|own address|clock of cluster|nodes?\b)/;

export function askDoctor(node: string, { directory }: { directory: string }): Promise<DoctorSeen> {
  const fromMs = Date.now();
  const env = { ...process.env, CALLWEAVE_CONFIG: join(directory, 'callweave.yaml') };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [CLI, 'doctor', '--json'], { cwd: directory, env }, (_failed, stdout, stderr) => {
      try {
        const { findings } = JSON.parse(stdout) as { findings: DoctorFinding[] };
        const own = findings.filter(({ subject }) => OF_CLUSTER.test(subject));
        resolve({ node, fromMs, untilMs: Date.now(), findings: own });
      } catch {
        reject(new Error(`callweave doctor of ${node}: ${stderr}`));
      }
    });
  });
}
