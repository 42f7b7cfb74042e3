import { endianness } from 'node:os';
import { nativeFunction } from '../base/index.ts';

/** The two ends of a TCP connection within this machine, as the one who accepted it sees them. */
export interface Ends {
  localAddress?: string | undefined;
  localPort?: number | undefined;
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
}

/** Who made the socket at the other end: a uid; `nobody` when no living socket answers to it; `unaskable` on other systems. */
export type SocketOwner = number | 'nobody' | 'unaskable';

type Call = (...args: unknown[]) => number;
interface Netlink {
  fd: number;
  send: Call;
  recv: Call;
}

const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const SOCK_RAW_CLOEXEC = 0o2000003;
const NETLINK_SOCK_DIAG = 4;
const SOCK_DIAG_BY_FAMILY = 20;
const NLM_F_REQUEST = 1;
const IPPROTO_TCP = 6;
const MSG_DONTWAIT = 0x40;
const TCP_LISTEN = 10;
const HEADER = 16;
const REQUEST = 72;
const ANSWER = 72;

let netlink: Netlink | 'unaskable' | undefined;
let sequence = 0;
const answer = Buffer.alloc(4096);

/**
 * Asks the kernel for exactly one socket (sock_diag), the client's. Its text table in /proc is slow, and shows a closed
 * socket as root's; here a socket without an inode has no owner any more, and is nobody's.
 */
export function socketOwner(ends: Ends): SocketOwner {
  netlink ??= openNetlink();
  if (netlink === 'unaskable') return 'unaskable';
  const request = question(ends);
  if (!request) return 'nobody';
  sequence = (sequence + 1) >>> 0;
  request.writeUInt32LE(sequence, 8);
  if (netlink.send(netlink.fd, request, REQUEST, MSG_DONTWAIT) !== REQUEST) return 'nobody';
  for (;;) {
    const size = netlink.recv(netlink.fd, answer, answer.length, MSG_DONTWAIT);
    if (size < HEADER) return 'nobody';
    if (answer.readUInt32LE(8) === sequence) return ownerIn(request, size);
  }
}

/** The answer must be about the very socket asked for: the kernel falls back to one that listens on the same port. */
function ownerIn(request: Buffer, size: number): SocketOwner {
  if (size < HEADER + ANSWER || answer.readUInt16LE(4) !== SOCK_DIAG_BY_FAMILY) return 'nobody';
  const state = answer.readUInt8(HEADER + 1);
  const samePorts = answer.readUInt32BE(HEADER + 4) === request.readUInt32BE(HEADER + 8);
  const inode = answer.readUInt32LE(HEADER + 68);
  if (state === TCP_LISTEN || !samePorts || inode === 0) return 'nobody';
  return answer.readUInt32LE(HEADER + 64);
}

function question({ localAddress, localPort, remoteAddress, remotePort }: Ends): Buffer | undefined {
  const here = addressBytes(localAddress);
  const there = addressBytes(remoteAddress);
  if (!here || !there || here.length !== there.length || !localPort || !remotePort) return undefined;
  const message = Buffer.alloc(REQUEST);
  message.writeUInt32LE(REQUEST, 0);
  message.writeUInt16LE(SOCK_DIAG_BY_FAMILY, 4);
  message.writeUInt16LE(NLM_F_REQUEST, 6);
  message.writeUInt8(there.length === 4 ? AF_INET : AF_INET6, HEADER);
  message.writeUInt8(IPPROTO_TCP, HEADER + 1);
  message.writeUInt32LE(0xffffffff, HEADER + 4);
  message.writeUInt16BE(remotePort, HEADER + 8);
  message.writeUInt16BE(localPort, HEADER + 10);
  there.copy(message, HEADER + 12);
  here.copy(message, HEADER + 28);
  // No cookie: any socket with these ends.
  message.fill(0xff, HEADER + 48, REQUEST);
  return message;
}

/** Only addresses of this machine's loopback; an IPv4 address in IPv6 clothes is IPv4. */
function addressBytes(address: string | undefined): Buffer | undefined {
  if (address === '::1') return Buffer.concat([Buffer.alloc(15), Buffer.of(1)]);
  const parts = /^(?:::ffff:)?(127)\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address ?? '');
  return parts ? Buffer.from(parts.slice(1).map(Number)) : undefined;
}

function openNetlink(): Netlink | 'unaskable' {
  if (process.platform !== 'linux' || endianness() !== 'LE') return 'unaskable';
  try {
    const socket = nativeFunction<Call>('int socket(int domain, int type, int protocol)');
    const fd = socket(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0) return 'unaskable';
    return {
      fd,
      send: nativeFunction<Call>('long send(int fd, const void *data, unsigned long size, int flags)'),
      recv: nativeFunction<Call>('long recv(int fd, void *data, unsigned long size, int flags)'),
    };
  } catch {
    return 'unaskable';
  }
}
