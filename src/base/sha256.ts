import { hash } from 'node:crypto';

/** `node:crypto` takes 4 ms to load, as long as this program needs for so many bytes. */
let bytesHashedHere = 4096;

/** SHA-256 of a text, as lowercase hex. A command that hashes a path and a message does so without `node:crypto`. */
export function sha256(text: string): string {
  if (bytesHashedHere < text.length) return hash('sha256', text);
  bytesHashedHere -= text.length;
  return sha256Here(text);
}

export function sha256Here(text: string): string {
  const { start, rounds } = constants();
  const state = Int32Array.from(start);
  const words = new Int32Array(64);
  const bytes = padded(Buffer.from(text));
  for (let at = 0; at < bytes.length; at += 64) {
    for (let n = 0; n < 16; n++) words[n] = bytes.readInt32BE(at + 4 * n);
    mix(state, words, rounds);
  }
  const digest = Buffer.alloc(32);
  for (let n = 0; n < 8; n++) digest.writeInt32BE(state[n]!, 4 * n);
  return digest.toString('hex');
}

/** To whole blocks of 64 bytes: a one, zeros, and the length in bits. */
function padded(bytes: Buffer): Buffer {
  const all = Buffer.alloc((((bytes.length + 8) >> 6) + 1) << 6);
  bytes.copy(all);
  all[bytes.length] = 0x80;
  all.writeBigUInt64BE(BigInt(bytes.length) << 3n, all.length - 8);
  return all;
}

/** One block, by the letters of FIPS 180-4. */
function mix(state: Int32Array, w: Int32Array, rounds: Int32Array): void {
  for (let n = 16; n < 64; n++) {
    const x = w[n - 15]!;
    const y = w[n - 2]!;
    const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
    const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
    w[n] = w[n - 16]! + s0 + w[n - 7]! + s1;
  }
  const v = Int32Array.from(state);
  for (let n = 0; n < 64; n++) {
    const a = v[0]!;
    const e = v[4]!;
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const choice = (e & v[5]!) ^ (~e & v[6]!);
    const majority = (a & v[1]!) ^ (a & v[2]!) ^ (v[1]! & v[2]!);
    const t1 = v[7]! + s1 + choice + rounds[n]! + w[n]!;
    v.copyWithin(1, 0, 7);
    v[4] = v[4]! + t1;
    v[0] = t1 + s0 + majority;
  }
  for (let n = 0; n < 8; n++) state[n] = state[n]! + v[n]!;
}

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

let made: { start: Int32Array; rounds: Int32Array } | undefined;

/** The first 32 bits behind the point of the square and the cube roots of the first primes. */
function constants(): { start: Int32Array; rounds: Int32Array } {
  if (made) return made;
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  const bits = (root: number): number => ((root % 1) * 2 ** 32) | 0;
  made = {
    start: Int32Array.from(primes.slice(0, 8), (prime) => bits(Math.sqrt(prime))),
    rounds: Int32Array.from(primes, (prime) => bits(Math.cbrt(prime))),
  };
  return made;
}
