import { systemClock } from '../base/index.ts';
import { bareReason } from '../domain/index.ts';

import { command } from './command.ts';
import { FIRST_WORDS } from './first-words.ts';

const demo = command({
  ...FIRST_WORDS.demo,
  description:
    'Launches three scripted agents in a private tmux server, each with a gateway and a mailbox. They write to each other, a ' +
    'simulated person asks for things through the fleet server, and the screen shows who is idle, busy or woken, and why, ' +
    'until Ctrl-C. Nothing is left running, and nothing of yours is touched.',
  examples: [
    'rouse demo',
    'rouse demo --once   # end when every agent has handled its mail and a request has been answered',
  ],
  flags: [
    { name: 'once', summary: 'end when every agent has handled mail and a request has been answered' },
    { name: 'clear', value: 'DIRECTORY', summary: 'clean up after a demo that was killed', hidden: true },
  ],
  async run({ env, out, outIsTty, outSize, signal, progress, flags }) {
    const { clearPlace, runDemo } = await import('../demo/index.ts');
    if (flags.clear) {
      await clearPlace(flags.clear, systemClock);
      return { data: { status: 'ok' }, plain: '', exitCode: 0 };
    }
    await runDemo({
      env,
      out,
      outIsTty,
      columns: () => outSize()?.columns || 80,
      signal,
      say: progress,
      inWords: bareReason,
      once: flags.once === true,
    });
    return { data: { status: 'ok' }, plain: '', exitCode: 0 };
  },
});

export default demo;
