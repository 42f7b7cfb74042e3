import { endianness } from 'node:os';
import { nativeFunction } from '../../native.ts';
import type { Ends, SocketOwner } from '../system.ts';

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
const request = emptyRequest();
const answer = Buffer.alloc(4096);
const LOOPBACK = Buffer.of(127, 0, 0, 1);
const LOOPBACK_6 = Buffer.concat([Buffer.alloc(15), Buffer.of(1)]);

/**
 * Asks the kernel (sock_diag) for exactly one socket, the client's. The text table in /proc is slow and shows a closed
 * socket as root's. Here a socket without an inode has no owner.
 */
export function socketOwner(ends: Ends): SocketOwner {
  netlink ??= openNetlink();
  if (netlink === 'unaskable') return 'unaskable';
  if (!askFor(ends)) return 'none';
  sequence = (sequence + 1) >>> 0;
  request.writeUInt32LE(sequence, 8);
  if (netlink.send(netlink.fd, request, REQUEST, MSG_DONTWAIT) !== REQUEST) return 'none';
  for (;;) {
    const size = netlink.recv(netlink.fd, answer, answer.length, MSG_DONTWAIT);
    if (size < HEADER) return 'none';
    if (answer.readUInt32LE(8) === sequence) return ownerIn(size);
  }
}

/** The answer must be about the socket asked for: the kernel falls back to one that listens on the same port. */
function ownerIn(size: number): SocketOwner {
  if (size < HEADER + ANSWER || answer.readUInt16LE(4) !== SOCK_DIAG_BY_FAMILY) return 'none';
  const state = answer.readUInt8(HEADER + 1);
  const samePorts = answer.readUInt32BE(HEADER + 4) === request.readUInt32BE(HEADER + 8);
  const inode = answer.readUInt32LE(HEADER + 68);
  if (state === TCP_LISTEN || !samePorts || inode === 0) return 'none';
  return answer.readUInt32LE(HEADER + 64);
}

/** Writes the two ends into the request. False if they are not both on this machine's loopback. */
function askFor({ localAddress, localPort, remoteAddress, remotePort }: Ends): boolean {
  const here = addressBytes(localAddress);
  const there = addressBytes(remoteAddress);
  if (!here || !there || here.length !== there.length || !localPort || !remotePort) return false;
  request.writeUInt8(there.length === 4 ? AF_INET : AF_INET6, HEADER);
  request.writeUInt16BE(remotePort, HEADER + 8);
  request.writeUInt16BE(localPort, HEADER + 10);
  request.fill(0, HEADER + 12, HEADER + 44);
  there.copy(request, HEADER + 12);
  here.copy(request, HEADER + 28);
  return true;
}

function emptyRequest(): Buffer {
  const message = Buffer.alloc(REQUEST);
  message.writeUInt32LE(REQUEST, 0);
  message.writeUInt16LE(SOCK_DIAG_BY_FAMILY, 4);
  message.writeUInt16LE(NLM_F_REQUEST, 6);
  message.writeUInt8(IPPROTO_TCP, HEADER + 1);
  message.writeUInt32LE(0xffffffff, HEADER + 4);
  // No cookie: any socket with these ends.
  message.fill(0xff, HEADER + 48, REQUEST);
  return message;
}

/** Only addresses of this machine's loopback. An IPv4 address mapped to IPv6 counts as IPv4. */
function addressBytes(address: string | undefined): Buffer | undefined {
  if (address === '127.0.0.1') return LOOPBACK;
  if (address === '::1') return LOOPBACK_6;
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
