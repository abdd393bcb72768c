/** An application in strict TypeScript that embeds the service. It ends when its input does. */
import { readFileSync } from 'node:fs';
import { type App, type Config, createApp, createLog, defineStep, readConfigText } from 'callweave';

export const shout = defineStep<{ text: string }>({
  verb: 'shout',
  outcomes: { done: { success: true } },
  // biome-ignore lint/correctness/useYield: it waits for nothing.
  async *run(context) {
    context.log('info', context.input.text.toUpperCase(), {});
    return { outcome: 'done' };
  },
});

const FILE = 'callweave.yaml';

function configured(): Config {
  const { config, diagnostics } = readConfigText(readFileSync(FILE, 'utf8'), FILE);
  if (!config) throw new Error(diagnostics.map(({ line, message }) => `line ${line}: ${message}`).join('\n'));
  return config;
}

const app: App = await createApp(configured(), { log: createLog({ level: 'warn' }) });
const { http } = await app.start();
console.log(`http://${http.host}:${http.port}`);
for await (const _ of process.stdin);
await app.stop(1000);
