import * as path from 'node:path';
import { programWords } from '../equip/program-path.ts';
import { mcpFlagWithFile } from './mcp-file.ts';
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
  npmPackage: null,
  nestedMarks: [],
  role: { method: 'cli_flag', args: (text) => ['--append-system-prompt', text] },
  additions({ root, launchDir, agentName, headless, args: own }) {
    const paths = { transcript: path.join(root, 'transcript.jsonl'), status: '', control: '' };
    if (!headless) {
      paths.status = path.join(launchDir, 'status.json');
      const control = path.join(launchDir, 'control.sock');
      if (Buffer.byteLength(control) <= LONGEST_SOCKET_PATH) paths.control = control;
    }
    const added = [
      ['--transcript', paths.transcript],
      ['--status-file', paths.status],
      ['--control', paths.control],
    ].filter(([flag, value]) => value !== '' && !own.includes(flag!));
    const after = (flag: string): string | undefined => own[own.indexOf(flag) + 1];
    const metadata: Record<string, string> = {
      transcript_path: own.includes('--transcript') ? (after('--transcript') ?? '') : paths.transcript,
      control_path: own.includes('--control') ? (after('--control') ?? '') : paths.control,
      status_path: own.includes('--status-file') ? (after('--status-file') ?? '') : paths.status,
    };
    return {
      args: ['--name', agentName, ...added.flat()],
      files: [],
      metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== '')),
    };
  },
  mcp: mcpFlagWithFile('claude', (file) => ['--mcp-config', file]),
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
