import { VERSION } from '../base/index.ts';
import type { Command } from './command.ts';

const version: Command = {
  name: 'version',
  summary: 'the version of this program; also --version',
  examples: ['rouse version', 'rouse version --json'],
  async run() {
    return { data: { version: VERSION, node: process.versions.node }, plain: `rouse ${VERSION}` };
  },
};

export default version;
