import type * as Fs from 'node:fs';

/** A message file to bring into being: written whole under another name, then renamed. Missing directories are made. */
export interface FileTask {
  staged: string;
  file: string;
  text: string;
}

/** A link in a box; `former` is where it was, when it moves. */
export interface LinkTask {
  at: string;
  target: string;
  former?: string;
}

export interface PublishTask {
  file?: FileTask;
  links: LinkTask[];
}

/**
 * Does what each task says and answers with one error message or null per task. Never through a link: each directory
 * up to the root is looked at once per call. It runs here or, as source text, in a worker thread: it must use nothing
 * but its parameters, and no named function inside.
 */
export function runPublishTasks(
  fs: typeof Fs,
  { root, tasks }: { root: string; tasks: readonly PublishTask[] },
  reached: (step: string) => void,
): (string | null)[] {
  const real = new Set<string>([root]);
  return tasks.map((task) => {
    try {
      const writes = task.links.map(({ at }) => at);
      if (task.file) writes.push(task.file.staged, task.file.file);
      for (const file of writes) {
        const inside = file.startsWith(`${root}/`);
        let folder = file.slice(0, file.lastIndexOf('/'));
        while (!real.has(folder)) {
          const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
          if (stat?.isDirectory() === false)
            throw new Error(`${folder} is not a directory; see rouse mailbox repair`);
          if (stat) real.add(folder);
          if (!inside) break;
          folder = folder.slice(0, folder.lastIndexOf('/'));
        }
      }
      if (task.file) {
        const { staged, file, text } = task.file;
        const folder = file.slice(0, file.lastIndexOf('/'));
        fs.writeFileSync(staged, text, { mode: 0o600 });
        reached('mailbox.publish.staged');
        try {
          fs.renameSync(staged, file);
        } catch {
          try {
            fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
            fs.renameSync(staged, file);
          } catch (error) {
            fs.rmSync(staged, { force: true });
            throw error;
          }
        }
        reached('mailbox.publish.file');
      }
      for (const { at, target, former } of task.links) {
        let placed = false;
        const folder = at.slice(0, at.lastIndexOf('/'));
        if (former !== undefined) {
          try {
            if (fs.readlinkSync(former) === target) {
              fs.renameSync(former, at);
              placed = true;
              reached('mailbox.relink.moved');
            }
          } catch {
            // Not there, or the box is missing: made below.
          }
        }
        for (let attempt = 0; !placed; attempt++) {
          try {
            fs.symlinkSync(target, at);
            placed = true;
          } catch (error) {
            const code = (error as { code?: string }).code;
            if (attempt > 1 || (code !== 'ENOENT' && code !== 'EEXIST')) throw error;
            if (code === 'ENOENT') {
              fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
            } else if (fs.lstatSync(at).isSymbolicLink() && fs.readlinkSync(at) === target) placed = true;
            else fs.rmSync(at, { force: true });
          }
        }
        if (former !== undefined) fs.rmSync(former, { force: true });
      }
      if (task.file) reached('mailbox.publish.links');
      return null;
    } catch (error) {
      return String((error as Error).message);
    }
  });
}
