import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { FlatFile } from './flat-file.ts';
import type { FlatMessage } from './format/envelope.ts';

export function note(id?: string, body = 'body', more: Record<string, string> = {}): FlatMessage {
  const fields = new Map(Object.entries({ from: 'a@x', to: 'b@x', re: 'subject', ...more }));
  if (id !== undefined) fields.set('msg-id', id);
  return { fields, body };
}

/** An .agent directory in a temporary place, without an inbox yet. */
export class TestAgent {
  readonly agent = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-flatfile-')), '.agent');
  readonly inbox = path.join(this.agent, 'inbox.md');
  box: FlatFile;

  constructor() {
    fs.mkdirSync(this.agent);
    this.box = new FlatFile(this.inbox);
  }

  text = (): string => fs.readFileSync(this.inbox, 'utf8');
  refs = (): string[] => this.box.list().entries.map(({ ref }) => ref);
  send = async (...message: Parameters<typeof note>): Promise<string> =>
    (await this.box.prepend(note(...message))).result;

  async end(): Promise<void> {
    await this.box.idle();
    fs.rmSync(path.dirname(this.agent), { recursive: true, force: true });
  }
}
