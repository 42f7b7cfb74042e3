import { run } from '../../src/main/scripted-run.ts';

/** The scripted agent from its source, for tests that bundle it themselves. */
await run(process.argv.slice(2));
