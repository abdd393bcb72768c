import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/package/*.test.ts'],
    setupFiles: ['test/setup/each-file.ts'],
    testTimeout: 60_000,
    // Packing and installing, on a machine with other work.
    hookTimeout: 300_000,
  },
});
