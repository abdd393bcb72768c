import { defineConfig } from 'vitest/config';
import { Sequence, WORKERS } from './test/setup/sequence.ts';
import { browserFiles } from './test/setup/turns.ts';

export default defineConfig({
  // `callweave` is the sources here, as in `exports` of package.json.
  ssr: { resolve: { conditions: ['callweave-source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    // Those take long: `npm run test:browser`, `npm run test:crash`, `npm run test:package`, `npm run test:asterisk`.
    exclude: [...browserFiles(), 'test/crash/**', 'test/package/**', 'test/asterisk/**'],
    // Modules are loaded once per worker: tests hold no state in them, and compiling the schemas takes longer than most tests.
    isolate: false,
    maxWorkers: WORKERS,
    // Tests make and drop much: swept less often, they take a tenth less time.
    execArgv: ['--max-semi-space-size=64'],
    sequence: { sequencer: Sequence },
    setupFiles: ['test/setup/each-file.ts'],
    globalSetup: ['test/setup/whole-run.ts'],
    // Shared machines are slow at times: what is late then is not wrong.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
