import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Names every test that passed only on a retry, and how it failed before: a fault to fix, not luck. */
export default class FlakyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap((module) =>
      [...module.children.allTests('passed')]
        .filter((test) => test.diagnostic()?.flaky)
        .map((test) => `  ${module.relativeModuleId} > ${test.fullName}\n${failures(test)}`),
    );
    if (flaky.length > 0) console.error(`\nNEEDED A RETRY (${flaky.length}):\n${flaky.join('\n')}\n`);
  }
}

function failures(test: TestCase): string {
  const errors = test.result().errors ?? [];
  return errors.map(({ message, diff }) => `    ${message}\n${diff ?? ''}`).join('\n');
}
