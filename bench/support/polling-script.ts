import { type ChildProcess, spawn } from 'node:child_process';
import { isWakePrompt } from '../../test/agents/round/do-mail.ts';
import type { AgentUnderTest } from '../../test/agents/support/agent-under-test.ts';

/** A script as people write it: it checks every two seconds for new unread mail, pastes, and presses Enter. */
const SCRIPT = `
announced=0
while sleep 2; do
  unread=$(curl -s "$STATUS" | sed -n 's/.*"unread_count": *\\([0-9]*\\).*/\\1/p')
  if [ "\${unread:-0}" -gt 0 ] && [ "$announced" = 0 ]; then
    printf %s "$PROMPT" | tmux -S "$SOCKET" load-buffer -b bare -
    tmux -S "$SOCKET" paste-buffer -p -d -b bare -t "$PANE"
    sleep 0.3
    tmux -S "$SOCKET" send-keys -t "$PANE" Enter
    announced=1
  fi
  [ "\${unread:-0}" = 0 ] && announced=0
done
`;

export class PollingScript {
  readonly #child: ChildProcess;

  /** It types the same prompt that Rouse typed before. */
  constructor({ baseUrl, world, model, pane }: AgentUnderTest) {
    const { prompt } = model.log.findLast(
      (each) => isWakePrompt(each.prompt) && each.prompt.includes(baseUrl),
    )!;
    const env = { STATUS: `${baseUrl}/v1/mail/status`, PROMPT: prompt, SOCKET: world.socket, PANE: pane };
    this.#child = spawn('sh', ['-c', SCRIPT], {
      env: { ...world.env, ...env },
      stdio: 'ignore',
      detached: true,
    });
  }

  /** Ends it together with the sleep it waits for. */
  end(): void {
    process.kill(-this.#child.pid!, 'SIGKILL');
  }
}
