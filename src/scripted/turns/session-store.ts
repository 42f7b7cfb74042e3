import * as fs from 'node:fs';
import * as path from 'node:path';
import { conflict, ensurePrivateDirectory, notFound, readIfExists } from '../../base/index.ts';

export interface SessionTurn {
  at: string;
  prompt_sha256: string;
  nonces: string[];
  answer: string;
}

export interface Session {
  id: string;
  role: string | undefined;
  turns: SessionTurn[];
}

interface Line extends Partial<SessionTurn> {
  type: 'session' | 'turn';
  role?: string | undefined;
}

/** Conversations of the headless agent: one file each, with one line per turn, and the name of the latest. */
export class SessionStore {
  #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  begin(id: string, role: string | undefined): Session {
    ensurePrivateDirectory(this.#directory);
    if (fs.existsSync(this.#file(id))) {
      throw conflict(`session id ${id} is in use`, { hint: `Continue it with --resume ${id}.` });
    }
    this.#append(id, { type: 'session', role });
    this.#noteLatest(id);
    return { id, role, turns: [] };
  }

  resume(id: string): Session {
    const text = readIfExists(this.#file(id));
    if (text === undefined) {
      throw notFound(`no conversation found with session id ${id}`, {
        hint: `Sessions are kept in ${this.#directory}.`,
      });
    }
    const session: Session = { id, role: undefined, turns: [] };
    for (const raw of text.split('\n')) {
      const line = parsed(raw);
      if (line?.type === 'session') session.role = line.role;
      if (line?.type === 'turn') session.turns.push(line as unknown as SessionTurn);
    }
    this.#noteLatest(id);
    return session;
  }

  latest(): Session {
    const id = readIfExists(path.join(this.#directory, 'latest'))?.split('\n')[0];
    if (!id) throw notFound('no conversation found to continue');
    return this.resume(id);
  }

  addTurn(id: string, turn: SessionTurn): void {
    this.#append(id, { type: 'turn', ...turn });
  }

  #file(id: string): string {
    return path.join(this.#directory, `${id}.jsonl`);
  }

  #append(id: string, line: Line): void {
    fs.appendFileSync(this.#file(id), `${JSON.stringify(line)}\n`, { mode: 0o600 });
  }

  /** Written in place with one write, so that a turn creates no temporary files. */
  #noteLatest(id: string): void {
    const { O_RDWR, O_CREAT } = fs.constants;
    const fd = fs.openSync(path.join(this.#directory, 'latest'), O_RDWR | O_CREAT, 0o600);
    try {
      fs.ftruncateSync(fd, fs.writeSync(fd, `${id}\n`));
    } finally {
      fs.closeSync(fd);
    }
  }
}

/** Ignores a line that a kill has left incomplete. */
function parsed(raw: string): Line | undefined {
  try {
    return JSON.parse(raw) as Line;
  } catch {
    return undefined;
  }
}
