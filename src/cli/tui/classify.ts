import * as fs from 'node:fs';
import { errnoOf, invalid, notFound } from '../../base/index.ts';
import type { Classification, Detector } from '../../screen/index.ts';
import { type Command, command, type Flag, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';

const MAX_CAPTURE_BYTES = 8 * 1024 * 1024;

const FLAGS = [
  { name: 'tool', value: 'NAME', summary: 'the tool that drew the screen' },
  { name: 'tool-version', value: 'VERSION', summary: 'its version (default: the newest known detector)' },
] as const satisfies readonly Flag[];

const classify = command({
  name: 'classify',
  summary: 'say what a captured screen means: ready or not, and why',
  description:
    'Reads screens saved with `tmux capture-pane -p -e` below a first line with cursor, size and title, and ' +
    'prints how the readiness gate judges each, assuming that the tool is alive and the screen is still. Attach such ' +
    'a file when you report a screen that Rouse misreads.',
  examples: [
    'rouse tui classify --tool claude screen.ansi.txt',
    'rouse tui classify --tool codex --tool-version 0.166.0 --print-json *.ansi.txt',
  ],
  args: [{ name: 'file', summary: 'captured screens', variadic: true }],
  flags: FLAGS,
  run,
});

async function run({ args, flags }: InputOf<typeof FLAGS>): Promise<Output> {
  const { classifyCapture, readVersion } = await import('../../screen/index.ts');
  const { detectorFor, toolNames } = await import('../../tools/index.ts');
  const tool = flags.tool;
  const version = flags.toolVersion;
  if (!tool) throw invalid('--tool is required', { hint: `known tools: ${toolNames().join(', ')}` });
  if (version !== undefined && !readVersion(version)) {
    throw invalid(`--tool-version must be a version such as 2.1.325, but is ${JSON.stringify(version)}`);
  }
  if (args.length === 0) throw invalid('name at least one file with a captured screen');
  detectorFor(tool);
  const choose = (alternate: boolean | undefined): Detector => detectorFor(tool, { version, alternate });
  const results = args.map((file) => classifyCapture(readCapture(file), file, choose, version));
  return { data: { results }, plain: results.map(render).join('\n') };
}

function readCapture(file: string): string {
  try {
    const { size } = fs.statSync(file);
    if (size > MAX_CAPTURE_BYTES) throw invalid(`${file} is too large for a captured screen (${size} bytes)`);
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') throw notFound(`there is no file ${file}`);
    if (code === 'EISDIR' || code === 'EACCES')
      throw invalid(`${file} cannot be read (${code})`, { cause: error });
    throw error;
  }
}

function render(result: Classification): string {
  const lines = [
    result.file,
    `  ready    ${result.ready}`,
    `  phase    ${result.phase}`,
    `  dialog   ${result.dialog ? `${result.dialog.kind}: ${firstLine(result.dialog.excerpt)}` : 'none'}`,
    `  draft    ${result.draft === null ? 'none' : JSON.stringify(result.draft)}`,
    `  reasons  ${result.reasons.length === 0 ? 'none' : result.reasons.join(', ')}`,
  ];
  if (result.version_status === 'outside')
    lines.push(`  version  ${result.tool_version} is outside every known range`);
  return lines.join('\n');
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}

const tui: Command = {
  ...FIRST_WORDS.tui,
  subcommands: [classify],
};

export default tui;
