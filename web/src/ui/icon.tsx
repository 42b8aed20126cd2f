// Small pictures, drawn with one stroke each in 16 by 16.
const paths = {
  list: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  chain: 'M6.5 9.5 9.5 6.5M7 4.5l1.2-1.2a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5l-1.2 1.2a3.2 3.2 0 0 1-4.5-4.5L4.5 7',
  book: 'M3 3.5h4a1.5 1.5 0 0 1 1 .5 1.5 1.5 0 0 1 1-.5h4v9H9a1 1 0 0 0-1 .7 1 1 0 0 0-1-.7H3zM8 4v9',
  server: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  check: 'M3.5 8.5l3 3 6-7',
  cross: 'M4 4l8 8M12 4l-8 8',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5l3 3',
  copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  left: 'M10 4 6 8l4 4',
  sun: 'M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z',
  system: 'M2.5 3h11v8h-11zM6 13.5h4',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5h.01M6.5 6.5h.01M9 6.5h.01M11.5 6.5h.01M5 9.5h6',
  retry: 'M13 8a5 5 0 1 1-1.5-3.5M13 2v3h-3',
  stop: 'M4 4h8v8H4z',
  play: 'M5 3.5v9l7-4.5z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9',
  skip: 'M3.5 4v8l6-4zM12 4v8',
  question: 'M6 6a2 2 0 1 1 2.8 1.9c-.5.2-.8.6-.8 1.1v.5M8 12h.01',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.5V8l2.5 1.5',
  person: 'M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.5-2.5 2.5-4 5-4s4.5 1.5 5 4',
  calendar: 'M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2v3M10.5 2v3',
  compare: 'M5 3v10M11 3v10M2 6l3-3 3 3M8 10l3 3 3-3',
  gauge: 'M2.5 11a5.5 5.5 0 1 1 11 0M8 11l2.5-3.5',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  fit: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
  filter: 'M2.5 3.5h11l-4.3 5v4l-2.4 1v-5z',
  star: 'M8 2.5l1.7 3.5 3.8.5-2.8 2.7.7 3.8L8 11.2 4.6 13l.7-3.8L2.5 6.5l3.8-.5z',
  external: 'M6 3.5H3.5v9h9V10M9 3.5h3.5V7M12.5 3.5l-5 5',
  wrap: 'M2.5 4h11M2.5 8h8.5a2 2 0 0 1 0 4H8M9.5 10.5 8 12l1.5 1.5M2.5 12h3',
  grid: 'M2.5 2.5h4.5v4.5h-4.5zM9 2.5h4.5v4.5h-4.5zM2.5 9h4.5v4.5h-4.5zM9 9h4.5v4.5h-4.5z',
  edit: 'M3 13l.5-3L10.5 3l2.5 2.5-7 7z',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
