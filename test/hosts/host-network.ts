import { execFileSync } from 'node:child_process';
import * as net from 'node:net';

/** The network between a server and some hosts, with a link to each host that can be cut. */
export interface HostNetwork {
  /** The kind of network, for the report. */
  readonly kind: string;
  /** The address on which servers listen. */
  readonly serverAddress: string;
  /** The address of that host for the others; undefined: hosts cannot reach each other. */
  address(host: number): string | undefined;
  /** The prefix of a command that runs on that host. */
  enter(host: number): string[];
  /** How that host reaches a port of the server. */
  url(host: number, port: number): Promise<string>;
  cut(host: number): void;
  heal(host: number): void;
  close(): void;
}

/** Separate namespaces where possible, otherwise loopback. */
export function openNetwork(hosts: number): HostNetwork {
  try {
    return new Namespaces(hosts);
  } catch (error) {
    return new Loopback(String((error as Error).message).split('\n')[0]!);
  }
}

const ip = (...words: string[]): void =>
  void execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'pipe'] });

/** A bridge, and a namespace connected to it for each host. */
class Namespaces implements HostNetwork {
  readonly kind = 'network namespaces';
  readonly serverAddress: string;
  #hosts: number;
  #net: string;
  #bridge: string;

  constructor(hosts: number) {
    this.#hosts = hosts;
    // A network for each test process, from a range for tests.
    this.#net = `198.${18 + ((process.pid >> 8) & 1)}.${process.pid & 255}`;
    this.serverAddress = `${this.#net}.254`;
    this.#bridge = `rsb${process.pid}`;
    try {
      ip('link', 'add', this.#bridge, 'type', 'bridge');
      ip('addr', 'add', `${this.serverAddress}/24`, 'dev', this.#bridge);
      ip('link', 'set', this.#bridge, 'up');
      for (let host = 0; host < hosts; host++) this.#add(host);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #name = (host: number): string => `rs${process.pid}-${host}`;
  #leg = (host: number): string => `rsv${process.pid}${host}`;

  #add(host: number): void {
    const [name, leg] = [this.#name(host), this.#leg(host)];
    ip('netns', 'add', name);
    ip('link', 'add', leg, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    ip('link', 'set', leg, 'master', this.#bridge, 'up');
    ip('-n', name, 'link', 'set', 'lo', 'up');
    ip('-n', name, 'addr', 'add', `${this.#net}.${host + 1}/24`, 'dev', 'eth0');
    ip('-n', name, 'link', 'set', 'eth0', 'up');
  }

  address(host: number): string {
    return `${this.#net}.${host + 1}`;
  }

  enter(host: number): string[] {
    return ['ip', 'netns', 'exec', this.#name(host)];
  }

  async url(_host: number, port: number): Promise<string> {
    return `http://${this.serverAddress}:${port}`;
  }

  cut(host: number): void {
    ip('link', 'set', this.#leg(host), 'down');
  }

  heal(host: number): void {
    ip('link', 'set', this.#leg(host), 'up');
  }

  close(): void {
    for (let host = 0; host < this.#hosts; host++) quietly(() => ip('netns', 'del', this.#name(host)));
    quietly(() => ip('link', 'del', this.#bridge));
  }
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // It did not exist.
  }
}

/** One network for all; a link is a port that forwards bytes, and stops while it is cut. */
class Loopback implements HostNetwork {
  readonly kind: string;
  readonly serverAddress = '127.0.0.1';
  #cut = new Set<number>();
  #lines = new Map<string, { server: net.Server; sockets: Set<net.Socket>; host: number }>();

  constructor(why: string) {
    this.kind = `loopback (no namespaces: ${why})`;
  }

  address(): undefined {}

  enter(): string[] {
    return [];
  }

  async url(host: number, port: number): Promise<string> {
    const line = this.#lines.get(`${host} ${port}`) ?? (await this.#line(host, port));
    return `http://127.0.0.1:${(line.server.address() as net.AddressInfo).port}`;
  }

  async #line(host: number, port: number) {
    const sockets = new Set<net.Socket>();
    const server = net.createServer((near) => {
      if (this.#cut.has(host)) return void near.destroy();
      const far = net.connect(port, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one);
        one.pipe(other);
        one.on('error', () => other.destroy());
        one.on('close', () => sockets.delete(one));
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const line = { server, sockets, host };
    this.#lines.set(`${host} ${port}`, line);
    return line;
  }

  cut(host: number): void {
    this.#cut.add(host);
    for (const line of this.#lines.values())
      if (line.host === host) for (const socket of line.sockets) socket.destroy();
  }

  heal(host: number): void {
    this.#cut.delete(host);
  }

  close(): void {
    for (const { server, sockets } of this.#lines.values()) {
      server.close();
      for (const socket of sockets) socket.destroy();
    }
  }
}
