/** The same in JavaScript. */
import { createApp, createLog, readConfig } from 'callweave';

const { config } = readConfig();
const app = await createApp(config, { log: createLog({ level: 'warn' }) });
const { http } = await app.start();
console.log(`http://${http.host}:${http.port}`);
for await (const _ of process.stdin);
await app.stop(1000);
