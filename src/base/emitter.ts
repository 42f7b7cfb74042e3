import { callListener } from './listener-errors.ts';

type Listener<T> = (event: T) => void;

/** One typed channel of events. Listeners are called in order; one that throws does not stop the others. */
export class Emitter<T> {
  #listeners = new Set<Listener<T>>();

  on(listener: Listener<T>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: T): void {
    for (const listener of [...this.#listeners]) callListener(() => listener(event));
  }

  /** Resolves with the first event that matches. Rejects with the signal's reason if aborted. Leaves no listener behind. */
  next(matches: (event: T) => boolean = () => true, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const end = (): void => {
        stop();
        signal?.removeEventListener('abort', abort);
      };
      const abort = (): void => {
        end();
        reject(signal?.reason);
      };
      const stop = this.on((event) => {
        if (!matches(event)) return;
        end();
        resolve(event);
      });
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }
}
