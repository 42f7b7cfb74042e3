import { fstatSync, readFileSync } from 'node:fs';
import { surviveGoneTerminal } from '../base/index.ts';
import { runScriptedAgent } from '../scripted/run.ts';
import { StandardOutput } from './standard-output.ts';

/** The scripted agent in its surroundings, to its end. */
export async function run(argv: string[]): Promise<void> {
  surviveGoneTerminal();
  const refused = (error: Error): never => {
    throw error;
  };
  const code = await runScriptedAgent({
    argv,
    env: process.env,
    input: readInput,
    stdout: new StandardOutput(1, refused),
    stderr: new StandardOutput(2, refused),
    terminal: () => ({ stdin: process.stdin, stdout: process.stdout }),
  });
  process.exit(code);
}

/** A gateway gives a prompt as a file, which needs no stream: making one takes longer than all the rest. */
async function readInput(): Promise<string> {
  if (fstatSync(0).isFile()) return readFileSync(0, 'utf8');
  if (process.stdin.isTTY) return '';
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
