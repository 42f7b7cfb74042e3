import type { Command } from '../command.ts';
import classify from './classify.ts';

const tui: Command = {
  name: 'tui',
  summary: 'how Rouse reads a terminal screen',
  subcommands: [classify],
};

export default tui;
