import { fstatSync, readFileSync } from 'node:fs';
import { surviveGoneTerminal } from '../base/index.ts';
import { runScriptedAgent } from '../scripted/run.ts';
import { StandardOutput } from './standard-output.ts';

/** Runs the scripted agent with the streams of this process. */
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

/** A gateway passes a prompt as a file. Reading it directly is faster than creating a stream. */
async function readInput(): Promise<string> {
  if (fstatSync(0).isFile()) return readFileSync(0, 'utf8');
  if (process.stdin.isTTY) return '';
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
