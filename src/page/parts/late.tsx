import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

const SHORTEST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * A part of the page that is loaded when it is first shown. Until then, also while the server is away, `fallback` is shown
 * instead and the rest of the page works. Loading is retried until it succeeds.
 */
export function late<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  fallback: (isMissing: boolean) => ReactNode = () => null,
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Late(props: P) {
    const [Part, setPart] = useState(() => loaded);
    const [tries, setTries] = useState(0);
    useEffect(() => {
      if (Part) return;
      let timer: ReturnType<typeof setTimeout> | undefined;
      let isOver = false;
      load().then(
        (module) => {
          loaded = module.default;
          if (!isOver) setPart(() => module.default);
        },
        () => {
          if (isOver) return;
          const pause = Math.min(SHORTEST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS);
          timer = setTimeout(() => setTries(tries + 1), pause);
        },
      );
      return () => {
        isOver = true;
        clearTimeout(timer);
      };
    }, [Part, tries]);
    return Part ? <Part {...props} /> : fallback(tries > 0);
  };
}
