import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { newUuid, systemClock, writeFileAtomic, writeJsonAtomic } from '../../src/base/index.ts';
import { fleetMail } from '../../src/client/index.ts';
import { bindMailbox, type MailboxBinding, openMailbox } from '../../src/mail/index.ts';
import type { Mailbox } from '../../src/mail/port.ts';
import type { TestFleet } from '../support/fleet.ts';

const surroundings = { clock: systemClock, connectFleet: fleetMail };

/** Sessions of agents that are registered with a server: the files as after launch, without terminals. */
export class MailSessions {
  readonly directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-fleet-mail-'));
  readonly #fleet: Pick<TestFleet, 'agent' | 'url'>;
  readonly #opened: Mailbox[] = [];

  constructor(fleet: Pick<TestFleet, 'agent' | 'url'>) {
    this.#fleet = fleet;
  }

  /** The agent of that name, its session and its mailbox. */
  async bind(name: string, { orgId }: { orgId?: string } = {}): Promise<MailboxBinding> {
    const root = await this.register(name, orgId);
    const { binding } = await bindMailbox(
      {
        transport: 'fleet',
        place: root,
        principal_id: `HOUMAO-${name}`,
        bindings_version: newUuid(),
        mode: 'safe',
        agentName: name,
        manifestPath: path.join(root, 'manifest.json'),
      },
      surroundings,
    );
    return binding;
  }

  /** Its session root. */
  async register(name: string, orgId?: string): Promise<string> {
    const { workspaceId, token } = await this.#fleet.agent(name, orgId === undefined ? {} : { orgId });
    const root = path.join(this.directory, newUuid());
    fs.mkdirSync(path.join(root, 'fleet'), { recursive: true, mode: 0o700 });
    writeFileAtomic(path.join(root, 'fleet', 'token'), `${token}\n`, { mode: 0o600 });
    writeJsonAtomic(path.join(root, 'fleet', 'fleet.json'), {
      schema_version: 1,
      url: this.#fleet.url,
      workspace_id: workspaceId,
      session_id: `session-of-${name}`,
    });
    return root;
  }

  async open(binding: MailboxBinding): Promise<Mailbox> {
    const { mailbox } = await openMailbox(binding, surroundings);
    this.#opened.push(mailbox);
    return mailbox;
  }

  async end(): Promise<void> {
    for (const mailbox of this.#opened) await mailbox.close();
    fs.rmSync(this.directory, { recursive: true, force: true });
  }
}
