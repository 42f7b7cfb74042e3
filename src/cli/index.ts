/**
 * The command line: one file per family, each a description of its commands as data.
 *
 * Promises  Definitions load in a few milliseconds; the code of a command is loaded when it runs.
 *           Every failure prints one sentence (and what to do) on stderr and exits with a documented code.
 * Never     Touches process, argv or exit codes directly; main/ passes them in.
 */
export { type Command, loadedTree } from './command.ts';
export { ROOT } from './families.ts';
export { runCli } from './run.ts';
