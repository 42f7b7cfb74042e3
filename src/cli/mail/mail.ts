import type { Command } from '../command.ts';
import { list, peek, read, search, status, watch } from './look.ts';
import { archive, mark, move } from './sort.ts';
import { post, reply, send } from './write.ts';

const mail: Command = {
  name: 'mail',
  summary: 'read and write mail of one mailbox',
  description:
    'Works on the mail store itself; no gateway is needed. See "rouse agents mail" for the mail of a running agent.',
  subcommands: [status, list, peek, read, send, post, reply, mark, move, archive, search, watch],
};

export default mail;
