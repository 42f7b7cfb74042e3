import type { ReactNode } from 'react';

const PATHS = {
  home: <path d="M3 10.5 12 3l9 7.500M5.500 9v11h13V9M10 20v-6h4v6" />,
  mail: <path d="M3 6h18v12H3zM3.500 6.500 12 13l8.500-6.500" />,
  request: <path d="M4 5h16v11H9l-5 4zM8.500 9h7M8.500 12h4.500" />,
  reminder: (
    <path d="M12 8v5l3.500 2M12 21a8 8 0 1 0 0-16 8 8 0 0 0 0 16ZM5 3 2.500 5.500M19 3l2.500 2.500" />
  ),
  search: <path d="M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13ZM15.500 15.500 21 21" />,
  gear: <path d="M4 7h9M17 7h3M4 17h3M11 17h9M15 4.500v5M9 14.500v5" />,
  close: <path d="m6 6 12 12M18 6 6 18" />,
  back: <path d="M14 5 7 12l7 7" />,
  copy: <path d="M9 9h11v11H9zM5 15H4V4h11v1" />,
  check: <path d="m4.500 12.500 5 5 10-11" />,
  clip: <path d="m8 12 6.500-6.500a3 3 0 0 1 4.200 4.200L10 18.400a4.600 4.600 0 0 1-6.500-6.500L11 4.500" />,
  pen: <path d="M4 20h4L19.500 8.500l-4-4L4 16zM13 7l4 4" />,
  stop: <path d="M6 6h12v12H6z" />,
  play: <path d="M8 5v14l11-7z" />,
  pause: <path d="M8 5v14M16 5v14" />,
  bin: <path d="M4 7h16M9 7V4h6v3M6.500 7l1 13h9l1-13" />,
  more: <path d="M9 6l6 6-6 6" />,
  wake: <path d="M5 18a7 7 0 0 1 14 0zM2 18h20M12 4v3M4.500 7.500l2 2M19.500 7.500l-2 2" />,
  prompt: <path d="m4 6 6 6-6 6M12 19h8" />,
  state: <path d="M3 12h4l3-8 4 16 3-8h4" />,
  keys: <path d="M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8" />,
  archive: <path d="M3 5h18v4H3zM5 9v10h14V9M10 13h4" />,
  plus: <path d="M12 5v14M5 12h14" />,
  down: <path d="m6 9 6 6 6-6" />,
  again: <path d="M20 12a8 8 0 1 1-2.500-5.800M20 4v4h-4" />,
  muted: <path d="M6 9a6 6 0 0 1 12 0c0 5 2 6 2 6H4s2-1 2-6M10 19h4M4 4l16 16" />,
  keyboard: (
    <path d="M9 9a3 3 0 1 1 3.500 3c-.400.100-.500.500-.500 1v1M12 17v.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z" />
  ),
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof PATHS;

/** Use it only beside a word, or in a button that has a label. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="shrink-0"
    >
      {PATHS[name]}
    </svg>
  );
}

export function Sunrise({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="shrink-0">
      <rect width="32" height="32" rx="8" fill="#1b2130" />
      <path d="M7 21a9 9 0 0 1 18 0z" fill="#ff9b76" />
      <path
        d="M4 25h24M16 4v4M6.500 9.500l2.600 2.600M25.500 9.500l-2.600 2.600"
        stroke="#ffd9b8"
        strokeWidth="2.200"
        strokeLinecap="round"
        fill="none"
      />
    </svg>
  );
}
