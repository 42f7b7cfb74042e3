import { VERSION } from '../base/index.ts';
import type { Command } from './command.ts';
import { FIRST_WORDS } from './first-words.ts';

const version: Command = {
  ...FIRST_WORDS.version,
  examples: ['rouse version', 'rouse version --json'],
  async run() {
    return { data: { version: VERSION, node: process.versions.node }, plain: `rouse ${VERSION}` };
  },
};

export default version;
