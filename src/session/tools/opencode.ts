import { mcpJsonDocument } from '../../domain/index.ts';
import { mcpFile } from './mcp-file.ts';
import type { SessionAdditions, ToolPreset } from './preset.ts';

/** OpenCode. Its own HTTP port would be open to every local program, so it is not asked for. */
export const opencode: ToolPreset = {
  tool: 'opencode',
  executable: 'opencode',
  processNames: ['opencode'],
  homeVariable: null,
  npmPackage: 'opencode-ai',
  nestedMarks: ['OPENCODE'],
  role: { method: 'first_message_flag', args: (text) => ['--prompt', text] },
  // Two variables name configuration that is added to the person's own; one they use themselves is left to them.
  mcp(entry, place): SessionAdditions {
    if (!place.env['OPENCODE_CONFIG']) {
      const file = mcpFile('opencode', entry, place);
      return { args: [], files: [file], env: { OPENCODE_CONFIG: file.path } };
    }
    if (place.env['OPENCODE_CONFIG_CONTENT']) return { args: [], files: [] };
    return { args: [], files: [], env: { OPENCODE_CONFIG_CONTENT: mcpJsonDocument('opencode', entry) } };
  },
  headless: {
    backend: 'generic_headless',
    prompt: 'argument',
    role: 'prefix',
    create: ['run', '{args}', '{model}', '--format', 'json', '--', '{prompt}'],
    exact: ['run', '{args}', '{model}', '--session', '{session}', '--format', 'json', '--', '{prompt}'],
    last: ['run', '{args}', '{model}', '--continue', '--format', 'json', '--', '{prompt}'],
  },
};
