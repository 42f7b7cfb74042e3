import { defineConfig } from 'vitest/config';

// Unit tests live beside the code and share one process; walk tests start real tmux servers, gateways and
// child processes, so each of their files gets a process of its own.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'walk',
          include: ['test/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 120_000,
          hookTimeout: 60_000,
          globalSetup: ['test/support/build-once.ts'],
        },
      },
    ],
  },
});
