import { asProgram, exchangeRaw, raw } from './call.ts';
import { type Target, targets } from './routes.ts';
import type { Stage } from './stage.ts';
import type { Tries } from './tries.ts';

/** Broken requests; each is followed by a good request that must not be executed. */
function* broken(target: Target): Generator<[string, string]> {
  const good = raw(asProgram(target));
  const [head = '', content = ''] = good.split('\r\n\r\n');
  const line = head.split('\r\n')[0]!;
  const rest = head.split('\r\n').slice(1).join('\r\n');
  const without = rest.replace(/\r\ncontent-length: \d+/, '');
  const chunked = `${content.length.toString(16)}\r\n${content}\r\n0\r\n\r\n`;
  yield [
    'a body that is cut',
    `${line}\r\n${rest.replace(/(content-length: )(\d+)/, (_, k, n) => k + (Number(n) + 5))}\r\n\r\n${content}`,
  ];
  yield ['two lengths', `${line}\r\n${rest}\r\ncontent-length: 3\r\n\r\n${content}`];
  yield ['length and chunks', `${line}\r\n${rest}\r\ntransfer-encoding: chunked\r\n\r\n${chunked}`];
  yield ['a length below zero', `${line}\r\n${without}\r\ncontent-length: -1\r\n\r\n${content}`];
  yield ['chunks of nonsense', `${line}\r\n${without}\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n${content}`];
  yield ['an unknown encoding', `${line}\r\n${without}\r\ntransfer-encoding: xchunked\r\n\r\n${chunked}`];
  yield ['a header of 100 KB', `${line}\r\n${rest}\r\nx-long: ${'a'.repeat(100_000)}\r\n\r\n${content}`];
  yield ['10,000 headers', `${line}\r\n${rest}\r\n${'x-a: b\r\n'.repeat(10_000)}\r\n${content}`];
  yield ['NUL in a header', `${line}\r\n${rest}\r\nx-nul: a\u0000b\r\n\r\n${content}`];
  yield ['a header without a name', `${line}\r\n: x\r\n${rest}\r\n\r\n${content}`];
  yield ['a space before the colon', `${line}\r\ncontent-length : 3\r\n${rest}\r\n\r\n${content}`];
  yield ['two hosts', `${line}\r\nhost: evil.example\r\n${rest}\r\n\r\n${content}`];
  yield ['no host', `${line}\r\n${rest.replace(/host: [^\r]*\r\n/, '')}\r\n\r\n${content}`];
  yield ['an empty host', `${line}\r\n${rest.replace(/host: [^\r]*/, 'host:')}\r\n\r\n${content}`];
  yield ['HTTP/9.9', `${line.replace('1.1', '9.9')}\r\n${rest}\r\n\r\n${content}`];
  yield ['an unknown method', `STEAL${line.slice(line.indexOf(' '))}\r\n${rest}\r\n\r\n${content}`];
  yield ['TRACE', `TRACE${line.slice(line.indexOf(' '))}\r\n${rest}\r\n\r\n${content}`];
  yield [
    'a path that climbs',
    `${line.replace(target.path, `/x/../../../..${target.path}/../../..`)}\r\n${rest}\r\n\r\n${content}`,
  ];
  yield [
    'a path of 100 KB',
    `${line.replace(target.path, `${target.path}${'/a'.repeat(50_000)}`)}\r\n${rest}\r\n\r\n${content}`,
  ];
  yield ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'];
  yield ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'];
}

/** Requests that are broken on the wire, by the owner's account, to the routes that change something. */
export async function brokenRequests(
  stage: Stage,
  tries: Tries,
  kind: string,
  max = Number.POSITIVE_INFINITY,
): Promise<void> {
  const wanted = [
    'requests.create',
    'control.sendKeys',
    'mail.post',
    'reminders.create',
    'agents.requests',
    'agents.launch',
    'agents.gateway.mail.post',
    'agents.gateway.control.sendKeys',
  ];
  const all = targets(stage.ports, stage.to)
    .filter(({ id, server }) => wanted.includes(id) && !(server === 'fleet' && id === 'requests.create'))
    .flatMap((target) => [...broken(target)].map(([what, bytes]) => ({ target, what, bytes })));
  const step = Math.max(1, Math.ceil(all.length / max));
  const chosen = all.filter((_, n) => n % step === 0);
  const worker = async (): Promise<void> => {
    for (let each = chosen.pop(); each; each = chosen.pop()) {
      const said = await exchangeRaw(each.target.port, Buffer.from(each.bytes, 'latin1'));
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1] ?? 0);
      const refused = status === 0 || (status >= 400 && status < 500) || status === 501 || status === 505;
      tries.add(kind, !refused && `${each.target.id}: ${each.what}: ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
}
