import type { Reporter, TestModule } from 'vitest/node';

/** Names every test that passed only when it was tried again: it is a fault to mend, not luck. */
export default class FlakyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap((module) =>
      [...module.children.allTests('passed')]
        .filter((test) => test.diagnostic()?.flaky)
        .map((test) => `  ${module.relativeModuleId} > ${test.fullName}`),
    );
    if (flaky.length > 0) console.error(`\nNEEDED A RETRY (${flaky.length}):\n${flaky.join('\n')}\n`);
  }
}
