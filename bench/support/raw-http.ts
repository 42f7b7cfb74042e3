import { connect, type Socket } from 'node:net';

/**
 * POSTs over its own persistent connections, one request at a time on each, so the cost of a full client is not measured.
 * Responses must have a Content-Length, as ours do.
 */
export class RawHttp {
  readonly #url: URL;
  readonly #head: string;
  readonly #idle: RawConnection[] = [];

  constructor(url: string, token: string) {
    this.#url = new URL(url);
    this.#head = `Host: ${this.#url.host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    let connection = this.#idle.pop();
    while (connection && !connection.isOpen) connection = this.#idle.pop();
    connection ??= new RawConnection(this.#url);
    const text = JSON.stringify(body);
    const length = Buffer.byteLength(text);
    const { status, answer } = await connection.ask(
      `POST ${path} HTTP/1.1\r\n${this.#head}Content-Length: ${length}\r\n\r\n${text}`,
    );
    if (connection.isOpen) this.#idle.push(connection);
    if (status >= 300) throw new Error(`${status} ${answer}`);
    return JSON.parse(answer) as T;
  }
}

interface Answered {
  status: number;
  answer: string;
}

class RawConnection {
  readonly #socket: Socket;
  #received = '';
  #resolve: ((answered: Answered) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;
  isOpen = true;

  constructor({ hostname, port }: URL) {
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (chunk: string) => this.#hear(chunk));
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.isOpen = false;
      this.#reject?.(new Error('the connection was closed'));
    });
  }

  ask(request: string): Promise<Answered> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      if (this.isOpen) this.#socket.write(request);
      else reject(new Error('the connection was closed'));
    });
  }

  #hear(chunk: string): void {
    this.#received += chunk;
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#received.slice(0, end))?.[1];
    if (length === undefined) return void this.#socket.destroy();
    const whole = end + 4 + Number(length);
    if (this.#received.length < whole) return;
    const status = Number(this.#received.slice(9, 12));
    const answer = Buffer.from(this.#received.slice(end + 4, whole), 'latin1').toString('utf8');
    this.#received = '';
    const resolve = this.#resolve;
    this.#resolve = undefined;
    this.#reject = undefined;
    resolve?.({ status, answer });
  }
}
