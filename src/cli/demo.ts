import { command } from './command.ts';

const demo = command({
  name: 'demo',
  summary: 'a small team of scripted agents, woken by mail, shown live',
  description:
    'Launches three scripted agents in a private tmux server, each with its gateway and mailbox, lets mail flow between ' +
    'them, has a person file requests with the fleet server, and shows who is idle, busy, woken and why, until Ctrl-C. ' +
    'Nothing is left running, and nothing of yours is touched.',
  examples: [
    'rouse demo',
    'rouse demo --once   # end when every agent has been woken and has handled its mail, and a request is answered',
  ],
  flags: [{ name: 'once', summary: 'end when every agent has handled mail and a request has been answered' }],
  async run({ env, out, outIsTty, signal, progress, flags }) {
    const { runDemo } = await import('../demo/index.ts');
    await runDemo({ env, out, outIsTty, signal, say: progress, once: flags.once === true });
    return { data: { status: 'ok' }, plain: '', exitCode: 0 };
  },
});

export default demo;
