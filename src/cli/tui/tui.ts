import type { Command } from '../command.ts';
import classify from './classify.ts';

const tui: Command = {
  name: 'tui',
  summary: 'what Rouse makes of a terminal screen',
  subcommands: [classify],
};

export default tui;
