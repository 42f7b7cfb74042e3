import * as path from 'node:path';
import { programWords } from '../program-path.ts';
import type { ToolPreset } from './preset.ts';

/** Longest path of a Unix socket, with room to spare. */
const LONGEST_SOCKET_PATH = 100;

/** The scripted agent: it behaves like a tool and writes down what it was really told. For tests and demonstrations. */
export const scripted: ToolPreset = {
  tool: 'scripted',
  executable: 'scripted-agent',
  words: () => programWords('scripted-agent'),
  processNames: ['scripted-agent'],
  homeVariable: null,
  nestedMarks: [],
  role: { method: 'cli_flag', args: (text) => ['--append-system-prompt', text] },
  additions({ root, launchDir, agentName, headless }) {
    const transcript = path.join(root, 'transcript.jsonl');
    const metadata: Record<string, string> = { transcript_path: transcript };
    const args = ['--name', agentName, '--transcript', transcript];
    if (headless) return { args, files: [], metadata };
    metadata['status_path'] = path.join(launchDir, 'status.json');
    args.push('--status-file', metadata['status_path']);
    const control = path.join(launchDir, 'control.sock');
    if (Buffer.byteLength(control) <= LONGEST_SOCKET_PATH) {
      metadata['control_path'] = control;
      args.push('--control', control);
    }
    return { args, files: [], metadata };
  },
  headless: {
    backend: 'generic_headless',
    prompt: 'stdin',
    role: 'arguments',
    create: ['{args}', '{model}', '{role}', '--print', '--output-format', 'stream-json'],
    exact: [
      '{args}',
      '{model}',
      '{role}',
      '--resume',
      '{session}',
      '--print',
      '--output-format',
      'stream-json',
    ],
    last: ['{args}', '{model}', '{role}', '--continue', '--print', '--output-format', 'stream-json'],
  },
};
