import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { identifyProcess } from '../base/index.ts';
import { runningServer, serverFiles } from './server-files.ts';

function home() {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-server-files-'));
  onTestFinished(() => fs.rmSync(directory, { recursive: true }));
  const files = serverFiles(directory);
  fs.mkdirSync(files.directory);
  return { files, record: (text: string) => fs.writeFileSync(files.instance, text) };
}

it('the files of a server are all in the directory "server" of its home', () => {
  const { files } = home();
  const { directory, ...rest } = files;
  for (const file of Object.values(rest)) expect(path.dirname(file)).toBe(directory);
});

it('a server counts as running only while the same process that wrote the record runs', () => {
  const { files, record } = home();
  const { pid, startTicks, bootId } = identifyProcess(process.pid)!;
  const written = { pid, process_start_ticks: startTicks, boot_id: bootId, url: 'http://127.0.0.1:9889' };
  record(JSON.stringify(written));
  expect(runningServer(files)).toMatchObject({
    url: 'http://127.0.0.1:9889',
    process: { pid, startTicks, bootId },
  });
  record(JSON.stringify({ ...written, process_start_ticks: startTicks! + 1 }));
  expect(runningServer(files)).toBeUndefined();
  record(JSON.stringify({ ...written, boot_id: 'an earlier boot' }));
  expect(runningServer(files)).toBeUndefined();
});

it('a missing, broken or foreign record of a server means that none is running', () => {
  const { files, record } = home();
  expect(runningServer(files)).toBeUndefined();
  for (const text of ['{"pid": "12"}', '{}', '[]', 'null']) {
    record(text);
    expect(runningServer(files), text).toBeUndefined();
  }
});
