/**
 * Callweave inside your own program: the service is an object that you make, start and stop; configuration and flows come
 * from this folder.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, type AppParts, createApp, createLog, readConfigText } from 'callweave';

const FILE = join(import.meta.dirname, 'callweave.yaml');

/** Makes the service; `parts` takes the place of the usual clock, store, log or telephony, in tests for instance. */
export async function openSwitchboard(dataDirectory: string, parts: AppParts = {}): Promise<App> {
  const { config, diagnostics } = readConfigText(readFileSync(FILE, 'utf8'), FILE, process.env);
  if (!config) throw new Error(diagnostics.map(({ line, message }) => `line ${line}: ${message}`).join('\n'));
  return createApp({ ...config, dataDirectory }, { log: createLog({ level: 'info', pretty: true }), ...parts });
}

if (import.meta.main) {
  const app = await openSwitchboard(join(import.meta.dirname, 'data'));
  const { http, sip } = await app.start();
  console.log(`call sip:3000@${sip?.host}:${sip?.port}, API on port ${http.port}`);
  if (app.created) console.log(app.created);
  process.once('SIGINT', () => app.stop(10_000));
}
