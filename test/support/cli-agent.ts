import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { type Ending, systemClock } from '../../src/base/index.ts';
import { runCli } from '../../src/cli/index.ts';
import { type TestGateway, testGateway } from '../../src/gateway/testing.ts';
import { initMailStore, openMailbox, openMailStore } from '../../src/mail/index.ts';
import { publishRecord } from '../../src/session/records/registry.ts';
import { sampleManifest, sampleRecord, writeSession } from '../../src/session/testing.ts';
import type { FakeSurface } from '../../src/terminal/index.ts';
import type { MailboxBinding } from '../../src/wire/index.ts';

export interface CliAgent {
  home: string;
  sessionRoot: string;
  /** Runs one command line against this agent, in this process. */
  rouse(
    args: string[],
    options?: { stdin?: string; signal?: AbortSignal; tty?: boolean; onOut?: (text: string) => void },
  ): Promise<{ code: number; out: string; err: string }>;
  /** The same, which must succeed, as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: output of every shape
  json(args: string[], options?: { stdin?: string }): Promise<any>;
  attach(prepare?: (surface: FakeSurface) => void): Promise<TestGateway>;
  /** Delivers mail from peer@test to the agent's inbox. */
  mail(subject: string): Promise<string>;
}

/** An agent as the command line finds it: registry record, manifest, mailbox; its gateway is real, its terminal is not. */
export async function cliAgent(
  ending: Ending,
  { name = 'gpu', mailbox = true, socket = undefined as string | undefined } = {},
): Promise<CliAgent> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-cli-'));
  ending.add(() => fs.rmSync(home, { recursive: true, force: true }));
  const mailRoot = path.join(home, 'mailbox');
  const binding: MailboxBinding | null = mailbox
    ? {
        transport: 'filesystem',
        principal_id: `HOUMAO-${name}`,
        address: `${name}@test`,
        filesystem_root: mailRoot,
        bindings_version: '1',
        mailbox_kind: 'in_root',
        mailbox_path: path.join(mailRoot, 'mailboxes', `${name}@test`),
      }
    : null;
  const store = initMailStore({ root: mailRoot, clock: systemClock });
  for (const who of [name, 'peer'])
    store.register({ address: `${who}@test`, owner_principal_id: `HOUMAO-${who}`, mode: 'safe' });
  await store.close();

  const tmux = socket === undefined ? {} : { tmuxSocket: socket };
  const manifest = sampleManifest({ agentName: name, ...tmux });
  const manifestPath = writeSession(path.join(home, 'runtime'), {
    ...manifest,
    launch_plan: { ...(manifest.launch_plan as object), mailbox: binding },
  });
  const sessionRoot = path.dirname(manifestPath);
  await publishRecord(
    path.join(home, 'registry'),
    sampleRecord({ agentName: name, manifestPath, ...tmux }, new Date()),
    systemClock,
  );

  async function rouse(
    args: string[],
    { stdin, signal, tty = false, onOut }: NonNullable<Parameters<CliAgent['rouse']>[1]> = {},
  ) {
    let out = '';
    let err = '';
    const code = await runCli({
      argv: args,
      env: { ROUSE_HOME: home, HOME: home, PATH: process.env['PATH'] },
      stdout: {
        write(text) {
          out += text;
          onOut?.(text);
        },
        isTTY: tty,
      },
      stderr: {
        write(text) {
          err += text;
        },
        isTTY: false,
      },
      stdin: async () => stdin ?? '',
      stdinIsTty: stdin === undefined,
      signal: signal ?? new AbortController().signal,
    });
    return { code, out, err };
  }

  return {
    home,
    sessionRoot,
    rouse,
    async json(args, options) {
      const { code, out, err } = await rouse([...args, '--print-json'], options);
      if (code !== 0) throw new Error(`rouse ${args.join(' ')} exited with ${code}: ${err}`);
      return JSON.parse(out);
    },
    attach: (prepare) =>
      testGateway(ending, {
        root: sessionRoot,
        ...(prepare && { prepare }),
        config: {
          openMailbox: (bound) => openMailbox(bound, { clock: systemClock }),
          mailboxBinding: () => binding,
        },
      }),
    async mail(subject) {
      const post = openMailStore({ root: mailRoot, clock: systemClock });
      try {
        const { message } = await post
          .mailbox('peer@test')
          .send({ to: [`${name}@test`], subject, body_content: `about ${subject}` });
        return message.message_ref;
      } finally {
        await post.close();
      }
    },
  };
}
