import { surviveGoneTerminal } from '../base/index.ts';
import { runScriptedAgent } from './run.ts';

/** The scripted agent as a program of its own. */
surviveGoneTerminal();
const code = await runScriptedAgent({
  argv: process.argv.slice(2),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
});
process.exit(code);
