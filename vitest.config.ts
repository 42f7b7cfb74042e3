import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { storiesLeftOut } from './test/support/long-stories.ts';
import { MADE_UP_MIGRATIONS, MADE_UP_ROWS, patched } from './test/words/made-up-rows.ts';

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

/** The sources with a made-up row in some tables, loaded instead of the files; no module is replaced by another. */
const madeUp = {
  plugins: [
    {
      name: 'made-up-rows',
      enforce: 'pre' as const,
      load: (id: string) => patched(id, [...MADE_UP_ROWS, ...MADE_UP_MIGRATIONS]),
    },
  ],
  test: {
    name: 'made-up',
    include: ['test/words/**/*.made-up.ts'],
    pool: 'forks' as const,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    globalSetup: ['test/support/build-once.ts'],
  },
};

/** Suites and clients that others made, against servers of ours; only when asked for by name. */
const foreign = {
  test: {
    name: 'foreign',
    include: ['test/foreign/**/*.foreign.ts'],
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

/** What is awaited comes; how soon depends on the machine. */
const poll = { timeout: 30_000 };

/** Properties draw the same cases for the same tree. */
const setupFiles = ['test/support/seed-properties.ts'];

/** Walk tests mostly wait for terminals and processes: with a worker for every core, half of the machine is idle. */
const maxWorkers = availableParallelism() + 2;

/** `npm test` plays some of the long stories, drawn by the seed of the repository; named files and proofs are played whole. */
const leftOut = process.env['ROUSE_STORIES'] === 'drawn' ? storiesLeftOut() : [];

// Unit tests live beside the code; walk tests start real tmux servers, gateways and child processes. The files of a worker
// share its process (`isolate: false`), which saves a fifth of the processor time: a test leaves working directory, environment
// and whatever else belongs to the process as it found them.
export default defineConfig({
  test: {
    maxWorkers,
    reporters: ['default', './test/support/flaky-reporter.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/screen/**/*.test.ts'],
          setupFiles,
          pool: 'threads',
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll },
          retry,
        },
      },
      {
        test: {
          name: 'walk',
          include: ['test/**/*.test.ts'],
          setupFiles,
          exclude: ['test/screen/**', ...leftOut],
          pool: 'forks',
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 60_000,
          expect: { poll },
          retry,
          globalSetup: ['test/support/build-once.ts'],
        },
      },
      madeUp,
      ...(process.argv.includes('agents') ? [agents] : []),
      ...(process.argv.includes('foreign') ? [foreign] : []),
    ],
  },
});
