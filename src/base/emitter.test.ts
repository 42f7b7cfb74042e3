import { describe, expect, it } from 'vitest';
import { Emitter } from './emitter.ts';

describe('an emitter', () => {
  it('an emitter gives the next matching event and leaves no listener behind', async () => {
    const emitter = new Emitter<number>();
    const abort = new AbortController();
    const next = emitter.next((n) => n > 1, abort.signal);
    emitter.emit(1);
    emitter.emit(2);
    expect(await next).toBe(2);
    expect(emitter.listenerCount).toBe(0);
  });

  it('an emitter rejects a wait that is aborted, also one that already was', async () => {
    const emitter = new Emitter<number>();
    const abort = new AbortController();
    const next = emitter.next(() => true, abort.signal);
    abort.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
    await expect(emitter.next(() => true, abort.signal)).rejects.toThrow('enough');
    expect(emitter.listenerCount).toBe(0);
  });
});
