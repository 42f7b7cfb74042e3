import { useLayoutEffect, useRef } from 'react';

interface Props {
  text: string;
  laneId: string;
  x: number;
}

/** What is at that place of the lane, in a sentence. Screen readers have it as the value of the lane. */
export function LaneTip({ text, laneId, x }: Props) {
  const tip = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = tip.current;
    const around = element?.parentElement;
    const lane = around?.querySelector(`[data-lane="${CSS.escape(laneId)}"]`);
    if (!element || !around || !lane) return;
    const [outer, inner] = [around.getBoundingClientRect(), lane.getBoundingClientRect()];
    const left = inner.left - outer.left + x - element.offsetWidth / 2;
    element.style.left = `${Math.max(8, Math.min(left, outer.width - element.offsetWidth - 8))}px`;
    element.style.top = `${inner.bottom - outer.top + 6}px`;
  });
  return (
    <div
      ref={tip}
      aria-hidden="true"
      className="pointer-events-none absolute z-20 max-w-[90%] rounded-md border border-line bg-surface px-2 py-1 text-xs shadow-md"
    >
      {text}
    </div>
  );
}
