import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * Real coding agents, where they are installed, against a stand-in for their models. They are heavy: one at a time, and
 * only when asked for by name.
 */
const agents = {
  test: {
    name: 'agents',
    include: ['test/agents/**/*.agents.ts'],
    pool: 'forks' as const,
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    globalSetup: ['test/support/build-once.ts'],
  },
};

/**
 * On a shared CI machine a real terminal may be late once. A test that needed another try is named at the end of the run, to
 * be mended; elsewhere it fails.
 */
const retry = process.env['CI'] ? 1 : 0;

/** Walk tests mostly wait for terminals and processes: with a worker for every core, half of the machine is idle. */
const maxWorkers = availableParallelism() + 1;

// Unit tests live beside the code and share one process; walk tests start real tmux servers, gateways and child processes, so
// each of their files gets a process of its own. Sharing workers (`isolate: false`) saves a fifth of the processor time.
export default defineConfig({
  test: {
    maxWorkers,
    reporters: ['default', './test/support/flaky-reporter.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/screen/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          retry,
        },
      },
      {
        test: {
          name: 'walk',
          include: ['test/**/*.test.ts'],
          exclude: ['test/screen/**'],
          pool: 'forks',
          testTimeout: 120_000,
          hookTimeout: 60_000,
          retry,
          globalSetup: ['test/support/build-once.ts'],
        },
      },
      ...(process.argv.includes('agents') ? [agents] : []),
    ],
  },
});
