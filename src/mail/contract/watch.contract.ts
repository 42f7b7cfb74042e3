import { expect, it } from 'vitest';
import { type MailScene, subjects } from './mail-scene.contract.ts';

/** Versions, hints and second handles. */
export function describeWatch(scene: MailScene): void {
  it('a mailbox changes its version with each change and only then', async () => {
    const versions = [await scene.bob.version()];
    await scene.write('one');
    versions.push(await scene.bob.version());
    await scene.bob.archive([(await scene.bobGot('one')).message_ref]);
    versions.push(await scene.bob.version());
    expect(new Set(versions).size).toBe(3);
    await scene.bob.list();
    expect(await scene.bob.version()).toBe(versions[2]);
  });

  it('a mailbox notifies watchers of new mail and of changes made here or elsewhere', async () => {
    let hints = 0;
    let arrived: (() => void) | undefined;
    const stop = await scene.bob.watch((hint) => {
      expect(hint.address).toBe(scene.bob.address);
      hints++;
      arrived?.();
    });
    const nextHint = (): Promise<void> =>
      new Promise((resolve) => {
        arrived = resolve;
      });
    const first = nextHint();
    await scene.write('wake up');
    await first;
    const second = nextHint();
    const other = await scene.anotherBob();
    await other.archive([(await scene.bobGot('wake up')).message_ref]);
    await second;
    await other.close();
    stop();
    const seen = hints;
    await scene.write('asleep');
    expect(hints).toBe(seen);
  });

  it('a mailbox shows through a second handle what was written through the first', async () => {
    await scene.write('shared');
    const other = await scene.anotherBob();
    expect(subjects((await other.list()).messages)).toEqual(['shared']);
    await other.archive([(await scene.bobGot('shared')).message_ref]);
    expect((await scene.bob.list()).messages).toEqual([]);
    await other.close();
  });
}
