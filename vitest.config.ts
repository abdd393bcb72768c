import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Modules are loaded once per worker: tests hold no state in them, and compiling the schemas takes longer than most tests.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
