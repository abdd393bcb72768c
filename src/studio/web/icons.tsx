/** The icons, drawn here: 16 by 16, one stroke. Those of verbs are named like them. */
const PATHS = {
  play: 'M2.5 6v4h2.6L9 13V3L5.1 6zM11.3 5.6a3.4 3.4 0 0 1 0 4.8M13.2 3.7a6 6 0 0 1 0 8.6',
  menu: 'M5.8 3.4h8M5.8 8h8M5.8 12.6h8M2.4 3.4h.6M2.4 8h.6M2.4 12.6h.6',
  collect: 'M3 3h.01M8 3h.01M13 3h.01M3 8h.01M8 8h.01M13 8h.01M8 13h.01M3 13h.01M13 13h.01',
  record: 'M8 2a2 2 0 0 1 2 2v4a2 2 0 0 1-4 0V4a2 2 0 0 1 2-2zM3.5 8a4.5 4.5 0 0 0 9 0M8 12.5V15',
  request:
    'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.800zM1.800 8h12.400M8 1.800c2.300 2.400 2.300 10 0 12.400M8 1.800c-2.300 2.400-2.300 10 0 12.400',
  webhook:
    'M5 8.500a3 3 0 1 1 3-5M8 6l2.200 4.400M11 8.200a3 3 0 1 1-2.600 4.600M9.600 11.500H5.200M5.500 8.600a3 3 0 1 0 1.600 4',
  branch: 'M4 2v5.500A3.500 3.500 0 0 0 7.500 11H13M10.500 8.300 13.200 11l-2.700 2.700M4 2v12',
  schedule: 'M8 1.800a6.200 6.200 0 1 0 0 12.400A6.200 6.200 0 0 0 8 1.800zM8 4.500V8l2.500 1.600',
  hangup: 'M1.700 9.500c3.700-3.700 8.900-3.700 12.600 0l-1.700 2-2.600-1V8.700a7 7 0 0 0-4 0v1.800l-2.600 1z',
  bridge: 'M2 5h9M8.500 2.500 11 5 8.500 7.500M14 11H5M7.500 8.500 5 11l2.500 2.500',
  queue:
    'M2.500 13v-1a2.500 2.500 0 0 1 5 0v1M5 7.500a1.700 1.700 0 1 0 0-3.400 1.700 1.700 0 0 0 0 3.400zM9.500 13v-1a2.500 2.500 0 0 1 4.500-1.500M11.500 7.500a1.700 1.700 0 1 0 0-3.400',
  notify: 'M8 2a4 4 0 0 1 4 4c0 4 1.500 5 1.500 5h-11S4 10 4 6a4 4 0 0 1 4-4zM6.800 13.500a1.300 1.300 0 0 0 2.400 0',
  set: 'M3 4h10M3 8h6M3 12h8',
  subflow: 'M2.500 2.500h5v4h-5zM8.500 9.500h5v4h-5zM5 6.500v5h3.500',
  return: 'M6 4 2.500 7.500 6 11M2.500 7.500H10a3.500 3.500 0 0 1 0 7H8',
  repeat: 'M3 8a5 5 0 0 1 8.600-3.500L13.500 6M13.500 2.500V6H10M13 8a5 5 0 0 1-8.600 3.500L2.500 10M2.500 13.500V10H6',
  lock: 'M4 7.500h8v6H4zM5.500 7.500V5a2.500 2.500 0 0 1 5 0v2.500',
  transfer: 'M2 8h10M8.500 4.500 12 8l-3.500 3.500M14 3v10',
  flows: 'M2 2.500h5v4H2zM9 9.500h5v4H9zM4.500 6.500v5H9',
  calls: 'M4.500 2 6.500 5.500 5 7a9 9 0 0 0 4 4l1.500-1.500L14 11.500 13 14C7 14 2 9 2 3z',
  broadcasts: 'M2 6.500v3h3l6 3.500V3L5 6.500zM13.500 6a3 3 0 0 1 0 4',
  tests: 'M2.500 8.500 6 12l7.500-8',
  numbers: 'M6 2 4.500 14M11.500 2 10 14M2.500 5.500h11M2.500 10.500h11',
  settings: 'M2 4.500h7M12 4.500h2M10.500 3v3M2 11.500h2M7 11.500h7M5.500 10v3',
  health: 'M1.500 8.500h3l2-5 3 9 2-4h3',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  remove: 'M3 4.500h10M6.500 4.500v-2h3v2M4.500 4.500l.6 9h5.800l.6-9',
  search: 'M7 2a5 5 0 1 0 0 10A5 5 0 0 0 7 2zM10.700 10.700 14 14',
} as const satisfies Record<string, string>;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name, size = 16 }: { name: string; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    stroke-width={name === 'collect' ? 2.4 : 1.5}
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={PATHS[name as IconName] ?? PATHS.set} />
  </svg>
);
