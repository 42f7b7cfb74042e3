import { useEffect, useRef, useState } from 'react';

/** Pixels of a cell. */
const CELL_PX = 2.5;
const STEP = 30;

/** The width of the lanes, and into how many cells the server divides the time for it. */
export function useLaneWidth(onCells: (cells: number) => void) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const measure = (): void => {
      const now = Math.floor(element.clientWidth);
      setWidth(now);
      const cells = Math.round(now / CELL_PX / STEP) * STEP;
      if (now > 0) onCells(Math.max(60, Math.min(720, cells)));
    };
    const size = new ResizeObserver(measure);
    size.observe(element);
    measure();
    return () => size.disconnect();
  }, [onCells]);
  return { width, place };
}
